// Chains whose blooms do not say what their logs are, and nodes that leave logs out of a chain whose blooms do.
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSyntheticChain } from "../../../bench/ground/synthetic-chain.ts";
import { startSyntheticRpc } from "../../../bench/ground/synthetic-rpc.ts";
import { serveTransfers } from "../../../bench/ground/transfer-logs.ts";
import { type BloomCheck, createBlooms } from "../../../scripts/ponder/blooms.ts";
import { checkedFetch } from "../../../scripts/ponder/checked-fetch.ts";
import { hexBloom, logsOf, type MadeNode, makeNode, openChecked, quantity, word, ZERO_BLOOM } from "./made-node.ts";

afterEach(() => vi.useRealTimers());

const OTHER_BLOOM = /its bloom shows other logs/;
/** The bloom also has a log of the system that no request gives (zksync-era#4580). */
const systemBloom = (number: number) =>
  hexBloom([...logsOf(number), { address: `0x${"80".padStart(40, "0")}`, topics: [word(99)] }]);
/** The bloom lacks the last transaction's logs, which the node gives all the same. */
const shortBloom = (number: number) => hexBloom(logsOf(number).slice(0, 3));

const lossy: [string, MadeNode["keeps"]][] = [
  ["in the middle", (log) => Number(log.logIndex) !== 4],
  ["at the end", (log) => Number(log.logIndex) !== 8],
  ["of the last transaction", (log) => Number(log.transactionIndex) !== 2],
  ["in all places", () => false],
];

describe("a chain whose blooms contain more than its logs", () => {
  const learn = async (node: MadeNode) => {
    const ponder = openChecked(node);
    for (const number of [901, 902]) expect(await ponder.logsAt(number)).toMatch(OTHER_BLOOM);
    expect(await ponder.logsAt(903)).toBe(9);
    return ponder;
  };

  it.each([
    ["all receipts at once", {}],
    ["receipts one by one", { hasBlockReceipts: false }],
    ["receipts one by one and no batches", { hasBlockReceipts: false, takesBatches: false }],
  ])("is known by its third block where the node gives %s, and lags at none from there on", async (_, has) => {
    const ponder = await learn(makeNode({ bloomOf: systemBloom, ...has }));
    for (const number of [901, 902, 904, 905]) expect(await ponder.logsAt(number)).toBe(9);
    expect(ponder.said).toEqual([
      expect.stringMatching(/^by the receipts of those blocks, the bloom of block 901 shows more/),
    ]);
  });

  it.each(lossy)("is not believed when the node leaves logs out %s, before or after", async (_, keeps) => {
    const node = makeNode({ bloomOf: systemBloom, keeps });
    const early = openChecked(node);
    for (const number of [901, 902, 903, 904]) expect(await early.logsAt(number)).toMatch(/missing/);
    expect(early.blooms.areProof).toBe(true);
    node.keeps = () => true;
    const late = await learn(node);
    node.keeps = keeps;
    for (const number of [911, 912]) expect(await late.logsAt(number)).toMatch(/missing/);
  });

  it("is not learned from one block, however often it is asked for", async () => {
    const node = makeNode({
      bloomOf: (number) => (number === 901 ? systemBloom : (n: number) => hexBloom(logsOf(n)))(number),
    });
    const ponder = openChecked(node);
    for (let times = 0; times < 5; times++) expect(await ponder.logsAt(901)).toMatch(OTHER_BLOOM);
    expect(await ponder.logsAt(902)).toBe(9);
    expect(ponder.said).toEqual([]);
  });

  it("has empty blocks that Ponder would refuse for ever, and is given their blooms as zero", async () => {
    const node = makeNode({ bloomOf: systemBloom, logsOf: (number) => (number === 999 ? [] : logsOf(number)) });
    const ponder = await learn(node);
    expect(await ponder.logsAt(999)).toBe(0);
    for (const at of ["latest", quantity(999)]) {
      const { result } = await ponder.call("eth_getBlockByNumber", [at, true]);
      expect(result).toMatchObject({ logsBloom: ZERO_BLOOM, transactions: [{}, {}, {}] });
    }
    const old = await ponder.call("eth_getBlockByNumber", [quantity(3), true]);
    expect(old.result).toMatchObject({ logsBloom: systemBloom(3) });
  });

  it("shows a lone block with a wrong bloom after half a minute, to Ponder too", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const isOdd = (number: number) => number === 999;
    const node = makeNode({
      bloomOf: (number) => (isOdd(number) ? systemBloom(number) : hexBloom(logsOf(number))),
      logsOf: (number) => (isOdd(number) ? [] : logsOf(number)),
    });
    const ponder = openChecked(node);
    expect(await ponder.logsAt(999)).toMatch(OTHER_BLOOM);
    vi.advanceTimersByTime(31_000);
    expect(await ponder.logsAt(999)).toBe(0);
    await ponder.call("eth_getBlockByNumber", ["latest", true]);
    expect((await ponder.call("eth_getBlockByNumber", [quantity(999), true])).result).toMatchObject({
      logsBloom: ZERO_BLOOM,
    });
    expect(await ponder.logsAt(998)).toBe(9);
  });
});

describe.each([
  ["zero", () => ZERO_BLOOM],
  ["too few", shortBloom],
])("a chain whose blooms have %s bits", (_, bloomOf) => {
  it("lags at no block, and is known by its third", async () => {
    const ponder = openChecked(makeNode({ bloomOf }));
    for (const number of [901, 902, 903, 904]) expect(await ponder.logsAt(number)).toBe(9);
    expect(ponder.said).toEqual([expect.stringMatching(/lacks logs that the block has/)]);
  });

  it.each(lossy)("and whose node leaves logs out %s is not believed once it is known", async (_where, keeps) => {
    const node = makeNode({ bloomOf });
    const ponder = openChecked(node);
    for (const number of [901, 902, 903]) await ponder.logsAt(number);
    node.keeps = keeps;
    expect(await ponder.logsAt(910)).toMatch(/missing/);
  });
});

describe("a chain whose blooms are right", () => {
  it.each(lossy)("keeps them as proof whatever a node leaves out %s", async (_, keeps) => {
    const node = makeNode({ keeps });
    const ponder = openChecked(node);
    for (let number = 901; number < 910; number++) expect(await ponder.logsAt(number)).toMatch(/missing/);
    expect([ponder.blooms.areProof, ponder.said]).toEqual([true, []]);
  });

  it("keeps them as proof where receipts leave the same logs out, until the setting says otherwise", async () => {
    const few = (number: number) => logsOf(number).slice(0, 3);
    const node = makeNode({ logsOf: few, bloomOf: (number) => hexBloom(logsOf(number)) });
    const always = openChecked(node, "always");
    for (let number = 901; number < 910; number++) expect(await always.logsAt(number)).toMatch(OTHER_BLOOM);
    expect(always.said).toEqual([]);
    const never = openChecked(node, "never");
    expect(await never.logsAt(901)).toBe(3);
    expect(never.said).toEqual(["CHECK_BLOOMS is never"]);
  });

  it("costs two calls a new block, besides those that Ponder itself makes", async () => {
    const node = makeNode();
    const ponder = openChecked(node);
    for (node.head = 1_001; node.head <= 1_010; node.head++) {
      await ponder.call("eth_getBlockByNumber", ["latest", true]);
      await ponder.logsAt(node.head);
    }
    const count = (method: string) => node.calls.filter((one) => one === method).length;
    expect([count("eth_getLogs"), count("eth_getTransactionReceipt"), node.calls.length]).toEqual([10, 10, 30]);
  });

  it("is asked for its head once while a backfill is far below it, however many ask at once", async () => {
    const node = makeNode({ head: 100_000 });
    const ponder = openChecked(node);
    const range = { fromBlock: quantity(1), toBlock: quantity(9) };
    await Promise.all([1, 2, 3].map((topic) => ponder.call("eth_getLogs", [{ ...range, topics: [word(topic)] }])));
    for (let from = 0; from < 90_000; from += 10_000)
      await ponder.call("eth_getLogs", [{ fromBlock: quantity(from), toBlock: quantity(from + 9) }]);
    expect(node.calls.filter((method) => method !== "eth_getLogs")).toEqual(["eth_blockNumber"]);
  });

  it("is read in a tenth of the requests near its head where the node takes batches", async () => {
    const range = { fromBlock: quantity(901), toBlock: quantity(1_000) };
    const requestsOf = async (takesBatches: boolean) => {
      const node = makeNode({ takesBatches });
      const { result } = await openChecked(node).call("eth_getLogs", [range]);
      expect(result).toHaveLength(900);
      return [node.calls.length, node.requests];
    };
    // 1 head and 1 question; 100 headers and receipts; 13 questions for 8 blocks each
    expect(await requestsOf(false)).toEqual([215, 216]);
    const [calls, requests] = await requestsOf(true);
    expect(calls).toBe(215);
    expect(requests).toBeLessThan(50);
  });
});

it("the made-up chain of the benchmarks has blooms that are right, so that nothing of it is refused", async () => {
  const shape = {
    events: 3_000,
    transfersPerBlock: 50,
    emptyBlocks: 30,
    transfersPerLiveBlock: 0,
    tokens: 20,
    accounts: 500,
  };
  const chain = createSyntheticChain(shape);
  const rpc = await startSyntheticRpc({ chain: serveTransfers(chain), chainId: 31_337, port: 0 });
  try {
    const said: string[] = [];
    const blooms = createBlooms("learn" satisfies BloomCheck, ({ reason }) => said.push(reason));
    const fetchIt = checkedFetch(fetch, { nodeUrl: rpc.url, blooms, warn: (line) => said.push(line) });
    const filter = { fromBlock: "0x0", toBlock: quantity(chain.baseHead) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] });
    const answer = (await (await fetchIt(rpc.url, { method: "POST", body })).json()) as { result: unknown[] };
    expect(answer.result).toHaveLength(3_000);
    expect(said).toEqual([]);
  } finally {
    await rpc.stop();
  }
});
