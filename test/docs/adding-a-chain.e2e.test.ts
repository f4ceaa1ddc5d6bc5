// The worked example of docs/adding-a-chain.md, done: its chain has the addresses that the guide prints, its command makes a
// file that passes the check, and its mistakes are the lines that it shows.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import { checkChain, readNodeState } from "../../chains/check/check-chain.ts";
import { lineOf } from "../../chains/check/findings.ts";
import { openNode } from "../../chains/check/node.ts";
import { readAll } from "../../chains/check/read-all.ts";
import { freePort } from "../../machine/ports.ts";
import { draftChain } from "../../scripts/new-chain/draft.ts";
import { readOptions } from "../../scripts/new-chain/options.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(new URL("../../docs/adding-a-chain.md", import.meta.url), "utf8");
let second: ChildProcess;
let rpcUrl: string;
let printed = "";

beforeAll(async () => {
  const port = await freePort();
  rpcUrl = `http://127.0.0.1:${port}`;
  second = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "devnet/second-chain.ts", String(port)], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    second.once("exit", (code) => reject(new Error(`the second chain ended with code ${code}`)));
    second.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes("vault")) resolve();
    });
  });
});
afterAll(async () => {
  second.removeAllListeners("exit");
  const ended = new Promise((resolve) => second.once("exit", resolve));
  second.kill("SIGTERM");
  await ended;
});

/** What follows `npm run new:chain --` in the guide. */
function argumentsOfGuide(): string[] {
  const [, command] = guide.match(/^npm run new:chain -- ([\s\S]*?)\n```/m) ?? [];
  return (command ?? "").replaceAll("\\\n", " ").replace("http://127.0.0.1:9545", rpcUrl).trim().split(/\s+/);
}

async function makeFile(): Promise<ChainFile> {
  const node = openNode(rpcUrl);
  const { chainId, head } = await readNodeState(node);
  const options = readOptions(argumentsOfGuide());
  const { draft, problems } = await readAll(node, head, (on) => draftChain(options, chainId, on));
  expect(problems).toEqual([]);
  return chainFileSchema.parse(draft);
}

it("the guide names the addresses that the second chain prints", () => {
  const addresses =
    argumentsOfGuide()
      .join(" ")
      .match(/0x[0-9a-f]{40}/g) ?? [];
  expect(addresses).toHaveLength(7);
  for (const address of addresses) expect(printed).toContain(address);
});

it("the command makes a chain file that passes the check", async () => {
  const chain = await makeFile();
  expect([chain.chainId, chain.v3?.deployments[0]?.flavour, chain.externalVaults[0]?.kind]).toEqual([
    ...[31_338, "uniswap", "erc4626"],
  ]);
  expect((await checkChain(chain, rpcUrl)).map(lineOf)).toEqual([]);
});

it("the guide shows the lines of its two mistakes", async () => {
  const chain = await makeFile();
  const deployment = chain.v3!.deployments[0]!;
  deployment.swapRouter02 = chain.v2!.router;
  deployment.positionManager.startBlock = 40;
  const lines = (await checkChain(chain, rpcUrl)).map(lineOf);
  const shown = guide.match(/^v3\.deployments.*$/gm) ?? [];
  expect(shown).toHaveLength(2);
  expect(lines).toEqual(expect.arrayContaining(shown));
});
