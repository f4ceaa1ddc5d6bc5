// What blocks did to watched wallets and pools, wherever the fold has it: all final, none final, or final in the middle.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { ChainMemory } from "../../gateway/database/chain-memory.ts";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { Snapshot } from "../../gateway/database/snapshot.ts";
import type { Address } from "../../gateway/parameters.ts";
import { poolEvents, type Wallet, walletDeltas } from "../../gateway/subscriptions/watched-changes.ts";
import {
  createFactTables,
  dropIndex,
  type Index,
  insertBlocks,
  insertFacts,
  pointAt,
  timestampOf,
  writeFold,
} from "../support/index-fixture.ts";
import { randomFacts } from "../support/random-ledger.ts";
import { accountOf, type Fact, ledgerAt, tokenOf } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const TOKENS = [tokenOf(1), tokenOf(2)];
const [PAIR, OTHER] = [tokenOf(101) as Address, tokenOf(102) as Address];
const FIRST = 100;

let database: TestDatabase;
let reader: Database;
beforeAll(async () => {
  database = await startTestDatabase();
  reader = openDatabase(database.url);
});
afterAll(async () => {
  await reader.close();
  await database.stop();
});

const watched: Wallet[] = TOKENS.flatMap((token) =>
  [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ token: token as Address, account: accountOf(n) as Address })),
);

/** Every fifth block has an event of the pool, and of another one. */
const hasEvent = (block: number): boolean => block % 5 === 0;

async function build(index: Index): Promise<void> {
  const { sql } = database;
  const { ponderSchema: schema, head } = index;
  await createFactTables(sql, schema);
  await insertBlocks(sql, schema, { from: FIRST, to: head });
  await insertFacts(sql, schema, index.facts);
  for (let block = FIRST; block <= head; block++)
    for (const [i, pair] of (hasEvent(block) ? [PAIR, OTHER, PAIR] : []).entries()) {
      const place = { block, log_index: 9_000 + i, tx_index: 0, timestamp: timestampOf(block) };
      await sql`insert into ${sql(schema)}.v2_sync ${sql({ ...place, pair, reserve0: 1, reserve1: 2 })}`;
    }
  await writeFold(sql, index);
  await pointAt(sql, index);
}

function expectedDeltas(facts: readonly Fact[], { after, upTo }: { after: number; upTo: number }): string[] {
  const found: string[] = [];
  for (let block = after + 1; block <= upTo; block++)
    for (const { token, account } of watched) {
      const amountAt = (at: number) => ledgerAt(facts, token, at).balances.get(account) ?? 0n;
      const delta = amountAt(block) - amountAt(block - 1);
      if (delta !== 0n) found.push(`${block} ${token} ${account} ${delta}`);
    }
  return found.sort();
}

describe("what blocks did to what is watched", () => {
  it.each([1, 2, 3])("is what the facts say, whichever of the blocks are final (world %s)", async (seed) => {
    const [facts = []] = fc.sample(randomFacts(TOKENS, FIRST), { seed, numRuns: 1 });
    const head = Math.max(...facts.map(({ block }) => block)) + 2;
    const finalized = Math.floor((FIRST + 2 * head) / 3);
    const schemas = { ponderSchema: `facts_w${seed}`, foldSchema: `fold_w${seed}` };
    await build({ ...schemas, chainId: 31337, firstBlock: FIRST, head, finalized, facts });
    const snapshot = new Snapshot({
      database: reader,
      memory: new ChainMemory(reader),
      cache: new AnswerCache(),
      chainId: 31337,
    });
    try {
      await snapshot.open();
      const spans = [
        ...[FIRST - 1, FIRST + 3, finalized - 7, finalized - 1].map((after) => ({ after, upTo: finalized })),
        ...[FIRST - 1, finalized - 9, finalized - 1, finalized, finalized + 3].map((after) => ({ after, upTo: head })),
        ...Array.from({ length: head - finalized }, (_, i) => ({ after: finalized + i, upTo: finalized + i + 1 })),
      ];
      for (const span of spans) {
        const deltas = [...(await walletDeltas(snapshot, span, watched)).values()].flat();
        const shown = deltas.map(({ block, token, account, delta }) => `${block} ${token} ${account} ${delta}`);
        expect(shown.sort(), JSON.stringify(span)).toEqual(expectedDeltas(facts, span));
        const events = (await poolEvents(snapshot, span, [PAIR])).get(PAIR) ?? [];
        const blocks = Array.from({ length: span.upTo - span.after }, (_, i) => span.after + 1 + i).filter(hasEvent);
        expect(events, JSON.stringify(span)).toEqual(
          blocks.flatMap((block) =>
            [9_000, 9_002].map((logIndex) => ({ block, logIndex, pool: PAIR, kind: "v2_sync" })),
          ),
        );
      }
    } finally {
      await snapshot.close();
      await dropIndex(database.sql, schemas);
    }
  });
});
