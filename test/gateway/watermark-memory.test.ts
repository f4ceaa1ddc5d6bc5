// What is known of the ledgers at a watermark goes along when that moves on: then it is what the fold's tables say there, and
// none of them is read again.
import fc from "fast-check";
import type { ReservedSql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foldHoldings } from "../../fold/fold-holdings.ts";
import { stageFacts } from "../../fold/stage-facts.ts";
import { foldIndexesDdl, foldTablesDdl } from "../../fold/tables.ts";
import { type Operation, RequestScope } from "../../gateway/context.ts";
import { fixBlock } from "../../gateway/ledger/point.ts";
import { knownHolders } from "../../gateway/ledger/watermark-memory.ts";
import { ledgerAt } from "../../gateway/lookthrough/ledger-at.ts";
import { breakageOf, hostileFacts } from "../fold/hostile-facts.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { createFactTables, insertBlocks, insertFacts, pointAt } from "../support/index-fixture.ts";
import { accountOf, type Fact, ledgerAt as referenceAt, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const TOKENS = [tokenOf(1), tokenOf(2), tokenOf(3)];
const ACCOUNTS = [ZERO, ...Array.from({ length: 12 }, (_, i) => accountOf(i + 1))];
const chain = chainFixture({ chainId: 31337, startBlock: 0 });

let database: TestDatabase;
let db: ReservedSql;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.sql.reserve();
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway?.close();
  db?.release();
  await database?.stop();
});

interface Schemas {
  ponder: string;
  fold: string;
}

async function openIndex({ ponder, fold }: Schemas, facts: readonly Fact[], head: number): Promise<void> {
  await createFactTables(database.sql, ponder);
  await insertBlocks(database.sql, ponder, { from: 0, to: head });
  await insertFacts(database.sql, ponder, facts);
  await db.unsafe(foldTablesDdl(fold) + foldIndexesDdl(fold));
  await db.unsafe(
    `insert into ${fold}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, watermark, folded_facts)
     values (31337, $1, 'fixture', '${ponder}.block'::regclass::oid, 0, -1, 0)`,
    [ponder],
  );
  await pointAt(database.sql, {
    ...{ chainId: 31337, ponderSchema: ponder, foldSchema: fold, firstBlock: 0, watermark: -1 },
    ...{ head, facts: [] },
  });
}

async function foldTo(schemas: Schemas, range: { after: number; upTo: number }): Promise<void> {
  const { upTo } = await stageFacts(db, schemas, range);
  if (upTo !== range.upTo) throw new Error(`one batch took ${upTo} of ${range.upTo} blocks`);
  await db.unsafe("begin");
  await foldHoldings(db, schemas.fold);
  await db.unsafe(`update ${schemas.fold}.meta set watermark = ${upTo}; commit`);
}

interface Told {
  amounts: Map<string, bigint>;
  holders: Map<string, Map<string, bigint>>;
  /** Whether the lists of all tokens' holders are in memory at the watermark. */
  isKnown: boolean;
}

const told: Operation<undefined, Told> = {
  name: "told",
  async run(_, context) {
    const point = await context.snapshot.withFacts((facts) => fixBlock(facts, chain, { kind: "latest" }));
    const ledger = await ledgerAt(context, point);
    const assets = TOKENS.map((key) => ({ kind: "erc20", key }));
    const { index } = context.snapshot;
    const isKnown = assets.every((asset) => knownHolders({ index, watermark: point.watermark }, asset));
    const asked = assets.flatMap((asset) => ACCOUNTS.map((account) => ({ ...asset, account })));
    const amounts = await ledger.amounts(asked);
    const holders = await ledger.holders(assets);
    const named = asked.map(({ key, account }, i): [string, bigint] => [`${key} ${account}`, amounts[i] ?? 0n]);
    return {
      amounts: new Map(named.filter(([, amount]) => amount > 0n)),
      holders: new Map(
        TOKENS.map((token, i) => [token, new Map((holders[i] ?? []).map(({ account, amount }) => [account, amount]))]),
      ),
      isKnown,
    };
  },
};

const ask = async (): Promise<Told> => {
  const scope = new RequestScope(gateway.service);
  return scope.run(told, undefined).finally(() => scope.close());
};

/** `tokens`: those that are never out of range. */
function expectReference(
  { amounts, holders }: Told,
  { facts, tokens, head }: { facts: readonly Fact[]; tokens: readonly string[]; head: number },
): void {
  for (const token of tokens) {
    const { balances } = referenceAt(facts, token, head);
    const own = [...amounts].filter(([name]) => name.startsWith(token));
    expect(new Map(own.map(([name, amount]) => [name.split(" ")[1], amount]))).toEqual(balances);
    expect(holders.get(token)).toEqual(balances);
  }
}

let runs = 0;

describe("a watermark that moves on", () => {
  it("takes along what is known of the ledgers", { timeout: 120_000 }, async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(hostileFacts(TOKENS), async (facts) => {
        const head = (facts.at(-1)?.block ?? 0) + 3;
        runs += 1;
        const schemas = { ponder: `facts_moves_${runs}`, fold: `fold_moves_${runs}` };
        await openIndex(schemas, facts, head);
        const watermarks = [Math.floor(head / 3), Math.floor((2 * head) / 3), head - 1];
        const sound = TOKENS.filter((token) => !breakageOf(facts, token));
        let after = -1;
        for (const upTo of watermarks) {
          if (upTo > after) await foldTo(schemas, { after, upTo });
          const now = await ask();
          if (after >= 0 && now.isKnown) taken += 1;
          after = Math.max(after, upTo);
          expectReference(now, { facts, tokens: sound, head });
        }
      }),
      { numRuns: 12, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: true },
    );
    expect(taken).toBeGreaterThan(0);
  });
});
