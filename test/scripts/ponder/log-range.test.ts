// Imitates how providers refuse ranges of eth_getLogs, in the words of the issues that are named; Ponder's own reading of
// them is the real one.
import { describe, expect, it } from "vitest";
import { createLogRanges } from "../../../scripts/ponder/log-range.ts";
import { makeNode, openChecked, quantity } from "./made-node.ts";

const rangeOf = (from: number, to: number) => ({ fromBlock: quantity(from), toBlock: quantity(to) });
const answerOf = (code: number, message: string, status = 200) => ({
  status,
  headers: new Headers(),
  text: JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message } }),
});

describe("a range of 5,000 blocks that is refused", () => {
  const judge = (code: number, message: string) => createLogRanges().judge(rangeOf(1, 5_000), answerOf(code, message));

  it.each([
    [
      "Alchemy (boundless#838)",
      -32600,
      "You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x1, 0x1f4]",
    ],
    ["Infura", -32005, "query returned more than 10000 results. Try with this block range [0x1, 0x7d0]."],
    ["QuickNode", -32614, "eth_getLogs is limited to a 1,000 range"],
    ["Ankr (ydata#69)", -32600, "block range is too wide"],
    ["Ankr (ponder#1940)", -32602, "maximum [from, to] blocks distance: 1000"],
    ["geth (alpha-wallet-android#2736)", -32000, "exceed maximum block range: 1000"],
    ["dRPC", 35, "ranges over 1000 blocks are not supported on freetier"],
  ])("is Ponder's own to read in the words of %s", (_, code, message) => {
    expect(judge(code, message)).toBeUndefined();
  });

  it.each([
    ["Infura (INFURA#237)", -32602, "range 5000 exceeds limit of 1000"],
    [
      "Morph (hyperindex#605)",
      -32000,
      "block range is larger than max block range, block range = 5000, max block range = 1000",
    ],
    ["Candle (alpha-wallet-ios#5277)", -32600, "block range too high"],
    ["Nodies (MASQ#734)", -32001, "Block range too large: maximum allowed is 1000 blocks"],
    ["Alchemy (bancor#523)", -32000, "Log response size exceeded. Please reduce query block range."],
    ["Infura, of a query that takes long", -32005, "query timeout exceeded"],
    [
      "Alchemy, where one block has enough",
      -32602,
      "Log response size exceeded. Based on your parameters, this block range should work: [0x1, 0x1]",
    ],
  ])("is halved in the words of %s, which Ponder does not know or takes for no block at all", (_, code, message) => {
    expect(judge(code, message)).toBe("halve");
  });

  it.each([
    ["too often", 429, "Your app has exceeded its compute units per second capacity."],
    ["something else", -32000, "header not found"],
  ])("for %s stays as it is", (_, code, message) => {
    expect(judge(code, message)).toBeUndefined();
  });

  it("without a reason is taken for too much the third time (bsc#1215)", () => {
    const ranges = createLogRanges();
    const refused = answerOf(-32005, "limit exceeded", 429);
    const judgements = Array.from({ length: 3 }, () => ranges.judge(rangeOf(1, 5_000), refused));
    expect(judgements).toEqual([undefined, undefined, "halve"]);
    expect(ranges.judge(rangeOf(5_001, 10_000), refused)).toBeUndefined();
  });
});

describe("two blocks that are too much at once", () => {
  const strict = (most: number) => {
    const node = makeNode({ head: 100_000 });
    const plain = node.fetch;
    node.fetch = async (input, init) => {
      const request = new Request(input, init);
      const { method, params } = (await request.clone().json()) as {
        method: string;
        params: { fromBlock: string; toBlock: string }[];
      };
      const blocks = Number(params?.[0]?.toBlock) - Number(params?.[0]?.fromBlock) + 1;
      if (method !== "eth_getLogs" || blocks <= most) return plain(request);
      return Response.json({
        jsonrpc: "2.0",
        id: 4,
        error: { code: -32005, message: "query returned more than 10 results" },
      });
    };
    return openChecked(Object.assign(node, { takesBatches: false }));
  };

  it("are asked for one by one, and come whole", async () => {
    const { result } = await strict(1).call("eth_getLogs", [rangeOf(1, 2)]);
    expect(result).toHaveLength(18);
  });

  it("are refused in words that do not make Ponder ask for none at a time where each is too much", async () => {
    const { error } = await strict(0).call("eth_getLogs", [rangeOf(1, 2)]);
    expect(error?.message).toBe("the node refuses the logs of blocks 1 and 2");
  });

  it("are no matter of three, whose half is one", async () => {
    const { error } = await strict(1).call("eth_getLogs", [rangeOf(1, 3)]);
    expect(error?.message).toMatch(/more than 10 results/);
  });
});
