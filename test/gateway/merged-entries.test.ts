// Answers that are merged or written here have the bytes that PostgreSQL would write.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import type { ParameterOrJSON } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HeldAs } from "../../gateway/backing/held-as.ts";
import { jsonEntries } from "../../gateway/balances/balances-json.ts";
import { HeldLists } from "../../gateway/balances/held-lists.ts";
import { mergedEntries } from "../../gateway/balances/merged-entries.ts";
import { plainPieces } from "../../gateway/balances/plain-entries.ts";
import { sharedParts, withParts } from "../../gateway/balances/shared-holdings.ts";
import { sortedPieces } from "../../gateway/balances/sorted-entries.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

const rows = <Row>(text: string, parameters: readonly string[] = []) =>
  database.sql.unsafe(text, parameters as ParameterOrJSON<never>[]) as unknown as Promise<Row[]>;
const at = { rows, unbatched: rows, lists: new HeldLists() };

const accountOf = (i: number): `0x${string}` => `0x${i.toString(16).padStart(40, "0")}`;

// few distinct amounts, so that many are equal, and some that differ beyond a double's digits
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 5n }),
  fc.bigInt({ min: 10n ** 18n, max: 10n ** 18n + 40n }),
  fc.bigInt({ min: 1n, max: 2n ** 255n }),
);
const holdings = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 60 }), amount), { selector: ([i]) => i });
const assets: readonly [string, HeldAs][] = [
  ["a", { kind: "island", id: accountOf(1000) } as HeldAs],
  ["b", { kind: "v3-position", id: "77" } as HeldAs],
];
const world = fc.record({
  wallets: holdings,
  issuers: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 5 }),
  parts: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom("a", "b"), amount)),
  decimals: fc.constantFrom(0, 6, 18),
});

const valuesOf = (rows: readonly (readonly [number, bigint])[]): string =>
  rows.length === 0
    ? "select null::bytea as account, null::numeric as amount where false"
    : `select decode(substr(a, 3), 'hex') as account, m::numeric as amount
         from (values ${rows.map(([i, m]) => `('${accountOf(i)}', '${m}')`).join(", ")}) v(a, m)`;

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function partsOf({ issuers, parts }: World) {
  const given = new Map<string, { path: string[]; amount: bigint; principal: undefined }[]>();
  for (const [i, asset, own] of parts) {
    if (issuers.includes(i)) continue;
    const before = given.get(accountOf(i)) ?? [];
    given.set(accountOf(i), [...before, { path: ["leaf", asset], amount: own, principal: undefined }]);
  }
  return given;
}

const addressesOf = (issuers: readonly number[]): string | undefined =>
  issuers.length === 0
    ? undefined
    : `select decode(substr(a, 3), 'hex') from (values ${issuers.map((i) => `('${accountOf(i)}')`).join(", ")}) v(a)`;

async function textOf(pieces: AsyncIterator<Uint8Array> | undefined): Promise<string> {
  let text = "";
  for (let next = await pieces?.next(); next && !next.done; next = await pieces?.next())
    text += Buffer.from(next.value).toString("latin1");
  return text;
}

describe("an answer merged in the gateway", () => {
  it("has the bytes that PostgreSQL writes", async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const parts = partsOf(drawn);
        const { decimals } = drawn;
        const issuerAddresses = addressesOf(drawn.issuers);
        const through = { parts, heldAs: new Map(assets), decimals };
        const plain = { text: valuesOf(drawn.wallets), parameters: [] };
        const { text, parameters } = withParts(plain, { issuerAddresses, parts: sharedParts(through) });
        const entries = jsonEntries(text, { order: "amount desc, account", decimals });
        const rows = await at.rows<{ entry: string }>(entries, parameters);
        const expected = rows.map(({ entry }) => `,${entry}`).join("");
        for (const issuers of [undefined, new Set<string>(drawn.issuers.map(accountOf))]) {
          const merged = await mergedEntries(at, { ...through, issuerAddresses, issuers, plain });
          expect(await textOf(merged?.pieces)).toBe(expected);
          if (issuers) expect(merged?.held).toEqual(new Map(drawn.wallets.map(([i, held]) => [accountOf(i), held])));
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("an answer of wallets alone", () => {
  const snapshot = {
    batches<Row extends object>(text: string, parameters: string[], size: number): AsyncIterator<Row[]> {
      const cursor = database.sql.unsafe<Row[]>(text, parameters).cursor(size);
      return (cursor as unknown as AsyncIterable<Row[]>)[Symbol.asyncIterator]();
    },
  };
  const compare = async (wallets: readonly (readonly [number, bigint])[], decimals: number) => {
    const shape = { order: "amount desc, account", decimals };
    const statement = { text: valuesOf(wallets), parameters: [] };
    const alone = `select account, amount, amount as own, null::text as sources, null::text as expanded
      from (${statement.text}) w`;
    const rows = await at.rows<{ entry: string }>(jsonEntries(alone, shape));
    const expected = rows.map(({ entry }) => `,${entry}`).join("");
    expect(await textOf(plainPieces(snapshot, statement, shape))).toBe(expected);
    expect(await textOf(await sortedPieces(at, statement, decimals))).toBe(expected);
  };
  const zeros = fc.uniqueArray(fc.tuple(fc.integer({ min: 61, max: 70 }), fc.constant(0n)), { selector: ([i]) => i });

  it("has the bytes that PostgreSQL writes", async () => {
    await fc.assert(
      fc.asyncProperty(holdings, zeros, fc.constantFrom(0, 6, 18), (held, none, decimals) =>
        compare([...held, ...none], decimals),
      ),
      { numRuns: 100 },
    );
  });

  it("keeps the order over many pieces", async () => {
    await compare(
      Array.from({ length: 5_003 }, (_, i) => [i + 1, BigInt((i * 7919) % 977) * 10n ** 15n] as const),
      18,
    );
  });

  /** `distinct`: how many different amounts. */
  const made = (count: number, distinct: number) => ({
    text: `select decode(md5(i::text) || substr(md5(i::text), 1, 8), 'hex') as account, (i % ${distinct})::numeric as amount
             from generate_series(1, ${count}) i`,
    parameters: [],
  });

  it("is sorted in this process up to 250,000 entries", async () => {
    const expected = await textOf(
      plainPieces(snapshot, made(250_000, 240_000), { order: "amount desc, account", decimals: 0 }),
    );
    expect(await textOf(await sortedPieces(at, made(250_000, 240_000), 0))).toBe(expected);
    expect(await sortedPieces(at, made(250_001, 250_001), 0)).toBeUndefined();
  });

  it("is left to PostgreSQL where too many amounts are equal, or too many accounts begin alike", async () => {
    expect(await sortedPieces(at, made(20_000, 9), 0)).toBeDefined();
    expect(await sortedPieces(at, made(20_001, 9), 0)).toBeUndefined();
    const alike = Array.from({ length: 1_000 }, (_, i) => [1_000 - i, 5n] as const);
    expect(await sortedPieces(at, { text: valuesOf(alike), parameters: [] }, 0)).toBeUndefined();
  });
});

describe("lists in memory", () => {
  const LONG = 150e6;
  async function* pieces(count: number): AsyncGenerator<Uint8Array, undefined> {
    for (let i = 0; i < count; i++) yield Buffer.from("1");
    return undefined;
  }
  const many = {
    text: `select decode(lpad(to_hex(i), 40, '0'), 'hex') as account, i::numeric as amount from generate_series(1, 9000) i`,
    parameters: [],
  };
  const alone = { heldAs: new Map(), issuerAddresses: undefined, issuers: undefined, decimals: 0 };
  const makers = [
    (lists: HeldLists) => sortedPieces({ ...at, lists }, many, 0),
    (lists: HeldLists) => {
      const parts = new Map([[accountOf(1), [{ path: ["leaf", "a"], amount: 1n, principal: undefined }]]]);
      return mergedEntries({ ...at, lists }, { ...alone, heldAs: new Map(assets), parts, plain: many });
    },
  ];

  it.each(makers)(
    "are refused once others take so much memory, until one of these is read or given up",
    async (make) => {
      const lists = new HeldLists();
      const [one, other, last] = [
        lists.hold(pieces(9), LONG),
        lists.hold(pieces(2), LONG),
        lists.hold(pieces(9), 99e6),
      ];
      const refusal = { code: "OVERLOADED" };
      await expect(make(lists)).rejects.toMatchObject(refusal);
      await one.next();
      await expect(make(lists)).rejects.toMatchObject(refusal);
      await one.return?.();
      expect(await make(lists)).toBeDefined();
      const third = lists.hold(pieces(9), LONG);
      await expect(make(lists)).rejects.toMatchObject(refusal);
      expect(await textOf(other)).toBe("11");
      expect(await make(lists)).toBeDefined();
      expect(await textOf(third)).toBe(await textOf(last));
    },
  );

  it("are not refused where they are short", async () => {
    const lists = new HeldLists();
    const others = Array.from({ length: 3 }, () => lists.hold(pieces(9), LONG));
    const some = { text: valuesOf([[1, 5n]]), parameters: [] };
    expect(await sortedPieces({ ...at, lists }, some, 0)).toBeDefined();
    expect(others).toHaveLength(3);
  });

  it("count no longer once nothing refers to them", async () => {
    const lists = new HeldLists();
    const begin = () => lists.hold(pieces(9), 3 * LONG).next();
    await begin();
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const isRefused = () => {
      collect();
      try {
        lists.requireRoom(LONG);
        return false;
      } catch {
        return true;
      }
    };
    await expect.poll(isRefused).toBe(false);
  });
});
