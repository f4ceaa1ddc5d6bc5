// What must hold of every plan, whatever was measured; and one plan worked out by hand.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Figures } from "../../core/sizing/figures.ts";
import { eventsOf, loadOf } from "../../core/sizing/load.ts";
import { type PlanRequest, planOf, RateTooLowError } from "../../core/sizing/plan.ts";
import { liveRequestsPerDay, rangesOver } from "../../core/sizing/requests.ts";
import { lakeSize } from "../../core/sizing/storage.ts";

const figure = (max: number) => fc.double({ min: 1e-6, max, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });

const figuresArbitrary: fc.Arbitrary<Figures> = fc.record({
  postgres: fc.record({
    ...{ rawBlock: figure(2e3), rawTransaction: figure(2e3), rawInputByte: figure(3), rawEvent: figure(2e3) },
    ...{ factBlock: figure(1e3), factTransfer: figure(1e3), factOther: figure(1e3) },
    ...{ foldTransfer: figure(2e3), foldOther: figure(2e3) },
  }),
  lake: fc.record({
    ...{ block: figure(200), transfer: figure(200), other: figure(200) },
    ...{ closedInterval: figure(200), openInterval: figure(200) },
  }),
  cpu: fc.record({
    ...{ ponderBlock: figure(0.01), ponderEvent: figure(0.01) },
    ...{ databaseBlock: figure(0.01), databaseEvent: figure(0.01), foldEvent: figure(0.01) },
  }),
  requests: fc.record({
    ...{ rangeSeconds: fc.double({ min: 0.5, max: 20, noNaN: true }), rateUsed: fc.constant(0.9) },
    ...{ perBlock: fc.double({ min: 0.9, max: 3, noNaN: true }), headPerLogs: share, idlePerSecond: figure(4) },
    ...{ callsPerToken: share, callsPerSetting: figure(10), startPerAddress: figure(10) },
    ...{ nearHead: figure(500), livePerBlock: figure(10), perPoll: figure(2) },
  }),
  memory: fc.record({ ponder: figure(1e9), fold: figure(1e9), gateway: figure(1e9), database: figure(1e9) }),
  world: fc.record({
    ...{ eventsPerBlock: figure(100), transferShare: share, inputBytes: figure(1e3) },
    eventsPerTransaction: fc.double({ min: 1, max: 10, noNaN: true }),
    ...{ tokensPerTransfer: share, settingsPerEvent: share },
    ...{ closedPerTransfer: fc.double({ min: 0, max: 2, noNaN: true }), openPerTransfer: share },
  }),
});

interface Question {
  figures: Figures;
  blocks: number;
  events: number;
  rpcRate: number;
  cores: number;
}

const questions: fc.Arbitrary<Question> = fc.record({
  figures: figuresArbitrary,
  blocks: fc.integer({ min: 1, max: 100_000_000 }),
  events: fc.integer({ min: 0, max: 2_000_000_000 }),
  rpcRate: fc.integer({ min: 10, max: 5_000 }),
  cores: fc.integer({ min: 1, max: 64 }),
});

const requestOf = (question: Question, other: Partial<PlanRequest> = {}): PlanRequest => ({
  load: loadOf(question, question.figures.world),
  queries: { perRange: 30, mostBlocks: Number.POSITIVE_INFINITY },
  addresses: 40,
  rpcRate: question.rpcRate,
  cores: question.cores,
  segmentTransfers: 1_000_000,
  ...other,
});

const planned = (question: Question, other: Partial<PlanRequest> = {}) =>
  planOf(requestOf(question, other), question.figures);

describe("a plan", () => {
  it("never needs less of anything for more blocks or more events", () => {
    fc.assert(
      fc.property(questions, fc.nat(1_000_000), fc.nat(10_000_000), (question, blocks, events) => {
        const [less, more] = [
          planned(question),
          planned({ ...question, blocks: question.blocks + blocks, events: question.events + events }),
        ];
        const figuresOf = ({ requests, hours, postgres, lake }: typeof less) => [
          ...[requests.total, hours.rpc, hours.cpu, hours.backfill],
          ...[postgres.raw, postgres.facts, postgres.fold, postgres.total],
          ...[lake!.facts, lake!.closed],
        ];
        for (const [i, figure] of figuresOf(less).entries())
          expect(figuresOf(more)[i]).toBeGreaterThanOrEqual(figure * (1 - 1e-9));
      }),
    );
  });

  it("never takes longer at a node that grants more, nor on more cores", () => {
    fc.assert(
      fc.property(questions, fc.integer({ min: 1, max: 1_000 }), fc.nat(8), (question, rate, cores) => {
        const slow = planned(question);
        const fast = planned({ ...question, rpcRate: question.rpcRate + rate, cores: question.cores + cores });
        expect(fast.hours.rpc).toBeLessThanOrEqual(slow.hours.rpc * (1 + 1e-9));
        expect(fast.hours.cpu).toBeLessThanOrEqual(slow.hours.cpu * (1 + 1e-9));
      }),
    );
  });

  it("lasts as long as what takes longer, and says which that is", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const { rpc, cpu, backfill, boundBy } = planned(question).hours;
        expect(backfill).toBe(boundBy === "requests" ? rpc : cpu);
        expect(backfill).toBeGreaterThanOrEqual(Math.max(rpc, cpu));
      }),
    );
  });

  it("has the parts of its sums: requests by method, bytes by schema, events by kind", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const { requests, postgres, lake, load } = planned(question);
        expect(requests.byMethod.reduce((sum, { count }) => sum + count, 0)).toBe(requests.total);
        expect(postgres.raw + postgres.facts + postgres.fold).toBeCloseTo(postgres.total, 0);
        expect(lake!.facts + lake!.closed + lake!.open).toBeCloseTo(lake!.total, 0);
        expect(eventsOf(load)).toBeCloseTo(question.events, 3);
      }),
    );
  });

  it("asks each block and each range of blocks once, where the node gives it whole", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 26, max: 100_000 }), (blocks, longest) => {
        const ranges = rangesOver(blocks, longest);
        const covered = ranges.reduce((sum, range) => sum + range.blocks * range.count, 0);
        expect(covered).toBeGreaterThanOrEqual(blocks);
        // the last range alone may reach beyond the chain's end
        expect(covered - blocks).toBeLessThan(longest);
      }),
    );
  });

  it("refuses a rate that polling alone uses up", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const rpcRate = question.figures.requests.idlePerSecond / 2;
        expect(() => planned(question, { rpcRate })).toThrow(RateTooLowError);
      }),
    );
  });
});

describe("the lake's open intervals", () => {
  it("are at most as many as transfers, and what both ends of a segment have in common", () => {
    fc.assert(
      fc.property(questions, fc.integer({ min: 1_000, max: 10_000_000 }), (question, segmentTransfers) => {
        const load = loadOf(question, question.figures.world);
        const { openPerTransfer } = question.figures.world;
        const { openRows } = lakeSize(load, question.figures, segmentTransfers);
        expect(openRows).toBeLessThanOrEqual(load.transfers * (1 + 2 * openPerTransfer) + 1);
      }),
    );
  });
});

describe("a plan worked out by hand", () => {
  const figures: Figures = {
    postgres: {
      ...{ rawBlock: 1_000, rawTransaction: 500, rawInputByte: 2, rawEvent: 600 },
      ...{ factBlock: 100, factTransfer: 200, factOther: 300, foldTransfer: 400, foldOther: 700 },
    },
    lake: { block: 40, transfer: 50, other: 60, closedInterval: 70, openInterval: 80 },
    cpu: { ponderBlock: 0.001, ponderEvent: 0.0002, databaseBlock: 0.0005, databaseEvent: 0.0001, foldEvent: 0.00005 },
    requests: {
      ...{ rangeSeconds: 5, perBlock: 1, headPerLogs: 1, rateUsed: 1, idlePerSecond: 4 },
      ...{ callsPerToken: 0.1, callsPerSetting: 4, startPerAddress: 10, nearHead: 400, livePerBlock: 5, perPoll: 1 },
    },
    memory: { ponder: 6e8, fold: 2e8, gateway: 3e8, database: 9e8 },
    world: {
      ...{ eventsPerBlock: 10, transferShare: 0.8, eventsPerTransaction: 2, inputBytes: 100 },
      ...{ tokensPerTransfer: 0.001, settingsPerEvent: 0.01, closedPerTransfer: 1.5, openPerTransfer: 0.25 },
    },
  };
  const load = loadOf({ blocks: 1_000_000 }, figures.world);
  const plan = planOf(
    { load, queries: { perRange: 30, mostBlocks: 100 }, addresses: 50, rpcRate: 104, cores: 2, segmentTransfers: 1e6 },
    figures,
  );

  it("counts requests", () => {
    // 104 - 4 polls - 60 / 5 s of logs leave 88 blocks a second, in ranges of 440: after 26, 39, 59, 89, 134, 201, 302 blocks
    expect(plan.requests.rangeBlocks).toBe(440);
    // 2,270 ranges of 5 times 100 blocks at most, and (1+1+1+1+2+3+4) before them, 30 questions each
    const logs = 30 * (13 + 5 * Math.ceil((1_000_000 - 850) / 440));
    expect(Object.fromEntries(plan.requests.byMethod.map(({ why, count }) => [why.slice(0, 12), count]))).toEqual({
      "every block,": 1_000_000,
      "30 for a ran": logs,
      "with each et": logs,
      "names, symbo": 800,
      "settings of ": 80_000,
      "logs of the ": 400,
      "a start, whi": 500,
    });
    expect(plan.hours.rpc).toBeCloseTo((1_000_000 + 2 * logs + 81_700) / 100 / 3600, 6);
    // a block every two seconds, a poll every second: 5 / 2 + 4 + 1 a second
    expect(liveRequestsPerDay(figures.requests, { blockSeconds: 2, pollingIntervalMs: 1_000 })).toBe(648_000);
  });

  it("sums up processor time: Ponder on one core, all of it on two", () => {
    // Ponder 1,000 + 2,000 s; PostgreSQL 500 + 1,000; the fold 500: 5,000 s on two cores are fewer than Ponder's 3,000
    expect(plan.hours.cpu * 3600).toBeCloseTo(3_000, 6);
    expect(plan.hours.boundBy).toBe("requests");
  });

  it("sums up bytes and memory", () => {
    expect(plan.postgres).toEqual({
      raw: 1e9 + 5e6 * 700 + 1e7 * 600,
      facts: 1e8 + 8e6 * 200 + 2e6 * 300,
      fold: 8e6 * 400 + 2e6 * 700,
      total: 10.5e9 + 2.3e9 + 4.6e9,
    });
    // segments end after 1, 2, … 4 million transfers, then when as many have passed as a quarter of all before: 5, 6.25, 7.8125, 8
    const openRows = 0.25 * (1 + 2 + 3 + 4 + 5 + 6.25 + 7.8125 + 8) * 1e6;
    expect(plan.lake).toEqual({
      facts: 4e7 + 8e6 * 50 + 2e6 * 60,
      closed: 8e6 * 1.5 * 70,
      open: openRows * 80,
      openRows,
      segments: 8,
      total: 5.6e8 + 8.4e8 + openRows * 80,
    });
    expect(plan.memory.total).toBe(2e9);
  });
});
