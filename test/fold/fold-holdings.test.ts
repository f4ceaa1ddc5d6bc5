// The fold against brute force: whatever the facts and wherever batches are cut, the tables say what the facts add up to.
import fc from "fast-check";
import type { ReservedSql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountOf, type Fact, ledgerAt, tokenOf } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { foldInBatches, readFolded, writeFacts } from "./folded-facts.ts";
import { type Breakage, breakageOf, hostileFacts } from "./hostile-facts.ts";

const TOKENS = [tokenOf(1), tokenOf(2), tokenOf(3)];
const SCHEMAS = { ponder: "facts_property", fold: "fold_property" };
const RUNS = Number(process.env.FOLD_PROPERTY_RUNS ?? 12);
/** Looking for the smallest failure ends before the test does: it is reported with its counterexample, not as a time-out. */
const PROPERTY = { numRuns: RUNS, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true };

let database: TestDatabase;
let db: ReservedSql;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.sql.reserve();
});
afterAll(async () => {
  db?.release();
  await database?.stop();
});

const headOf = (facts: readonly Fact[]): number => (facts.at(-1)?.block ?? 0) + 2;

async function write(facts: readonly Fact[]): Promise<number> {
  const head = headOf(facts);
  await writeFacts(database.sql, SCHEMAS.ponder, { facts, head });
  return head;
}

interface Held {
  token: string;
  account: string;
  from: number;
  /** Exclusive. */
  to: number;
  amount: bigint;
  lvl: number | null;
}

/** Intervals and current rows as one list; the supply ledger's rows have the token as account too. */
async function readHeld(): Promise<Held[]> {
  const rows = await db.unsafe(`
    select case h.asset when 0 then '0x' || encode(h.account, 'hex') else '0x' || encode(a.key, 'hex') end as token,
           '0x' || encode(h.account, 'hex') as account, h.from_block, h.to_block, h.amount::text as amount, h.lvl
      from (select asset, account, from_block, to_block, amount, lvl from ${SCHEMAS.fold}.holding_interval
            union all select asset, account, since, 2147483647, amount, null from ${SCHEMAS.fold}.holding_current) h
      join ${SCHEMAS.fold}.asset a on a.id = h.asset`);
  return rows.map((row) => ({
    token: row.token,
    account: row.account,
    from: row.from_block,
    to: row.to_block,
    amount: BigInt(row.amount),
    lvl: row.lvl,
  }));
}

async function readQuarantine(): Promise<Map<string, Breakage>> {
  const rows = await db.unsafe(`
    select '0x' || encode(a.key, 'hex') as token, q.block, q.log_index, '0x' || encode(q.account, 'hex') as account, q.reason
      from ${SCHEMAS.fold}.quarantine q join ${SCHEMAS.fold}.asset a on a.id = q.asset`);
  return new Map(
    rows.map(({ token, block, log_index, account, reason }) => [
      token,
      { block, logIndex: log_index, account, reason },
    ]),
  );
}

/** Everything held at a block, as `token account` (the token's own address: its supply) to the amount. */
const heldAt = (held: readonly Held[], block: number): Map<string, bigint> =>
  new Map(
    held
      .filter(({ from, to }) => from <= block && block < to)
      .map(({ token, account, amount }) => [`${token} ${account}`, amount]),
  );

function expectedAt(facts: readonly Fact[], tokens: readonly string[], block: number): Map<string, bigint> {
  const expected = new Map<string, bigint>();
  for (const token of tokens) {
    const { balances, supply } = ledgerAt(facts, token, block);
    for (const [account, amount] of balances) expected.set(`${token} ${account}`, amount);
    if (supply !== 0n) expected.set(`${token} ${token}`, supply);
  }
  return expected;
}

const sorted = (map: ReadonlyMap<string, bigint>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

describe("the fold of holdings", () => {
  it("says at every block what the facts add up to, and names the log that broke a token", {
    timeout: 180_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(hostileFacts(TOKENS), async (facts) => {
        const head = await write(facts);
        await foldInBatches(db, SCHEMAS, [head]);
        const broken = new Map(
          TOKENS.flatMap((token) => {
            const breakage = breakageOf(facts, token);
            return breakage ? [[token, breakage] as const] : [];
          }),
        );
        expect(await readQuarantine()).toEqual(broken);
        const sound = TOKENS.filter((token) => !broken.has(token));
        const held = await readHeld();
        for (let block = 0; block <= head; block++)
          expect(sorted(heldAt(held, block)), `block ${block}`).toEqual(sorted(expectedAt(facts, sound, block)));
        for (const { from, to, lvl, amount } of held) {
          expect(amount).toBeGreaterThan(0n);
          if (lvl !== null) expect(lvl).toBe(Math.floor(Math.log2(to - from)));
        }
      }),
      PROPERTY,
    );
  });

  it("writes the same rows wherever the batches are cut", { timeout: 180_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileFacts(TOKENS),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
        async (facts, places) => {
          const head = await write(facts);
          await foldInBatches(db, SCHEMAS, [head]);
          const whole = await readFolded(db, SCHEMAS.fold);
          const cuts = [...new Set(places.map((place) => Math.floor(place * head)))].sort((a, b) => a - b);
          await foldInBatches(db, SCHEMAS, [...cuts, head]);
          expect(await readFolded(db, SCHEMAS.fold)).toEqual(whole);
        },
      ),
      PROPERTY,
    );
  });

  it("writes the same rows block by block", { timeout: 120_000 }, async () => {
    for (const facts of fc.sample(hostileFacts(TOKENS), { numRuns: 2, seed: 7 })) {
      const head = await write(facts);
      await foldInBatches(db, SCHEMAS, [head]);
      const whole = await readFolded(db, SCHEMAS.fold);
      await foldInBatches(db, SCHEMAS, [...new Set([...facts.map(({ block }) => block), head])]);
      expect(await readFolded(db, SCHEMAS.fold)).toEqual(whole);
    }
  });

  it("keeps durations in their class up to the longest", async () => {
    const [token] = TOKENS;
    const lengths = [1, 2, 3, 4, 7, 8, 1023, 1024, 65_535, 65_536];
    let block = 1;
    const facts: Fact[] = [];
    for (const length of lengths) {
      facts.push({
        kind: "transfer",
        block,
        logIndex: 0,
        token: token!,
        from: "0x0000000000000000000000000000000000000000",
        to: accountOf(1),
        amount: 1n,
      });
      block += length;
    }
    facts.push({
      kind: "transfer",
      block,
      logIndex: 0,
      token: token!,
      from: accountOf(1),
      to: "0x0000000000000000000000000000000000000000",
      amount: 10n,
    });
    await writeFacts(database.sql, SCHEMAS.ponder, { facts, head: 0 });
    await foldInBatches(db, SCHEMAS, [block]);
    const rows = await db.unsafe(
      `select to_block - from_block as length, lvl from ${SCHEMAS.fold}.holding_interval where asset = 1 order by from_block`,
    );
    expect(rows.map(({ length, lvl }) => [length, lvl])).toEqual(
      lengths.map((length) => [length, Math.floor(Math.log2(length))]),
    );
  });
});
