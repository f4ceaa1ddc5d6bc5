// `verify --token` and `--all` over a small index, beside a node that answers by hand: which flags are left, and what counts as verified.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeFunctionData, encodeEventTopics, type Hex, numberToHex, pad, parseAbi } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { quoted } from "../../fold/tables.ts";
import { type Plan, parsePlan } from "../../verify/arguments.ts";
import { compareTokens } from "../../verify/compare-tokens.ts";
import { openServed, type Served } from "../../verify/served-answers.ts";
import { type AggregatedCall, answerAggregated } from "../support/aggregated-calls.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, type Index } from "../support/index-fixture.ts";
import { type Fact, ledgerAt } from "../support/reference-ledger.ts";
import { BROKEN, CAROL, PLAIN, quarantineSql, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const abi = parseAbi([
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
]);
const facts = smallIndex.facts.filter(({ token }) => token === PLAIN || token === BROKEN);
const index: Index = { ...smallIndex, facts };
const chain = chainFixture({ chainId: 31337, startBlock: 100 });

/** At which blocks Carol's balance is one less at the contract than by its events. */
let isOff: (block: number) => boolean;

function answerAt(block: number, { target, callData }: AggregatedCall): Hex {
  const { balances, supply } = ledgerAt(facts, target.toLowerCase(), block);
  const { functionName, args } = decodeFunctionData({ abi, data: callData });
  if (functionName === "totalSupply") return pad(numberToHex(supply));
  const account = args[0].toLowerCase();
  return pad(numberToHex((balances.get(account) ?? 0n) - (account === CAROL && isOff(block) ? 1n : 0n)));
}

const logOf = ({ block, logIndex, token, from, to, amount }: Fact) => ({
  ...{ address: token, blockNumber: numberToHex(block), blockHash: hashOf(block), logIndex: numberToHex(logIndex) },
  ...{ transactionHash: hashOf(block), transactionIndex: "0x0", removed: false, data: pad(numberToHex(amount)) },
  topics: encodeEventTopics({ abi, eventName: "Transfer", args: { from: from as Hex, to: to as Hex } }),
});

function resultOf(method: string, params: [never, never]): unknown {
  if (method === "eth_getBlockByNumber") return { hash: hashOf(Number(params[0])), transactions: [] };
  if (method === "eth_call") {
    const [{ data }, block] = params as unknown as [{ data: string }, Hex];
    return answerAggregated(data, (call) => answerAt(Number(block), call));
  }
  const [{ address, fromBlock, toBlock }] = params as unknown as [Record<string, string>];
  const isWanted = ({ token, block }: Fact) =>
    token === address?.toLowerCase() && block >= Number(fromBlock) && block <= Number(toBlock);
  return facts.filter(isWanted).map(logOf);
}

const node = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  const { id, method, params } = JSON.parse(text);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(method, params) }));
});

let database: TestDatabase;
let gateway: TestGateway;
let served: Served;
let rpcUrl = "";

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  await database.sql.unsafe(quarantineSql(index));
  gateway = openGateway(database.url, chain);
  served = openServed(database.url, chain);
  await once(node.listen(0, "127.0.0.1"), "listening");
  rpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});
afterAll(async () => {
  node.close();
  await served.close();
  await gateway.close();
  await database.stop();
});
beforeEach(() => {
  isOff = () => false;
});

async function verify(...argv: string[]): Promise<number> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    return await compareTokens(served, { chain, rpcUrl }, parsePlan(["--seed", "flags", ...argv]) as Plan);
  } finally {
    log.mockRestore();
  }
}

const flagOf = async (): Promise<string | null> =>
  (await gateway.get(`/balances/${PLAIN}?blockNumber=105`)).headers.get("x-token-flags");

describe("the flag of a token that drifts", () => {
  it("names the first block at which it was seen to drift", async () => {
    isOff = (block) => block >= 109;
    expect(await verify("--all")).toBe(0);
    expect(await flagOf()).toBe("balance-drift");
    const [flag] = await database.sql`select block, detail from tidemark.token_flag`;
    expect(flag).toMatchObject({ block: 109 });
    expect(flag?.detail).toContain(`${CAROL} at block 109: served 1000000, contract 999999`);
  });

  it("stays while the token drifts at that block, and where not everything is compared", async () => {
    isOff = (block) => block === 109;
    await verify("--all", "--samples", "5");
    expect(await flagOf()).toBe("balance-drift");
    isOff = () => false;
    for (const part of [
      ["--all", "--block", "109"],
      ["--all", "--accounts", "1"],
      ["--token", PLAIN],
    ])
      expect(await verify(...part)).toBe(0);
    expect(await flagOf()).toBe("balance-drift");
  });

  it("goes when the token is exact at all blocks compared, that one among them", async () => {
    await verify("--all", "--samples", "5");
    expect(await flagOf()).toBeNull();
  });
});

describe("the exit code", () => {
  it("is not that of success where all that was asked for is quarantined", async () => {
    await expect(verify("--token", BROKEN)).rejects.toThrow("nothing was verified: what was asked for is quarantined");
    expect(await verify("--token", PLAIN)).toBe(0);
  });
});

it("a statement that the database has ended is sent again, and then judged", async () => {
  let verifying: Promise<number> | undefined;
  await database.sql.begin(async (holding) => {
    await holding.unsafe(`lock table ${index.foldSchema}.holding_interval in access exclusive mode`);
    verifying = verify("--all");
    const cancelled = () => database.sql`
      select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(cancelled, { timeout: 20_000 }).not.toHaveLength(0);
  });
  expect(await verifying).toBe(0);
});

it("where history was pruned, only later blocks are picked, and an earlier one that is named is refused", async () => {
  const [{ sql }, fold] = [database, quoted(index.foldSchema)];
  await sql.unsafe(`delete from ${fold}.holding_interval where to_block <= 105`);
  await sql`insert into tidemark.pruned (chain_id, fold, first, last) values (31337, ${fold}, -1, 104)`;
  isOff = (block) => block < 105;
  expect(await verify("--all", "--samples", "1000")).toBe(0);
  expect(await sql`select from tidemark.token_flag`).toHaveLength(0);
  await expect(verify("--token", PLAIN, "--block", "104")).rejects.toThrow(
    "The history of block 104 is in the history",
  );
  expect(await verify("--token", PLAIN, "--block", "105")).toBe(0);
});
