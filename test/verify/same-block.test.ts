// Whether the node that answers are compared with stands on the block that they are about, over HTTP.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Plan, parsePlan } from "../../verify/arguments.ts";
import { comparePools } from "../../verify/compare-pools.ts";
import { openContracts } from "../../verify/contract-answers.ts";
import type { VerifyEnvironment } from "../../verify/environment.ts";
import type { Served } from "../../verify/served-answers.ts";
import { verifyVaults } from "../../verify/verify-vaults.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";

const HASH = `0x${"a".repeat(64)}`;
const OTHER = `0x${"b".repeat(64)}`;
const NO_NODE = "http://127.0.0.1:1";

type Found = { hash: string; transactions: [] } | null;

/** What eth_getBlockByNumber gives, once; the last one from then on. */
let found: [Found, ...Found[]] = [null];
const node = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(text).id, result: found.length > 1 ? found.shift() : found[0] }),
  );
});
let url = "";

beforeAll(async () => {
  await once(node.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});
afterAll(() => node.close());

it("the node stands on the block where both hashes are the same, or ours is not known", async () => {
  found = [{ hash: HASH, transactions: [] }];
  for (const ours of [HASH, undefined]) await openContracts(url).requireSameBlock(7, ours);
});

it("the node is on another chain where the hashes differ, or it has no such block", async () => {
  found = [{ hash: OTHER, transactions: [] }];
  await expect(openContracts(url).requireSameBlock(7, HASH)).rejects.toThrow(
    `block 7 is ${HASH} here and ${OTHER} at the node: a reorg, or another chain.`,
  );
  found = [null];
  await expect(openContracts(url).requireSameBlock(7, HASH)).rejects.toThrow(
    `block 7 is ${HASH} here and not there at the node: a reorg, or another chain.`,
  );
});

it("the block is not known where the node does not answer, and no other chain is reported", async () => {
  const refused = openContracts(NO_NODE).requireSameBlock(7, HASH);
  await expect(refused).rejects.toThrow(/^the node cannot answer about block 7: HTTP request failed\./);
});

describe("nothing is verified of a block that the node replaces while it is asked about", () => {
  const pool = { address: accountOf(1), createdBlock: 1 };
  const state = { pool, slot: undefined, ticks: new Map(), positions: new Map(), nfts: [] };
  const served = {
    head: async () => 7,
    firstBlock: async () => 1,
    pools: async () => [pool],
    poolAt: async () => ({ state, blockHash: HASH }),
    ask: async () => ({ vaults: [], blockHash: HASH }),
  } as unknown as Served;

  it("nor of pools that are not initialised yet", async () => {
    found = [{ hash: HASH, transactions: [] }];
    const environment = { chain: chainFixture({ chainId: 1, startBlock: 0 }), rpcUrl: url } as VerifyEnvironment;
    const verified = comparePools(served, environment, parsePlan(["--pools", "--block", "7"]) as Plan);
    await expect(verified).rejects.toThrow("nothing was verified: no pool was initialised at the blocks compared");
  });

  it.each([
    ["pools", comparePools],
    ["vaults", verifyVaults],
  ] as const)("by --%s", async (subject, verify) => {
    found = [
      { hash: HASH, transactions: [] },
      { hash: OTHER, transactions: [] },
    ];
    const environment = { chain: chainFixture({ chainId: 1, startBlock: 0 }), rpcUrl: url } as VerifyEnvironment;
    const verified = verify(served, environment, parsePlan([`--${subject}`, "--block", "7"]) as Plan);
    await expect(verified).rejects.toThrow(`block 7 is ${HASH} here and ${OTHER} at the node`);
  });
});
