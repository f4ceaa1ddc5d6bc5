// A client that leaves takes its query with it: before the first byte, in the middle of an answer, compressed or not.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp, listen } from "../../gateway/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, type Index } from "../support/index-fixture.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [SLOW, WIDE] = [tokenOf(1), tokenOf(2)];
const HOLDERS = 20_000;
const mint = (token: string, i: number): Fact => ({
  kind: "transfer",
  block: 10 + Math.floor(i / 1_000),
  logIndex: i % 1_000,
  token,
  from: ZERO,
  to: accountOf(i + 1),
  amount: 10n ** 18n * BigInt(i + 1) + 123_456_789n,
});
const index: Index = {
  chainId: 31337,
  ponderSchema: "facts_leaving",
  foldSchema: "fold_leaving",
  firstBlock: 10,
  head: 100,
  finalized: 90,
  facts: [
    ...Array.from({ length: HOLDERS }, (_, i) => mint(WIDE, i)),
    ...Array.from({ length: 100 }, (_, i) => ({ ...mint(SLOW, i), block: 50 })),
  ],
  decimals: { [SLOW]: 18, [WIDE]: 18 },
};

let database: TestDatabase;
let gateway: TestGateway;
let server: Server;
let base: string;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  // Every holder of SLOW takes a tenth of a second to read: ten seconds for all of them.
  await database.sql.unsafe(`
    alter table fold_leaving.holding_current rename to current_rows;
    create view fold_leaving.holding_current as
      select r.* from fold_leaving.current_rows r
       where r.asset <> (select id from fold_leaving.asset where key = decode('${SLOW.slice(2)}', 'hex'))
          or pg_sleep(0.1) is not null`);
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 10 }));
  server = await listen(createApp(gateway.service, pino({ level: "silent" })), { host: "127.0.0.1", port: 0 });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await gateway.close();
  await database.stop();
});

async function count(condition: string): Promise<number> {
  const [row] = await database.sql.unsafe(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'tidemark-gateway' and ${condition}`,
  );
  return row?.n;
}
const sleeping = () => count("state = 'active' and wait_event = 'PgSleep'");
const running = () => count("(state = 'active' or xact_start is not null)");

async function settles(read: () => Promise<number>, expected: number): Promise<number> {
  for (let i = 0; i < 60 && (await read()) !== expected; i++) await new Promise((resolve) => setTimeout(resolve, 50));
  return read();
}

const questions: [string, string, RequestInit][] = [
  ["balances", `/balances/${SLOW}?blockNumber=90`, {}],
  ["an export", `/balances/${SLOW}?blockNumber=90&format=csv`, {}],
  ["a range", `/balances/${SLOW}/time-weighted?fromBlock=20&toBlock=90`, {}],
  ["balances at several blocks", `/balances/${SLOW}/at-blocks?blocks=60,90`, {}],
  ["a count", `/balances/${SLOW}/holders-count?blockNumber=90`, {}],
  [
    "GraphQL",
    "/graphql",
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: `{ balances(token: "${SLOW}", block: {number: 90}) { totalCount } }` }),
    },
  ],
];

describe("a client that leaves", () => {
  it.each(questions)("before the first byte of %s stops its query", async (_, path, init) => {
    const leaving = new AbortController();
    const answer = fetch(base + path, { ...init, signal: leaving.signal }).catch((error: Error) => error.name);
    expect(await settles(sleeping, 1)).toBe(1);
    leaving.abort();
    expect(await answer).toBe("AbortError");
    expect(await settles(running, 0)).toBe(0);
  });

  it.each(["identity", "gzip", "br"])("in the middle of an answer (%s) ends it", async (encoding) => {
    const blocks = Array.from({ length: 60 }, (_, i) => 30 + i).join(",");
    const questions = ["json", "csv"].flatMap((format) => [
      `/balances/${WIDE}?blockNumber=90&format=${format}`,
      `/balances/${WIDE}/at-blocks?blocks=${blocks}&format=${format}`,
    ]);
    for (const question of questions) {
      const leaving = new AbortController();
      const response = await fetch(base + question, {
        headers: { "accept-encoding": encoding },
        signal: leaving.signal,
      });
      expect(response.headers.get("content-encoding")).toBe(encoding === "identity" ? null : encoding);
      await response.body?.getReader().read();
      leaving.abort();
      expect(await settles(running, 0)).toBe(0);
    }
  });

  it("leaves everybody else's answers alone", async () => {
    const whole = await (await fetch(`${base}/balances/${WIDE}?blockNumber=90`)).text();
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        if (i % 3 > 0) {
          const response = await fetch(`${base}/balances/${WIDE}?blockNumber=90`);
          return (await response.text()) === whole ? response.status : -1;
        }
        const leaving = new AbortController();
        const left = fetch(`${base}/balances/${SLOW}?blockNumber=90`, { signal: leaving.signal }).catch(() => 0);
        setTimeout(() => leaving.abort(), 20 * i);
        return (await left) === 0 ? 0 : -1;
      }),
    );
    expect(statuses).toEqual(Array.from({ length: 30 }, (_, i) => (i % 3 > 0 ? 200 : 0)));
    expect(await settles(running, 0)).toBe(0);
  });
});

describe("compression", () => {
  it("streams the whole answer", async () => {
    const plain = await (
      await fetch(`${base}/balances/${WIDE}?blockNumber=90`, { headers: { "accept-encoding": "identity" } })
    ).text();
    const packed = await fetch(`${base}/balances/${WIDE}?blockNumber=90`, { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(await packed.text()).toBe(plain);
    expect(JSON.parse(plain).results).toHaveLength(HOLDERS);
  });
});
