// Imitates a node's eth_getLogs and eth_getBlockByNumber (docs: ethereum.github.io/execution-apis): a chain whose every block has a
// known number of events.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { erc20Abi } from "../../abis/erc20.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { loadChain } from "../../chains/load.ts";
import { UsageError } from "../../machine/command-line.ts";
import { addressesIn, perRange, questionsOf, readSources } from "../../plan/log-queries.ts";
import { makePlan } from "../../plan/make-plan.ts";
import { figuresOf, readMeasured } from "../../plan/measured.ts";
import { readOptions } from "../../plan/options.ts";
import { type Ask, rangesOf, sampleEvents, TRANSFER, topicsOf, transferringAmong } from "../../plan/sample.ts";
import { bytesText, hoursText, planText } from "../../plan/show.ts";

/** Of Berachain. */
const CHAIN_ID = 80_094;
const HEAD = 1_000_000;
const SWAP = `0x${"c4".repeat(32)}`;
const word = `0x${"00".repeat(32)}`;

/** Each block has two transfers and an NFT's in one transaction, and a swap in another; it gives at most `most` blocks at once. */
function nodeOf(most: number) {
  const calls: string[] = [];
  const log = (block: number, transaction: number, topics: string[]) => ({
    ...{ address: "0x01", topics, blockNumber: `0x${block.toString(16)}`, transactionHash: `0x${block}${transaction}` },
  });
  const answer = (method: string, params: readonly unknown[]): unknown => {
    calls.push(method);
    if (method === "eth_chainId") return `0x${CHAIN_ID.toString(16)}`;
    if (method === "eth_blockNumber") return `0x${HEAD.toString(16)}`;
    if (method === "eth_getBlockByNumber") {
      const block = Number(params[0]);
      const inputs = ["0x", `0x${"ab".repeat(300)}`, `0x${"ab".repeat(5_000)}`];
      return { transactions: inputs.map((input, i) => ({ hash: `0x${block}${i}`, input })) };
    }
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
    const [from, to] = [Number(fromBlock), Math.min(Number(toBlock), HEAD)];
    if (to - from + 1 > most) throw new Error("query exceeds max block range");
    return Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((block) => [
      ...[log(block, 0, [TRANSFER, word, word]), log(block, 0, [TRANSFER, word, word])],
      ...[log(block, 0, [TRANSFER, word, word, word]), log(block, 1, [SWAP])],
    ]);
  };
  const ask: Ask = async (schema, method, params) => schema.parse(answer(method, params));
  return { answer, ask, calls };
}

/** `use` with the URL of a node that gives these answers. */
async function withNode<T>(answer: (method: string, params: readonly unknown[]) => unknown, use: (url: string) => T) {
  const server = createServer(async (request, response) => {
    const { method, params } = (await json(request)) as { method: string; params: unknown[] };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: answer(method, params) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

describe("a sample", () => {
  it("counts events, leaves NFTs out, and says how alike the ranges are", async () => {
    const { ask, calls } = nodeOf(1_000);
    const mostBlocks = Number.POSITIVE_INFINITY;
    const sample = await sampleEvents(ask, { first: 1, head: 1_000_000, topics: [TRANSFER, SWAP], mostBlocks });
    expect(sample).toEqual({
      ...{ ranges: 20, blocks: 2_000, eventsPerBlock: 3, error: 0, transferShare: 2 / 3 },
      ...{ eventsPerTransaction: 1.5, inputBytes: 150 },
    });
    expect(calls.length).toBe(40);
  });

  it("asks for halves where a node refuses, and comes to the same", async () => {
    const mostBlocks = Number.POSITIVE_INFINITY;
    const sampling = { first: 1, head: 1_000_000, topics: [TRANSFER, SWAP], mostBlocks };
    expect(await sampleEvents(nodeOf(7).ask, sampling)).toEqual(await sampleEvents(nodeOf(1_000).ask, sampling));
  });

  it("fails where a node refuses even one block", async () => {
    const sampling = { first: 1, head: 50, topics: [TRANSFER], mostBlocks: 10 };
    await expect(sampleEvents(nodeOf(0).ask, sampling)).rejects.toThrow("query exceeds max block range");
  });

  it("leaves out transfers of tokens that are not indexed where the chain file lists them", async () => {
    const sampling = { first: 1, head: 1_000_000, topics: [TRANSFER, SWAP], mostBlocks: 100 };
    const listed = new Set(["0x02"]);
    expect(await sampleEvents(nodeOf(100).ask, { ...sampling, transferring: listed })).toMatchObject({
      ...{ eventsPerBlock: 1, transferShare: 0 },
    });
    expect(await sampleEvents(nodeOf(100).ask, { ...sampling, transferring: listed.add("0x01") })).toMatchObject({
      ...{ eventsPerBlock: 3, transferShare: 2 / 3 },
    });
    const some = { abi: erc20Abi, address: [`0x${"AB".repeat(20)}`] };
    expect(transferringAmong([some])).toEqual(new Set([`0x${"ab".repeat(20)}`]));
    expect(transferringAmong([some, { abi: erc20Abi }])).toBeUndefined();
    expect(transferringAmong(await readSources("devnet"))).toBeUndefined();
  });

  it("spreads its ranges from the first block to the head, and takes a short chain whole", () => {
    const ranges = rangesOf({ first: 500, head: 1_000_000, topics: [], mostBlocks: 50 });
    expect(ranges.length).toBe(20);
    expect(ranges[0]).toEqual([500, 549]);
    expect(ranges.at(-1)).toEqual([999_951, 1_000_000]);
    const short = rangesOf({ first: 10, head: 259, topics: [], mostBlocks: 100 });
    expect(short).toEqual([
      [10, 109],
      [110, 209],
      [210, 259],
    ]);
  });
});

describe("the questions about a range of blocks", () => {
  it("are one for each factory, for what each announces, for each list of contracts, and for each event read chain-wide", async () => {
    const sources = await readSources("devnet");
    // 7 kinds of factory, of which one announces in two ways; see ponder.config.ts
    expect(questionsOf(sources)).toEqual({ factories: 8, chainWide: 1, lists: 15, announced: 8 });
    expect(perRange(questionsOf(sources))).toBe(32);
    expect(topicsOf(sources.map(({ abi }) => abi))).toContain(TRANSFER);
  });

  it("are those of the chain that is named, one after the other, and leave the environment alone", async () => {
    const before = { ...process.env };
    const berachain = questionsOf(await readSources("berachain"));
    expect(berachain).not.toEqual(questionsOf(await readSources("devnet")));
    expect(process.env).toEqual(before);
  });
});

describe("npm run plan", () => {
  const options = (...args: string[]) => readOptions(["--chain", "berachain", ...args])!;

  it("plans for a chain file without a node, and names every assumption", async () => {
    const text = planText(await makePlan(options("--head", "12000000")));
    expect(text).toContain("Plan for berachain: blocks 0 to 12,000,000");
    expect(text.match(/ASSUMED/g)?.length).toBe(5);
    expect(text).not.toContain("closed intervals");
    expect(text).not.toContain("NaN");
  });

  it("takes given figures in place of assumptions, and adds the lake where one is wanted", async () => {
    const given = options(
      "--head",
      "12000000",
      "--events",
      "100000000",
      "--tokens",
      "50000",
      "--log-range",
      "500",
      "--lake",
    );
    const { plan, ...shown } = await makePlan(given);
    expect(plan.load.transfers + plan.load.otherEvents).toBe(100_000_000);
    expect(plan.load.tokens).toBe(50_000);
    expect(plan.lake!.segments).toBeGreaterThan(10);
    expect(planText({ plan, ...shown }).match(/ASSUMED/g)?.length).toBe(2);
  });

  it("samples blocks that there are, for a head that lies beyond them", async () => {
    const text = await withNode(nodeOf(1_000).answer, async (url) =>
      planText(await makePlan(options("--sample", "--rpc-url", url, "--head", String(4 * HEAD)))),
    );
    expect(text).toContain("events: sampled, 3 a block");
    expect(text).toMatch(/blocks +4,000,001\n +events +12,000,003/);
  });

  it("says no error of a sample that is one range", async () => {
    const text = await withNode(nodeOf(1_000).answer, async (url) =>
      planText(await makePlan(options("--sample", "--rpc-url", url, "--head", "49"))),
    );
    expect(text).toContain("events: sampled, 3 a block in 1 ranges of blocks");
    expect(text).not.toContain("NaN");
  });

  it("refuses a node of another chain, also where the head is given", async () => {
    const answer = (method: string) => (method === "eth_chainId" ? "0x1" : "0x10");
    await withNode(answer, async (url) => {
      const planned = makePlan(options("--sample", "--rpc-url", url, "--head", "49"));
      await expect(planned).rejects.toThrow("the node serves chain 1, and berachain is 80094");
    });
  });

  it("names the node where it answers with something else than blocks", async () => {
    const { answer } = nodeOf(1_000);
    const lacking = (method: string, params: readonly unknown[]) =>
      method === "eth_getBlockByNumber" ? null : answer(method, params);
    await withNode(lacking, async (url) => {
      const planned = makePlan(options("--sample", "--rpc-url", url));
      await expect(planned).rejects.toThrow(RpcError);
      await expect(planned).rejects.toThrow(`${url} does not answer eth_getBlockByNumber`);
    });
  });

  it("counts with no more requests than Ponder makes to a node elsewhere", async () => {
    const given = ["--head", "12000000", "--rpc-rate", "2000", "--rpc-url"];
    const elsewhere = await makePlan(options(...given, "https://node.example/key"));
    const most = await makePlan(options("--head", "12000000", "--rpc-rate", "500"));
    expect(elsewhere.plan.hours).toEqual(most.plan.hours);
    expect(planText(elsewhere)).toContain("at 500 a second");
    expect(planText(elsewhere)).toContain("requests: 500 a second, as Ponder asks");
    expect((await makePlan(options(...given, "http://127.0.0.1:8545"))).rpcRate).toBe(2_000);
  });

  it.each([
    [[], "--chain is missing"],
    [["--chain", "berachain", "--sample", "--events", "5"], "give one of them"],
    [["--chain", "berachain", "--slow"], "Unknown option '--slow'"],
    [["--chain", "berachain", "--rpc-rate", "0"], "--rpc-rate 0: must be above zero"],
    [["--chain", "berachain", "--head", "-1e3"], "--head"],
    [["--chain", "berachain", "--head", "1e3"], "--head 1e3: must be a whole number in digits"],
    [["--chain", "berachain", "--cores", "0"], "--cores 0: must be above zero"],
    [["--chain", "berachain", "--log-range", "0"], "--log-range 0: must be above zero"],
    [["--chain", "berachain", "--rpc-url", "http://["], "--rpc-url: must be an http:// or https:// URL"],
    [["--chain", "berachain", "--rpc-url", "http://me:secret@node"], "--rpc-url: must not hold a user or password"],
    [["--chain", "berachain", "--rpc-url", "node:8545"], "must be an http:// or https:// URL"],
  ])("says which of %j is wrong", (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(message);
  });

  it("says what is missing where neither a head nor a node is given", async () => {
    const before = { ...process.env };
    try {
      for (const name of Object.keys(process.env)) if (name.startsWith("RPC_URL")) delete process.env[name];
      await expect(makePlan(options())).rejects.toThrow(UsageError);
      await expect(makePlan(options("--head", "9", "--sample"))).rejects.toThrow("--sample needs a node");
    } finally {
      Object.assign(process.env, before);
    }
  });

  it("has a run behind every figure", () => {
    const measured = readMeasured();
    const figures = Object.values(measured.figures).flatMap((group) => Object.values(group));
    for (const { run } of figures) expect(Object.keys(measured.runs)).toContain(run);
    expect(figures.length).toBeGreaterThan(30);
    const { closedInterval } = figuresOf(measured).lake;
    // a hundred million intervals in ten gigabytes
    expect(closedInterval).toBeLessThanOrEqual(100);
  });

  it("counts an address of a chain file once", () => {
    const address = `0x${"aB".repeat(20)}`;
    expect(addressesIn({ a: address, b: [{ c: address.toLowerCase() }], d: `0x${"11".repeat(20)}`, e: word })).toBe(2);
    expect(addressesIn(loadChain("berachain"))).toBeGreaterThan(40);
  });

  it("writes sizes and times as people read them", () => {
    expect([0, 999, 1_000, 1_234_567, 999e9, 2.5e15].map(bytesText)).toEqual([
      ...["0 B", "999 B", "1.0 kB", "1.2 MB", "999 GB", "2.5 PB"],
    ]);
    expect([0.001, 0.5, 3.21, 75, 2_400].map(hoursText)).toEqual([
      ...["1 min", "30 min", "3.2 h", "75 h (3.1 days)", "2,400 h (100.0 days)"],
    ]);
  });
});
