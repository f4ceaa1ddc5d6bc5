// Blocks told without a transaction: answers come from what is kept of them, and what was assumed is looked at again before
// more is read.

import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainFile } from "../../chains/chain-file.ts";
import { withOwnSnapshot } from "../../gateway/aggregator/own-snapshot.ts";
import type { Service } from "../../gateway/context.ts";
import { type Database, openDatabase } from "../../gateway/ledger/database.ts";
import { keepAnswers } from "../../gateway/ledger/kept-answers.ts";
import { LiveSchemaCache } from "../../gateway/ledger/live-schemas.ts";
import { look } from "../../gateway/ledger/look.ts";
import { pointOf } from "../../gateway/ledger/recall-point.ts";
import type { Snapshot } from "../../gateway/ledger/snapshot.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf } from "../support/index-fixture.ts";
import { PLAIN, smallIndex, YOUNG } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let own: Database;
/** Transactions begun, and the looks without one. */
let transactions = 0;
let looks = 0;
/** When set, looks are told this instead of the truth. */
let stale: object[] | undefined;
let last: object[] = [];
let app: ReturnType<typeof createApp>;
let parts: { service: Service; chain: ChainFile };

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  own = openDatabase(database.url);
  const watched: Database = {
    ...own,
    connect: (refused) => {
      transactions += 1;
      return own.connect(refused);
    },
    async glance<T extends object>(text: string, parameters: readonly string[]) {
      looks += 1;
      if (stale && parameters.length === 0) return stale as T[];
      const rows = (await own.glance?.<T>(text, parameters)) ?? [];
      if (parameters.length === 0) last = rows;
      return rows;
    },
  };
  const chain = chainFixture({ chainId: 31337, startBlock: 100 });
  const service = openService({ chains: [chain], database: watched });
  parts = { service, chain };
  app = createApp(service, pino({ level: "silent" }));
});
afterAll(async () => {
  await own.close();
  await database.stop();
});

async function prices(block: string, tokens: string) {
  const [begun, looked] = [transactions, looks];
  const response = await app.request(`/tokens?addresses=${tokens}&blockNumber=${block}`);
  return {
    ...{ status: response.status, body: await response.text(), block: response.headers.get("x-block-number") },
    ...{ transactions: transactions - begun, looks: looks - looked },
  };
}

describe("a block that was asked about before", () => {
  it("is answered with one look and no transaction, byte for byte as before", async () => {
    const first = await prices("99999999999", PLAIN);
    expect(first.status).toBe(200);
    expect(first.transactions).toBeGreaterThan(0);
    await prices("99999999999", PLAIN);
    const again = await prices("99999999999", PLAIN);
    expect(again).toEqual({ ...first, transactions: 0, looks: 1 });
  });

  it("is told anew when it was replaced", async () => {
    const [{ head }] = (await database.sql.unsafe(
      `select max(number) as head from ${smallIndex.ponderSchema}.block`,
    )) as unknown as [{ head: number }];
    await database.sql.unsafe(
      `update ${smallIndex.ponderSchema}.block set hash = '${hashOf(head, 7)}' where number = ${head}`,
    );
    expect((await prices("99999999999", PLAIN)).transactions).toBeGreaterThan(0);
  });

  it("is looked at again before more is read: what a look said wrongly is no part of the answer", async () => {
    await prices("99999999999", PLAIN);
    await prices("99999999999", PLAIN);
    const truth = await prices("99999999999", YOUNG);
    const [seen] = last as [{ watermark: number }];
    stale = [{ ...seen, watermark: seen.watermark - 1 }];
    const despite = await prices("99999999999", `${YOUNG},${PLAIN}`);
    stale = undefined;
    expect(despite.status).toBe(200);
    expect(despite.transactions).toBeGreaterThan(0);
    expect(despite.body).toBe((await prices("99999999999", `${YOUNG},${PLAIN}`)).body);
    expect(JSON.parse(despite.body)).toEqual(expect.arrayContaining(JSON.parse(truth.body) as unknown[]));
  });

  it("is not told so outside a request: there nobody would ask again", async () => {
    const { service, chain } = parts;
    const [begun, looked] = [transactions, looks];
    await withOwnSnapshot(parts, (context) => pointOf({ ...context, service, chain }, { kind: "latest" }));
    expect([transactions - begun, looks - looked]).toEqual([1, 0]);
  });

  it("shares one look among requests that come while another is under way", async () => {
    await prices("99999999999", PLAIN);
    const looked = looks;
    const answers = await Promise.all(Array.from({ length: 20 }, () => prices("99999999999", PLAIN)));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(looks - looked).toBeLessThanOrEqual(3);
  });
});

describe("a look that lasts", () => {
  it("serves everybody who comes soon after, until somebody has seen more or it is too old", async () => {
    const { database: counted, chains } = parts.service;
    const { chainId } = chains[0];
    const lasting = (looksLastMs: number) => {
      const live = new LiveSchemaCache(counted, { looksLastMs });
      const count = async (times: number) => {
        const before = looks;
        for (let i = 0; i < times; i++) expect(await look({ database: counted, live, chainId })).toBeDefined();
        return looks - before;
      };
      return { live, count };
    };
    const { live, count } = lasting(600_000);
    expect(await count(3)).toBe(1);
    const seen = live.lastStanding(chainId);
    if (!seen) throw new Error("nothing was seen");
    live.noteStanding(chainId, { ...seen, lastSynced: (seen.lastSynced ?? 0) + 1 });
    expect(await count(3)).toBe(1);
    expect(await lasting(0).count(3)).toBe(3);
  });
});

describe("kept answers", () => {
  const point = { block: 5, hash: "0x5", timestamp: 1, lastSynced: 5, watermark: 5 };
  const request = (isOpen: boolean) => ({ index: "i", isOpen }) as unknown as Snapshot;
  const gate = () => {
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };

  it("are worked out once for all who ask at the same time", async () => {
    const kept = keepAnswers<string>({ most: 10, weigh: () => 1 });
    const { open, opened } = gate();
    let works = 0;
    const ask = () =>
      kept.of({ snapshot: request(true), point, about: "a" }, async () => {
        works += 1;
        await opened;
        return "answer";
      });
    const all = [ask(), ask(), ask()];
    open();
    expect(await Promise.all(all)).toEqual(["answer", "answer", "answer"]);
    expect(works).toBe(1);
  });

  it("are worked out by the next one when the first one fails", async () => {
    const kept = keepAnswers<string>({ most: 10, weigh: () => 1 });
    const place = { snapshot: request(true), point, about: "a" };
    const first = kept.of(place, () => Promise.reject(new Error("its client has gone")));
    const second = kept.of(place, async () => "answer");
    await expect(first).rejects.toThrow("gone");
    expect(await second).toBe("answer");
  });

  it("are not waited for with a connection in hand when who works them out has none yet", async () => {
    const kept = keepAnswers<string>({ most: 10, weigh: () => 1 });
    const { open, opened } = gate();
    const waiting = kept.of({ snapshot: request(false), point, about: "a" }, async () => {
      await opened;
      return "answer";
    });
    expect(await kept.of({ snapshot: request(true), point, about: "a" }, async () => "answer")).toBe("answer");
    open();
    expect(await waiting).toBe("answer");
  });

  it("are no more than so many, however little they weigh", () => {
    const kept = keepAnswers<string>({ most: 1_000, mostAnswers: 2, weigh: () => 1 });
    const at = (about: string) => ({ index: "i", point, about });
    for (const about of ["a", "b", "c"]) kept.keep(at(about), about);
    expect(["a", "b", "c"].map((about) => kept.known(at(about)))).toEqual([undefined, "b", "c"]);
  });

  it("make room for newer ones, those asked for longest ago first", async () => {
    const kept = keepAnswers<string>({ most: 2, weigh: () => 1 });
    const at = (about: string) => ({ index: "i", point, about });
    for (const about of ["a", "b"]) kept.keep(at(about), about);
    kept.known(at("a"));
    kept.keep(at("c"), "c");
    expect(["a", "b", "c"].map((about) => kept.known(at(about)))).toEqual(["a", undefined, "c"]);
  });
});
