// What .ci/run does: runs README.md's commands as typed, in order, in a fresh clone with nothing installed and an empty npm cache
// (`npm test` is one of them); and `npm run check`, without the part that `npm test` has, too. Plain JavaScript that Node 20
// understands: nothing is installed before the first command of README.md runs.
// Usage: node scripts/readme/main.mjs
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readBlocks } from "./blocks.mjs";
import { interruptCommands, killCommands, startCommand } from "./command.mjs";
import { endLeftovers, makeClone } from "./fresh-clone.mjs";
import { PORTS, provideBrowser, takenPorts } from "./machine.mjs";
import { runBlocks } from "./run-blocks.mjs";

/** The tests of the architecture run with all others. */
const CHECK = "npm run check -- --beside-tests";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const say = (/** @type {string} */ line) => console.log(`ci: ${line}`);

async function checkInClone() {
  const taken = await takenPorts(PORTS);
  if (taken.length > 0)
    throw new Error(`port ${taken.join(" and ")} is in use, where "npm start" listens; stop what listens there`);
  const clone = makeClone(root);
  const { project, env } = clone;
  const tidy = () => {
    killCommands();
    clone.remove();
  };
  process.once("exit", tidy);
  if (clone.uncommitted > 0)
    say(`${clone.uncommitted} files have changes that are not committed: these are not checked`);
  const blocks = readBlocks(readFileSync(join(project, "README.md"), "utf8"));
  // both run beside `npm start`, which leaves a core idle most of the time; so their failures are known before the tests run
  const browser = provideBrowser(say);
  /** @type {Promise<void> | undefined} */
  let checked;
  const onInstalled = () => {
    checked = check(project, env);
    // awaited below, unless something else fails first
    checked.catch(() => {});
  };
  try {
    await runBlocks(blocks, { cwd: project, env, say, onInstalled, beforeTest: () => Promise.all([browser, checked]) });
    if (checked === undefined) await check(project, env);
  } finally {
    await interruptCommands();
    const left = await endLeftovers(project);
    if (left.length > 0) {
      say(`these were still running, and were ended: ${left.join("; ")}`);
      process.exitCode = 1;
    }
  }
}

/**
 * @param {string} project
 * @param {NodeJS.ProcessEnv} env
 */
async function check(project, env) {
  let output = "";
  const onOutput = (/** @type {string} */ part) => {
    output += part;
  };
  const code = await startCommand(CHECK, { cwd: project, env, onOutput }).ended;
  console.log(output);
  if (code !== 0) throw new Error(`"${CHECK}" ended with code ${code}`);
}

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(name, () => {
    say(`${name}: stopping`);
    // what waits for them fails then, and tidies up
    void interruptCommands();
  });

try {
  await checkInClone();
  if (!process.exitCode) say("all good");
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
