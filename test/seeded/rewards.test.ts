// Campaigns on the seeded devnet: docs/rewards.md as a newcomer types it, and liquidity in range beside every block by itself.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../../gateway/server.ts";
import { checkManifest } from "../../rewards/check.ts";
import { writeFolder } from "../../rewards/write-folder.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { type Examples, seededExamples } from "./examples.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

let gateway: TestGateway;
let examples: Examples;
let server: Server;
let folder: string;

beforeAll(async () => {
  gateway = openSeededGateway();
  examples = await seededExamples();
  server = await listen(gateway.app, { host: "127.0.0.1", port: 0 });
  folder = mkdtempSync(join(tmpdir(), "tidemark-rewards-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.close();
  await gateway.close();
});

test("the campaign of docs/rewards.md is given out, written and confirmed", async () => {
  const text = readFileSync(new URL("../../docs/rewards.md", import.meta.url), "utf8");
  const [, json = ""] = /^```json\n([\s\S]*?)^```/m.exec(text) ?? [];
  const campaign = join(folder, "campaign.json");
  writeFileSync(campaign, json.replaceAll(/<address of[^>]*>/g, examples.token));
  const out = join(folder, "round-1");
  const place = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: undefined };
  const { manifest } = await writeFolder(place, { campaign, out });
  expect(manifest).toMatchObject({ sum: "1000000000000000000000", chainId: seededChain().chainId });
  expect(manifest.accounts).toBeGreaterThan(10);
  expect(readdirSync(out)).toHaveLength(5);
  expect((await checkManifest(join(out, "manifest.json"), place)).differences).toEqual([]);
});

interface Position {
  id: string;
  manager: string | null;
  owner: string;
  tickLower: number;
  tickUpper: number;
  liquidity: string;
}

/** Of a block: each position's liquidity where the tick is within it. */
async function insideAt(pool: string, block: number): Promise<[string, string, bigint][]> {
  const { data, errors } = await gateway.graphql(`{
    pool(address: "${pool}", block: {number: ${block}}) { tick }
    positions(pool: "${pool}", block: {number: ${block}}, first: 1000) {
      nodes { id manager owner tickLower tickUpper liquidity } } }`);
  expect(errors).toBeUndefined();
  const { pool: state, positions } = data as { pool: { tick: number }; positions: { nodes: Position[] } };
  return positions.nodes
    .filter(({ tickLower, tickUpper }) => tickLower <= state.tick && state.tick < tickUpper)
    .map(({ id, manager, owner, liquidity }) => [`${owner} ${manager} ${id}`, owner, BigInt(liquidity)]);
}

test("liquidity in range is what every block by itself adds up to", async () => {
  const { pool } = examples;
  const to = seeded.head;
  const from = to - 39;
  const { data } = await gateway.graphql(`{ pool(address: "${pool}") { token0 } }`);
  const token = (data as { pool: { token0: string } }).pool.token0;
  const sums = new Map<string, [owner: string, sum: bigint]>();
  for (let block = from; block <= to; block++)
    for (const [key, owner, liquidity] of await insideAt(pool, block))
      sums.set(key, [owner, (sums.get(key)?.[1] ?? 0n) + liquidity]);
  const expected = new Map<string, bigint>();
  for (const [owner, sum] of sums.values()) expected.set(owner, (expected.get(owner) ?? 0n) + sum / 40n);

  const campaign = {
    ...{ chainId: seededChain().chainId, token, range: { fromBlock: from, toBlock: to } },
    ...{ reward: { token, budget: "1000000" }, counts: { inRange: { pool } } },
  };
  const response = await gateway.app.request("/rewards", { method: "POST", body: JSON.stringify(campaign) });
  const { results, isFinal } = (await response.json()) as {
    results: { account: string; averageRoundedDown: string }[];
    isFinal: boolean;
  };
  expect(isFinal).toBe(false);
  expect(expected.size).toBeGreaterThan(2);
  expect(new Map(results.map(({ account, averageRoundedDown }) => [account, BigInt(averageRoundedDown)]))).toEqual(
    new Map([...expected].filter(([, average]) => average > 0n)),
  );
});
