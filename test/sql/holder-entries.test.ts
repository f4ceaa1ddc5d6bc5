// Lists of holders that the SQL process writes from the lake have the bytes that the gateway writes from PostgreSQL's rows.
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainPieces } from "../../gateway/balances/plain-entries.ts";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { holdersAt } from "../../gateway/history/holdings-at.ts";
import { openLastingService } from "../../gateway/service.ts";
import { HolderEntries } from "../../sql/holder-entries.ts";
import { javascriptNumber } from "../../sql/javascript-number.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, type Index } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const FIRST = 100;
const LAST = 160;
const CHANGES_PER_BLOCK = 40;
const HOLDERS = 400;
const LARGEST = 2n ** 256n - 1n;
const decimalsOf = new Map([0, 6, 18, 77].map((decimals, i) => [tokenOf(i + 1), decimals]));

/** The same ones every time. */
function* draws(): Generator<number, never> {
  for (let state = 88_172_645_463_325_252n; ; ) {
    state ^= (state << 13n) & 0xffffffffffffffffn;
    state ^= state >> 7n;
    state ^= (state << 17n) & 0xffffffffffffffffn;
    yield Number(state & 0xffffffffn);
  }
}

type Draw = (below: number) => number;

/** Few sizes: many are equal, some are dust, and some differ beyond a double's digits. */
function drawAmount(draw: Draw): bigint {
  const kind = draw(5);
  if (kind === 0) return BigInt(1 + draw(3));
  if (kind === 1) return 10n ** BigInt(draw(60));
  if (kind === 2) return 10n ** 18n + BigInt(draw(40));
  return BigInt(1 + draw(4_000_000_000)) ** BigInt(1 + draw(7));
}

type Move = Pick<Fact, "from" | "to" | "amount">;

/** Somebody gives some or all of what he has, or burns it; who has nothing has something minted. */
function drawMove(draw: Draw, held: ReadonlyMap<string, bigint>): Move {
  const from = accountOf(1 + draw(HOLDERS));
  const to = draw(12) === 0 ? ZERO : accountOf(1 + draw(HOLDERS));
  const has = held.get(from) ?? 0n;
  if (has > 0n && from !== to) return { from, to, amount: draw(2) === 0 ? has : 1n };
  return { from: ZERO, to: accountOf(1 + draw(HOLDERS)), amount: drawAmount(draw) };
}

function movesOf(draw: Draw, held: Map<string, bigint>, block: number): Move[] {
  const largest = block === FIRST ? [{ from: ZERO, to: accountOf(HOLDERS + 1), amount: LARGEST }] : [];
  const moves: Move[] = [...largest];
  for (let i = 0; i < CHANGES_PER_BLOCK; i++) {
    const move = drawMove(draw, held);
    held.set(move.from, (held.get(move.from) ?? 0n) - move.amount);
    held.set(move.to, (held.get(move.to) ?? 0n) + move.amount);
    moves.push(move);
  }
  return moves;
}

function madeFacts(): Fact[] {
  const random = draws();
  const draw: Draw = (below) => random.next().value % below;
  const ledgers = [...decimalsOf.keys()].map((token) => ({ token, held: new Map<string, bigint>() }));
  const blocks = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
  return blocks.flatMap((block) =>
    ledgers
      .flatMap(({ token, held }) => movesOf(draw, held, block).map((move) => ({ token, ...move })))
      .map((move, logIndex): Fact => ({ kind: "transfer", block, logIndex, ...move })),
  );
}

const index: Index = {
  ...{ chainId: 31337, ponderSchema: "facts_listed", foldSchema: "fold_listed" },
  ...{ firstBlock: FIRST, head: LAST, watermark: LAST, facts: madeFacts(), decimals: Object.fromEntries(decimalsOf) },
};

let database: TestDatabase;
let made: TestLake;
let read: Database;
let sql: TestSql;
let entries: HolderEntries;
const assets = new Map<string, number>();

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  for (const { id, token } of await database.sql<{ id: number; token: string }[]>`
    select id, '0x' || encode(key, 'hex') as token from fold_listed.asset where kind = 'erc20'`)
    assets.set(token, id);
  made = await makeLake(database.url, {
    ...{ chainId: 31337, name: "listed" },
    lake: { segmentBlocks: 7, segmentTransfers: 1 },
  });
  read = openDatabase(database.url);
  const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: FIRST })], database: read });
  sql = await openTestSql({ databaseUrl: database.url, chainId: 31337, lakeFolder: made.folder, service });
  await sql.rows("select 1 as one");
  entries = new HolderEntries(sql.runner, 0);
});
afterAll(async () => {
  await sql?.close();
  await read?.close();
  made?.remove();
  await database?.stop();
});

const lakeLast = () => made.manifest.segments.at(-1)?.last ?? -1;

async function fromLake(token: string, block: number, without: string[] = []): Promise<string | undefined> {
  const decimals = decimalsOf.get(token) ?? 18;
  const pieces = await entries.pieces({ token, block, decimals, without }, new AbortController().signal);
  return pieces && Buffer.concat([...pieces]).toString("latin1");
}

async function fromPostgres(token: string, block: number): Promise<string> {
  const snapshot = {
    batches<Row extends object>(text: string, parameters: string[], size: number): AsyncIterator<Row[]> {
      const cursor = database.sql.unsafe<Row[]>(text, parameters).cursor(size);
      return (cursor as unknown as AsyncIterable<Row[]>)[Symbol.asyncIterator]();
    },
  };
  const statement = holdersAt({ fold: '"fold_listed"', assetId: assets.get(token), block });
  const shape = { order: "amount desc, account", decimals: decimalsOf.get(token) ?? 18 };
  const pieces = plainPieces(snapshot, statement, shape);
  const all: Uint8Array[] = [];
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) all.push(next.value);
  return Buffer.concat(all).toString("latin1");
}

describe("a list of holders from the lake", () => {
  it("has the bytes of PostgreSQL's at every block of every segment", async () => {
    expect(made.manifest.segments.length).toBeGreaterThan(3);
    for (let block = FIRST; block <= lakeLast(); block++)
      for (const token of decimalsOf.keys())
        expect(await fromLake(token, block)).toBe(await fromPostgres(token, block));
  });

  it("covers equal amounts, dust and the largest amount", async () => {
    const [row] = await sql.rows(`
      select count(*) - count(distinct amount) as equal, count(*) filter (where amount < 4) as dust,
             max(amount) = ${LARGEST} as has_largest
        from holders('${tokenOf(4)}', ${lakeLast()})`);
    expect(Number(row?.equal)).toBeGreaterThan(10);
    expect(Number(row?.dust)).toBeGreaterThan(10);
    expect(row?.has_largest).toBe(true);
  });

  it("leaves out the contracts that are no accounts", async () => {
    const whole = JSON.parse(`[${(await fromLake(tokenOf(3), lakeLast()))?.slice(1)}]`) as { account: string }[];
    const [first, second] = whole.map(({ account }) => account);
    const rest = JSON.parse(`[${(await fromLake(tokenOf(3), lakeLast(), [first ?? "", second ?? ""]))?.slice(1)}]`);
    expect(rest).toEqual(whole.slice(2));
  });

  it("is not given for blocks behind the lake's end or before its first, nor of unknown tokens", async () => {
    expect(await fromLake(tokenOf(3), lakeLast() + 1)).toBeUndefined();
    expect(await fromLake(tokenOf(3), FIRST - 1)).toBeUndefined();
    expect(await fromLake(tokenOf(99), lakeLast())).toBeUndefined();
  });

  it("is left to PostgreSQL where few hold the token", async () => {
    const request = { token: tokenOf(3), block: lakeLast(), decimals: 18, without: [] };
    const usual = new HolderEntries(sql.runner);
    expect(await usual.pieces(request, new AbortController().signal)).toBeUndefined();
  });
});

describe("a double written by DuckDB", () => {
  it("has the text that JavaScript gives it", async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const exact = fc.tuple(fc.bigInt({ min: 1n, max: LARGEST }), fc.integer({ min: 0, max: 77 }));
    const short = fc.tuple(fc.bigInt({ min: 1n, max: 9_999n }), fc.integer({ min: 0, max: 77 }));
    const round = fc.tuple(
      fc.integer({ min: 0, max: 77 }).map((n) => 10n ** BigInt(n)),
      fc.integer({ min: 0, max: 77 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(exact, short, round), { minLength: 500, maxLength: 500 }), async (drawn) => {
        const texts = drawn.map(([amount, decimals]) => `${amount}e-${decimals}`);
        const rows = await connection.runAndReadAll(
          `select t, ${javascriptNumber("x", "d")} as j from (select t, x, x::varchar as d from (
             select t, t::double as x from unnest([${texts.map((text) => `'${text}'`).join(", ")}]) u(t)))`,
        );
        for (const { t, j } of rows.getRowObjects()) expect(j).toBe(String(Number(t)));
      }),
      { numRuns: 100 },
    );
    connection.closeSync();
    instance.closeSync();
  });
});
