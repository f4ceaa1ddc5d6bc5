// An answer that is merged here has the bytes that PostgreSQL would write.
import fc from "fast-check";
import type { ParameterOrJSON } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonEntries } from "../../gateway/ledger/balances-json.ts";
import { withParts } from "../../gateway/ledger/shared-holdings.ts";
import { mergedEntries } from "../../gateway/lookthrough/merged-entries.ts";
import { sharedParts } from "../../gateway/lookthrough/shared-parts.ts";
import type { HeldAs } from "../../gateway/lookthrough/source.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

const at = {
  rows: <Row>(text: string, parameters: readonly string[] = []) =>
    database.sql.unsafe(text, parameters as ParameterOrJSON<never>[]) as unknown as Promise<Row[]>,
};

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
  parts: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom("a", "b"), amount), { minLength: 1 }),
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
        fc.pre(parts.size > 0);
        const { decimals } = drawn;
        const issuerAddresses = addressesOf(drawn.issuers);
        const shared = { issuerAddresses, parts: sharedParts({ parts, heldAs: new Map(assets) }, decimals) };
        const plain = { text: valuesOf(drawn.wallets), parameters: [] };
        const { text, parameters } = withParts(plain, shared);
        const entries = jsonEntries(text, { order: "amount desc, account", decimals, hasParts: true });
        const rows = await at.rows<{ entry: string }>(entries, parameters);
        const merged = await mergedEntries(at, { ...shared, plain, decimals });
        expect(await textOf(merged)).toBe(rows.map(({ entry }) => `,${entry}`).join(""));
      }),
      { numRuns: 150 },
    );
  });
});
