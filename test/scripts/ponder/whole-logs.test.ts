// Answers of a node that leaves logs out, and how they are distinguished from whole ones.
import type { Hex } from "viem";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  bloomOf,
  findBloomFault,
  findGap,
  type LogFilter,
  matches,
  type NodeBlock,
  type NodeLog,
} from "../../../scripts/ponder/block-logs.ts";
import { createBlooms } from "../../../scripts/ponder/blooms.ts";
import { checkedFetch } from "../../../scripts/ponder/checked-fetch.ts";

const word = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`;
const address = (n: number): Hex => `0x${n.toString(16).padStart(40, "0")}`;
const quantity = (n: number): Hex => `0x${n.toString(16)}`;
const hashOf = (number: number): Hex => word(0xb10c000 + number);

/** Three transactions of three logs each; the last two say the same. */
const logsOf = (number: number): NodeLog[] =>
  Array.from({ length: 9 }, (_, i) => ({
    address: address(1),
    topics: [word(7), word(i < 3 ? 1 : 2)],
    blockNumber: quantity(number),
    blockHash: hashOf(number),
    transactionIndex: quantity(Math.floor(i / 3)),
    logIndex: quantity(i),
  }));
const blockOf = (number: number): NodeBlock => ({
  number: quantity(number),
  hash: hashOf(number),
  logsBloom: `0x${Buffer.from(bloomOf(logsOf(number))).toString("hex")}`,
  transactions: [word(100 * number), word(100 * number + 1), word(100 * number + 2)],
});

describe("a list of logs", () => {
  const block = blockOf(5);
  const logs = logsOf(5);

  const problemOf = (of: NodeBlock, given: NodeLog[]) =>
    findGap(of, given) ?? (findBloomFault(of, given) && "its bloom shows other logs");

  it("that is whole has no gap", () => {
    expect(problemOf(block, logs)).toBeUndefined();
    expect(problemOf({ ...block, logsBloom: `0x${"00".repeat(256)}` }, [])).toBeUndefined();
    expect(problemOf({ ...block, logsBloom: null }, logs)).toBeUndefined();
  });

  it("that differs from its bloom shows which of the two has more", () => {
    expect(findBloomFault(block, logs.slice(0, 3))).toBe("more");
    expect(findBloomFault({ logsBloom: `0x${"00".repeat(256)}` }, logs)).toBe("less");
  });

  it.each([
    ["one in the middle", logs.filter((_, i) => i !== 4), "log 4 is missing"],
    ["the first", logs.slice(1), "log 0 is missing"],
    ["all", [], "its bloom shows other logs"],
    ["all that are like no other", logs.slice(0, 3), "its bloom shows other logs"],
    ["one of another block", [...logs.slice(0, 8), { ...logs[8]!, blockHash: hashOf(6) }], "log 8 is of block"],
  ])("without %s is found out", (_, given, problem) => {
    expect(problemOf(block, given)).toContain(problem);
  });

  it("is filtered as nodes do", () => {
    const named = (filter: LogFilter) => logs.filter((log) => matches(filter, log)).length;
    expect(named({})).toBe(9);
    expect(named({ address: [], topics: [null, word(1)] })).toBe(3);
    expect(named({ address: address(1), topics: [[word(7), word(8)], [word(2)]] })).toBe(6);
    expect(named({ address: [address(2)] })).toBe(0);
    expect(named({ topics: [null, null, word(1)] })).toBe(0);
  });
});

describe("checked answers", () => {
  const HEAD = 1_000;
  const warnings: string[] = [];
  /** What eth_getLogs leaves out. */
  let keep: (log: NodeLog) => boolean = () => true;
  const requested: string[] = [];

  const answers: Record<string, (params: unknown[]) => unknown> = {
    eth_blockNumber: () => quantity(HEAD),
    eth_getBlockByHash: ([hash]) => blockOf(Number(BigInt(hash as Hex)) - 0xb10c000),
    eth_getBlockByNumber: ([number]) => blockOf(Number(number)),
    eth_getTransactionReceipt: () => ({ logs: [{}, {}, {}] }),
    eth_getLogs: ([filter]) => {
      const { blockHash, fromBlock, toBlock } = filter as LogFilter;
      const from = blockHash ? Number(BigInt(blockHash)) - 0xb10c000 : Number(fromBlock);
      const to = blockHash ? from : Number(toBlock);
      return Array.from({ length: to - from + 1 }, (_, i) => logsOf(from + i))
        .flat()
        .filter((log) => matches(filter as LogFilter, log) && keep(log));
    },
  };
  const node: typeof fetch = async (input, init) => {
    const text = await new Request(input, init).text();
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: unknown[] };
    requested.push(method);
    return Response.json({ jsonrpc: "2.0", id, result: answers[method]?.(params) });
  };
  const checkedNode = () => ({
    nodeUrl: "http://node.test/key",
    blooms: createBlooms("learn", ({ reason }) => warnings.push(reason)),
    warn: (line: string) => warnings.push(line),
  });
  const open = () => checkedFetch(node, checkedNode());
  const ask = async (fetchIt: typeof fetch, filter: LogFilter) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 4, method: "eth_getLogs", params: [filter] });
    const answer = await fetchIt(new Request("http://node.test/key", { method: "POST", body }));
    return (await answer.json()) as { id: number; result?: NodeLog[]; error?: { message: string } };
  };
  afterEach(() => {
    keep = () => true;
    requested.length = 0;
    vi.useRealTimers();
  });

  it("that are whole pass as they are", async () => {
    expect(await ask(open(), { blockHash: hashOf(999) })).toMatchObject({ id: 4, result: logsOf(999) });
    const topics = [null, word(1)];
    const { result } = await ask(open(), { fromBlock: quantity(960), toBlock: quantity(970), topics });
    expect(result).toHaveLength(33);
  });

  it.each([
    ["in the middle", (log: NodeLog) => Number(log.logIndex) !== 4],
    // Its bits are in the bloom anyway, and the numbers before it have no gap: only the receipt shows it.
    ["at the end", (log: NodeLog) => Number(log.logIndex) !== 8],
    ["a whole transaction at the end", (log: NodeLog) => Number(log.transactionIndex) !== 2],
  ])("that lack a log %s become errors, which Ponder asks again", async (_, lossy) => {
    const fetchIt = open();
    keep = lossy;
    expect((await ask(fetchIt, { blockHash: hashOf(999) })).error?.message).toMatch(/not complete|were given/);
    const range = { fromBlock: quantity(900), toBlock: quantity(999) };
    expect((await ask(fetchIt, range)).error?.message).toMatch(/not complete|were given/);
    keep = () => true;
    expect((await ask(fetchIt, { blockHash: hashOf(999) })).result).toHaveLength(9);
    expect((await ask(fetchIt, range)).result).toHaveLength(900);
  });

  it("are compared with each block once, however many ask", async () => {
    const fetchIt = open();
    const range = { fromBlock: quantity(980), toBlock: quantity(999) };
    const filters = Array.from({ length: 10 }, (_, i) => ({ ...range, topics: [word(i)] }));
    await Promise.all(filters.map((filter) => ask(fetchIt, filter)));
    const count = (method: string) => requested.filter((one) => one === method).length;
    expect([count("eth_getBlockByNumber"), count("eth_getBlockByHash"), count("eth_getLogs")]).toEqual([20, 0, 13]);
  });

  it("far below the head are not checked", async () => {
    keep = () => false;
    expect(await ask(open(), { fromBlock: quantity(1), toBlock: quantity(800) })).toMatchObject({ result: [] });
    expect(requested).toEqual(["eth_getLogs", "eth_blockNumber"]);
  });

  it("that a node goes on giving are accepted in the end, with a warning", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const fetchIt = open();
    keep = (log) => Number(log.logIndex) !== 4;
    expect((await ask(fetchIt, { blockHash: hashOf(998) })).error).toBeDefined();
    vi.advanceTimersByTime(31_000);
    expect((await ask(fetchIt, { blockHash: hashOf(998) })).result).toHaveLength(8);
    expect(warnings.at(-1)).toMatch(/block 998 seem incomplete \(log 4 is missing\)/);
  });

  it("are no truer because somebody has set the clock", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const fetchIt = open();
    keep = (log) => Number(log.logIndex) !== 4;
    expect((await ask(fetchIt, { blockHash: hashOf(998) })).error).toBeDefined();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect((await ask(fetchIt, { blockHash: hashOf(998) })).error).toBeDefined();
  });

  it("of a block that the chain has replaced are refused at once", async () => {
    const gone: typeof fetch = async (input, init) => {
      const { method } = JSON.parse(await new Request(input, init).text()) as { method: string };
      const unknown = { error: { code: -32000, message: "unknown block" } };
      return Response.json({
        jsonrpc: "2.0",
        id: 1,
        ...(method === "eth_getBlockByHash" ? { result: null } : unknown),
      });
    };
    const fetchIt = checkedFetch(gone, checkedNode());
    const body = JSON.stringify({ jsonrpc: "2.0", id: 4, method: "eth_getLogs", params: [{ blockHash: hashOf(3) }] });
    expect((await fetchIt("http://node.test/key", { method: "POST", body })).status).toBe(404);
    const range = { fromBlock: quantity(1), toBlock: quantity(2) };
    expect((await ask(fetchIt, range)).error?.message).toBe("unknown block");
  });

  it("of two blocks that are too much for the node are refused in words that do not make Ponder ask for none at a time", async () => {
    const strict: typeof fetch = async () =>
      Response.json({
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32005, message: "query returned more than 10000 results" },
      });
    const fetchIt = checkedFetch(strict, checkedNode());
    const messageFor = async (from: number, to: number) =>
      (await ask(fetchIt, { fromBlock: quantity(from), toBlock: quantity(to) })).error?.message;
    expect(await messageFor(1, 2)).toBe("the node refuses the logs of blocks 1 and 2");
    expect(await messageFor(1, 3)).toMatch(/more than 10000 results/);
    expect(await messageFor(1, 1)).toMatch(/more than 10000 results/);
  });

  it("that were asked for too often stay refused as that, so that Ponder slows down", async () => {
    const error = { code: 429, message: "rate limit exceeded" };
    const range = { fromBlock: quantity(1), toBlock: quantity(2) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 4, method: "eth_getLogs", params: [range] });
    for (const status of [200, 429]) {
      const busy: typeof fetch = async () => Response.json({ jsonrpc: "2.0", id: 4, error }, { status });
      const fetchIt = checkedFetch(busy, checkedNode());
      const response = await fetchIt("http://node.test/key", { method: "POST", body });
      expect([response.status, await response.json()]).toMatchObject([429, { error }]);
    }
  });

  it("that cannot be checked say what the node said", async () => {
    const poor: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const { method } = JSON.parse(await request.clone().text()) as { method: string };
      if (method !== "eth_getTransactionReceipt") return node(request);
      return Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no such method" } });
    };
    const fetchIt = checkedFetch(poor, checkedNode());
    expect((await ask(fetchIt, { blockHash: hashOf(999) })).error?.message).toContain("no such method");
  });

  it("other questions and other hosts pass", async () => {
    const fetchIt = open();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
    await fetchIt("http://node.test/key", { method: "POST", body });
    await fetchIt("http://elsewhere.test/", { method: "POST", body });
    expect(requested).toEqual(["eth_blockNumber", "eth_blockNumber"]);
  });
});
