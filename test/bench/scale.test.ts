// Imitates a node of two methods (eth_blockNumber and eth_getLogs, ethereum.github.io/execution-apis) behind the one that counts.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type BackfillRun, slopes } from "../../bench/scale/backfill.ts";
import { countOf, KINDS, startCountingNode, sumOf } from "../../bench/scale/counting-node.ts";

describe("what one more block and one more transfer cost", () => {
  const runOf = (blocks: number, transfers: number): BackfillRun =>
    ({ blocks, transfers }) as Partial<BackfillRun> as BackfillRun;

  it("is found whatever a start costs", () => {
    const cost = fc.double({ min: 0, max: 10, noNaN: true });
    fc.assert(
      fc.property(cost, cost, fc.double({ min: 0, max: 1_000, noNaN: true }), (block, transfer, start) => {
        const runs = { few: runOf(2_031, 100_000), empty: runOf(22_001, 100_000), many: runOf(20_031, 1_000_000) };
        const of = ({ blocks, transfers }: BackfillRun) => start + blocks * block + transfers * transfer;
        expect(slopes(runs, of).perBlock).toBeCloseTo(block, 4);
        expect(slopes(runs, of).perTransfer).toBeCloseTo(transfer, 4);
      }),
    );
  });

  it("is refused where the runs have one shape", () => {
    const one = runOf(10, 10);
    expect(() => slopes({ few: one, empty: one, many: one }, () => 1)).toThrow("give them other shapes");
  });
});

describe("the node that counts", () => {
  const node = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json").end('{"jsonrpc":"2.0","id":1,"result":"0x7"}');
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    node.close();
    node.closeAllConnections();
  });

  const BODY = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const send = (to: string, method: string, params: unknown[] = []) =>
    fetch(to, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });

  it("passes everything on, and counts requests by what they are for", async () => {
    const counting = await startCountingNode(url);
    try {
      const range = { fromBlock: "0x1", toBlock: "0xa", topics: [] };
      const answer = await send(counting.url, "eth_blockNumber");
      expect(await answer.json()).toMatchObject({ result: "0x7" });
      await send(counting.url, "eth_getLogs", [range]);
      await send(counting.url, "eth_getLogs", [{ ...range, topics: ["0x01"] }]);
      await send(counting.url, "eth_getLogs", [{ blockHash: "0x02" }]);
      await send(counting.url, "eth_getBlockByNumber", ["latest", true]);
      await send(counting.url, "eth_getBlockByNumber", ["0x3", true]);
      await send(counting.url, "eth_getBlockByNumber", ["0x3", false]);
      await send(counting.url, "eth_call", [{ data: "0x" }, "latest"]);
      await send(counting.url, "eth_call", [{ to: "0x01", data: "0x" }, { blockHash: "0x02" }]);
      const counts = counting.take();
      expect(Object.values(KINDS).map((kind) => [kind, countOf(counts, kind)])).toEqual([
        ...[[KINDS.poll, 1] as const, [KINDS.block, 1] as const, [KINDS.logs, 2] as const, [KINDS.head, 1] as const],
        ...[[KINDS.tokens, 1] as const, [KINDS.settings, 1] as const],
      ]);
      expect(sumOf(counts)).toBe(9);
      expect([...counts.ranges]).toEqual([["1-10", 2]]);
      // what was taken is not counted again
      expect(sumOf(counting.take())).toBe(0);
    } finally {
      await counting.stop();
    }
  });

  it("counts a request once whose sender gave up and sent it again", async () => {
    const waiting: (() => void)[] = [];
    const slow = createServer((request, response) => {
      request.resume();
      waiting.push(() => response.setHeader("content-type", "application/json").end("{}"));
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const counting = await startCountingNode(`http://127.0.0.1:${(slow.address() as AddressInfo).port}`);
    try {
      const givenUp = new AbortController();
      const first = fetch(counting.url, { method: "POST", body: BODY, signal: givenUp.signal });
      await vi.waitFor(() => expect(waiting).toHaveLength(1), 60_000);
      givenUp.abort();
      await expect(first).rejects.toThrow();
      const second = fetch(counting.url, { method: "POST", body: BODY });
      await vi.waitFor(() => expect(waiting).toHaveLength(2), 60_000);
      for (const answer of waiting) answer();
      expect((await second).status).toBe(200);
      expect([...counting.take().byKind]).toEqual([[KINDS.head, 1]]);
    } finally {
      await counting.stop();
      slow.close();
      slow.closeAllConnections();
    }
  });

  it("refuses what is above its rate, and counts it only as refused", async () => {
    const counting = await startCountingNode(url, { perSecond: 5 });
    const since = performance.now();
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(counting.url, "eth_blockNumber")));
      const seconds = (performance.now() - since) / 1_000;
      const refused = answers.filter(({ status }) => status === 429).length;
      const counts = counting.take();
      expect(counts.refused).toBe(refused);
      expect(sumOf(counts)).toBe(20 - refused);
      expect(refused).toBeLessThanOrEqual(15);
      // it grants more while a busy machine sends them
      expect(20 - refused).toBeLessThanOrEqual(5 + Math.ceil(5 * seconds));
    } finally {
      await counting.stop();
    }
  });
});
