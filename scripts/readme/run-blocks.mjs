// Runs what README.md shows, as typed and in order: `npm start` stays up for the commands that follow, until Ctrl-C ends it
// before `npm test`, as the text says.
import { setTimeout as sleep } from "node:timers/promises";
import { printed, START, TEST } from "./blocks.mjs";
import { startCommand } from "./command.mjs";

const INSTALLED = /^Tidemark: /m;
const READY = /^Ready after /m;

/** A command of README.md does not do what README.md says; the message names its line. */
export class BlockFailedError extends Error {
  name = "BlockFailedError";
}

/**
 * @param {readonly import("./blocks.mjs").Block[]} blocks
 * @param {{
 *   cwd: string, env: NodeJS.ProcessEnv, say: (line: string) => void, startMs?: number,
 *   onInstalled?: () => void, beforeTest?: () => Promise<unknown>,
 * }} around `onInstalled`: once `npm start` has installed everything and goes on
 * @throws {BlockFailedError} at the first block that fails, takes too long or prints something else than README.md shows
 */
export async function runBlocks(blocks, around) {
  const { say, beforeTest } = around;
  /** @type {ReturnType<typeof startCommand> | undefined} */
  let product;
  const stop = async () => {
    const stopping = product;
    product = undefined;
    if (stopping && !(await stopping.interrupt())) throw new BlockFailedError(`Ctrl-C does not end "${START}"`);
  };
  try {
    for (const block of blocks) {
      if (block.text === TEST) {
        await stop();
        await beforeTest?.();
      }
      const began = Date.now();
      say(`README.md, line ${block.line}: ${block.text}`);
      if (block.text === START) product = await startProduct(block, around);
      else await runBlock(block, around);
      say(`README.md, line ${block.line}: done in ${((Date.now() - began) / 1_000).toFixed(1)} s`);
    }
  } finally {
    await stop();
  }
}

/**
 * @param {import("./blocks.mjs").Block} block
 * @param {Parameters<typeof runBlocks>[1]} around
 */
async function startProduct({ line, text }, { startMs = 600_000, onInstalled, ...around }) {
  let output = "";
  let isInstalled = false;
  /** @type {() => void} */
  let announce = () => {};
  const ready = new Promise((resolve) => {
    announce = () => resolve("ready");
  });
  const onOutput = (/** @type {string} */ part) => {
    output += part;
    process.stdout.write(part);
    if (!isInstalled && INSTALLED.test(output)) {
      isInstalled = true;
      onInstalled?.();
    }
    if (READY.test(output)) announce();
  };
  const product = startCommand(text, { ...around, onOutput });
  const outcome = await Promise.race([ready, product.ended, sleep(startMs, "late", { ref: false })]);
  if (outcome === "ready") return product;
  await product.interrupt();
  const how = outcome === "late" ? `is not ready after ${startMs / 1_000} s` : `ended with code ${outcome}`;
  throw new BlockFailedError(`README.md, line ${line}: "${text}" ${how} and never said that it is ready`);
}

/**
 * @param {import("./blocks.mjs").Block} block
 * @param {Parameters<typeof runBlocks>[1]} around
 */
async function runBlock({ line, text, answer }, around) {
  let output = "";
  const onOutput = (/** @type {string} */ part) => {
    output += part;
    process.stdout.write(part);
  };
  const code = await startCommand(text, { ...around, onOutput }).ended;
  if (code !== 0) throw new BlockFailedError(`README.md, line ${line}: "${text}" ended with code ${code}`);
  if (answer !== undefined && printed(output) !== answer)
    throw new BlockFailedError(
      `README.md, line ${line}: "${text}" prints\n${printed(output)}\nand README.md shows\n${answer}`,
    );
}
