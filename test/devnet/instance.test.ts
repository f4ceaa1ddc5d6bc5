// A devnet over stops: what was sealed is made again hash for hash, and its oldest block can still be asked.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { resolve as absolute, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endAnvil, isAnvilOn, spawnAnvil } from "../../devnet/anvil.ts";
import type { AnvilChain } from "../../devnet/anvil-chain.ts";
import { leftAnvil, type RunningDevnet, readInstance, startDevnet } from "../../devnet/instance.ts";
import { readJournal, replayJournal } from "../../devnet/journal.ts";
import { isAnswering } from "../../devnet/json-rpc.ts";

let dataDir: string;
let port: number;
let devnet: RunningDevnet | undefined;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tidemark-devnet-"));
  port = await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
});
afterAll(async () => {
  if (devnet) await endAnvil(devnet.pid, 0);
  rmSync(dataDir, { recursive: true, force: true });
});

async function seedChain(chain: AnvilChain): Promise<void> {
  for (let n = 0; n < 5; n++) {
    chain.queue({ from: chain.accounts[n] as `0x${string}`, to: chain.accounts[n + 1] as `0x${string}`, value: 1n });
    await chain.seal(12);
  }
}

const troubles: string[] = [];
const start = () =>
  startDevnet({ dataDir, port, seed: "small", seedChain, onTrouble: (message) => troubles.push(message) });
const hashOf = async (number: number) => (await devnet?.chain.client.getBlock({ blockNumber: BigInt(number) }))?.hash;
const wealthAt = (number: number) =>
  devnet?.chain.client.getBalance({
    address: devnet.chain.accounts[1] as `0x${string}`,
    blockNumber: BigInt(number),
  });

test("a stopped chain is made again, with every state and however many transactions in a block; a killed keeper's anvil is adopted; a changed one is given up, and said to be", async () => {
  devnet = await start();
  expect(devnet.origin).toBe("seeded");
  const { chain, instanceId } = devnet;
  for (let n = 0; n < 120; n++) {
    if (n % 3 === 0)
      chain.queue({ from: chain.accounts[0] as `0x${string}`, to: chain.accounts[1] as `0x${string}`, value: 7n });
    await chain.sealAt(chain.head().timestamp + 2);
  }
  const [from, to] = chain.accounts as [`0x${string}`, `0x${string}`];
  for (let n = 0; n < 200; n++) chain.queue({ from, to, value: 7n, data: `0x${"00".repeat(2_000)}` });
  const crowded = await chain.seal();
  expect(await chain.client.getBlockTransactionCount({ blockNumber: BigInt(crowded.number) })).toBe(200);
  const head = chain.head();
  const before = { hash: await hashOf(60), wealth: await wealthAt(2) };
  await devnet.stop();

  devnet = await start();
  expect([devnet.origin, devnet.instanceId]).toEqual(["continued", instanceId]);
  expect(devnet.chain.head()).toEqual(head);
  expect({ hash: await hashOf(60), wealth: await wealthAt(2) }).toEqual(before);

  // As after kill -9 of the keeper: nobody stopped anvil.
  const orphan = devnet.pid;
  devnet = await start();
  expect([devnet.origin, devnet.instanceId, devnet.pid]).toEqual(["adopted", instanceId, orphan]);

  expect(troubles).toEqual([]);
  await devnet.chain.rpc("anvil_setBalance", [devnet.chain.accounts[1], "0x1"]);
  await devnet.chain.sealAt(devnet.chain.head().timestamp + 2);
  await devnet.stop();
  devnet = await start();
  expect(devnet.origin).toBe("seeded");
  expect(devnet.instanceId).not.toBe(instanceId);
  expect(troubles).toEqual([expect.stringContaining("the chain of the last run cannot be made again")]);
});

/** `npm run devnet` on the same folder; ends it at the first thing it says that holds `until`. */
async function runUntil(until: string): Promise<{ event: string; doing?: string; origin?: string }[]> {
  const args = ["devnet/main.ts", "--json", "--no-live", "--seed", "small", "--port", String(port), "--data", dataDir];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.includes(until)) child.kill("SIGTERM");
  });
  await ended;
  return said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a stopped chain is replayed, and not called seeded; what was replayed in part is ended and never taken for the whole", async () => {
  devnet ??= await start();
  while (devnet.chain.head().number < 120) await devnet.chain.sealAt(devnet.chain.head().timestamp + 2);
  const [head, { instanceId }] = [devnet.chain.head(), devnet];
  expect(leftAnvil(dataDir)).toBe(devnet.pid);
  await devnet.stop();
  expect(leftAnvil(dataDir)).toBe(undefined);

  const said = (await runUntil('"ready"')).map(({ event, doing, origin }) => `${event} ${doing ?? origin}`);
  expect(new Set(said)).toEqual(new Set(["progress replaying", "ready continued"]));

  await runUntil('"progress"');
  const dir = join(dataDir, "devnet");
  const stopped = readInstance(dir)!;
  expect(isAnvilOn(stopped.pid, port)).toBe(false);

  // As after kill -9 in the middle: an anvil with the seeded blocks and some more, but not all.
  const { pid, rpcUrl } = await spawnAnvil({ port, dir });
  await replayJournal({ rpcUrl, entries: readJournal(dir)!.slice(0, 60), onProgress: undefined });
  writeFileSync(join(dir, "instance.json"), JSON.stringify({ ...stopped, pid }));
  devnet = await start();
  expect([devnet.origin, devnet.instanceId, devnet.chain.head()]).toEqual(["continued", instanceId, head]);
  expect(isAnvilOn(pid, port)).toBe(false);
});

test("anvil is noted before it answers: a keeper that is ended while waiting for it leaves one that can be found", async () => {
  if (devnet) await devnet.stop();
  rmSync(join(dataDir, "devnet"), { recursive: true });
  const started = start();
  const dir = join(dataDir, "devnet");
  while (readInstance(dir) === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  const noted = readInstance(dir);
  expect(await isAnswering(`http://127.0.0.1:${port}`)).toBe(false);
  devnet = await started;
  expect(noted).toMatchObject({ id: devnet.instanceId, pid: devnet.pid, port, seededUpTo: null });
});

test("variables that are empty count as unset: the state is in .tidemark, and the port the usual one", () => {
  const home = mkdtempSync(join(tmpdir(), "tidemark-devnet-"));
  try {
    const dir = join(home, ".tidemark", "devnet");
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "keeper.pid"), String(process.pid));
    const { stderr } = spawnSync(process.execPath, [absolute("devnet/main.ts")], {
      cwd: home,
      encoding: "utf8",
      env: { ...process.env, DEVNET_PORT: "", TIDEMARK_DATA: "" },
      timeout: 20_000,
    });
    expect(stderr).toContain(`a devnet of this data directory is already running (pid ${process.pid})`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
