// The ledgers over a range, and what protocols say from them, beside what is read and said at each block by itself.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { valueAt } from "../../core/averages/steps.ts";
import { blockTimes } from "../../gateway/averages/block-times.ts";
import { issuedOver, ledgerAssetOf } from "../../gateway/averages/issued-over.ts";
import type { LedgerOver } from "../../gateway/averages/ledger-over.ts";
import { heldByListed, type Ledger } from "../../gateway/backing/ledger.ts";
import { ledgerAt } from "../../gateway/backing/ledger-at.ts";
import { tokenAsset } from "../../gateway/backing/protocol.ts";
import { stakeAsset } from "../../gateway/backing/stake.ts";
import type { OperationContext } from "../../gateway/context.ts";
import { asOf } from "../../gateway/history/as-of.ts";
import type { LedgerAsset } from "../../gateway/history/ledger-asset.ts";
import { RequestTooLongError } from "../../gateway/history/require-time.ts";
import type { Address } from "../../gateway/parameters.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { compareIssued, compareIssuerSince, openRange, pointAt, withinRequest } from "../support/issued-each-block.ts";
import {
  acts,
  CONTRACTS,
  HELD,
  PEOPLE,
  STAKED_IN,
  tellLateBault,
  tellVaults,
  vaultSections,
} from "../support/random-vaults.ts";
import { ZERO } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, type Script } from "../support/scripted-index.ts";
import { sized } from "../support/sized.ts";
import {
  BAULT,
  BAULT_FARM,
  FARM,
  FARMED,
  INCENTIVES,
  INFRARED,
  LAUNCH,
  MOO,
  MULTI,
  PLAIN,
  REWARD_VAULT,
  STAKED,
  STAKING,
  stakingSections,
  tellStaking,
} from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const chain = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...vaultSections });
let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const within = <T>(ask: (context: OperationContext) => Promise<T>): Promise<T> => withinRequest(gateway.service, ask);

interface World {
  script: Script;
  finalized: number;
}

/** How many worlds each law is tried in. */
const WORLDS = sized({
  some: { said: 4, spans: 2, backed: 8, issued: 3 },
  whole: { said: 8, spans: 3, backed: 16, issued: 6 },
});

let made = 0;
async function inWorld(world: World, check: () => Promise<void>): Promise<void> {
  const index = { ponderSchema: `facts_over_${++made}`, foldSchema: `fold_over_${made}`, finalized: world.finalized };
  await buildScripted(database.sql, world.script, index);
  try {
    await check();
  } finally {
    await dropIndex(database.sql, index);
  }
}

const worlds = fc
  .record({
    list: acts,
    final: fc.integer({ min: 0, max: 100 }),
    ends: fc.tuple(fc.nat(60), fc.integer({ min: 50, max: 100 })),
  })
  .map(({ list, final, ends }) => {
    const script = tellVaults(list);
    const share = (n: number) => Math.floor((script.block * n) / 100);
    const [from, to] = [1 + share(ends[0]), share(ends[1])];
    return { script, finalized: share(final), from, to: Math.max(from, to) };
  });

const blocksOf = ({ from, to }: { from: number; to: number }) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

const kinds = ["v2-pair", "reward-vault", "farm", "infrared", "bault", "launch-pool", "farm-reward", "incentive"];
const everybody = [...PEOPLE, ...CONTRACTS] as Address[];
const inOrder = <T>(list: readonly T[]): string[] =>
  list.map((one) => JSON.stringify(one, (_, value) => (typeof value === "bigint" ? `${value}` : value))).sort();

/** All that a ledger says here, in one order; of tokens and stakes what all have together. */
async function said(ledger: Ledger) {
  const tokens = HELD as Address[];
  const inputs = everybody.flatMap((account) => [
    ...tokens.map((key) => ({ kind: "erc20", key, account })),
    ...STAKED_IN.map((key) => ({ kind: "stake", key, account })),
    { kind: "graduated-pool", key: "0x", account },
  ]);
  const counted = [
    ...tokens.map((key) => ({ kind: "erc20", key })),
    ...STAKED_IN.map((key) => ({ kind: "stake", key })),
  ];
  const totals = (await ledger.holders(counted)).map((held) => held.reduce((sum, { amount }) => sum + amount, 0n));
  const listed = await Promise.all(kinds.map((kind) => ledger.listed(kind, tokens)));
  const holding = await Promise.all(kinds.map((kind) => heldByListed(ledger, kind, tokens)));
  const taken = await ledger.tokensOf(["reward-vault", "farm", "infrared", "bault"], everybody);
  return {
    amounts: await ledger.amounts(inputs),
    totals,
    listed: listed.map(inOrder),
    listings: (await ledger.holders(kinds.map((kind) => ({ kind, key: "0x" })))).map(inOrder),
    holding: holding.map(inOrder),
    taken: everybody.map((contract) => [...(taken.get(contract) ?? [])].sort()),
  };
}

const ASSETS = [
  ...HELD.map((token) => tokenAsset(token as Address)),
  ...STAKED_IN.map((one) => stakeAsset(one as Address)),
];

async function checkSpans(context: OperationContext, over: LedgerOver, asset: LedgerAsset): Promise<void> {
  const spans = await over.spansOf(asset);
  const [total = []] = await over.totalsOver([asset]);
  const some = [PEOPLE[1], CONTRACTS[2], ZERO] as Address[];
  const ofSome = spans.filter(({ account }) => some.includes(account as Address));
  expect(inOrder(await over.spansOf(asset, some))).toEqual(inOrder(ofSome));
  for (const block of blocksOf(over.range)) {
    const here = spans.filter(({ from, until }) => from <= block && block < until);
    const [held = []] = await ledgerAt(context, await pointAt(context, block)).holders([asset]);
    expect(inOrder(here.map(({ account, amount }) => ({ account, amount })))).toEqual(inOrder(held));
    expect(valueAt(total, block)).toBe(held.reduce((sum, { amount }) => sum + amount, 0n));
  }
  expect(spans.every(({ from, until }) => from >= over.range.from && until <= over.range.to + 1)).toBe(true);
}

describe("the ledgers over a range", () => {
  it("say at every block what they say when read at that block", async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(worlds, (world) =>
        inWorld(world, () =>
          within(async (context) => {
            const { over } = await openRange(context, world);
            const steps = await over.stepsOf((ledger) => said(ledger));
            for (const block of blocksOf(world)) {
              expect(valueAt(steps, block)).toEqual(await said(ledgerAt(context, await pointAt(context, block))));
              read += 1;
            }
            expect(new Set(steps.map(({ from }) => from)).size).toBe(steps.length);
          }),
        ),
      ),
      { numRuns: WORLDS.said },
    );
    expect(read).toBeGreaterThan(sized({ some: WORLDS.said, whole: 50 }));
  });

  it("work out again only what may be another", () =>
    inWorld({ script: tellStaking(), finalized: 6 }, () =>
      within(async (context) => {
        const { over } = await openRange(context, { from: 1, to: 11 });
        const blocks: number[] = [];
        const [alice] = PEOPLE;
        await over.stepsOf(async (ledger, block) => {
          blocks.push(block);
          return ledger.amounts([{ kind: "stake", key: STAKED_IN[0] ?? "", account: alice ?? "" }]);
        });
        expect(blocks).toEqual([1]);
        blocks.length = 0;
        const steps = await over.stepsOf(async (ledger, block) => {
          blocks.push(block);
          return (await ledger.amounts([{ kind: "erc20", key: STAKED, account: alice ?? "" }]))[0];
        });
        expect(blocks).toEqual([1, 3, 5, 6, 7, 9, 10, 11]);
        expect(new Set(steps.map(({ value }) => value)).size).toBe(steps.length);
      }),
    ));

  it("have spans of everybody and of some that add up to what all have", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, (world) =>
        inWorld(world, () =>
          within(async (context) => {
            const { over } = await openRange(context, world);
            for (const id of ASSETS) await checkSpans(context, over, ledgerAssetOf(id) as LedgerAsset);
          }),
        ),
      ),
      { numRuns: WORLDS.spans },
    );
  });

  it("know when blocks were", () =>
    inWorld({ script: tellStaking(), finalized: 6 }, () =>
      within(async (context) => {
        const at = asOf(context.snapshot, await pointAt(context, 11));
        const times = await blockTimes(at, [11, 3, 3]);
        for (const block of [11, 3])
          expect(times.get(block)).toBe(BigInt((await pointAt(context, block)).timestamp as number));
        expect(times.size).toBe(2);
        await expect(blockTimes(at, [12])).rejects.toThrow("block 12 is not indexed");
      }),
    ));
});

const STAKING_VAULTS = [REWARD_VAULT, FARM, BAULT_FARM, INFRARED, STAKING];
const ASSETS_OF_STAKING = [
  ...[STAKED, BAULT, MOO, PLAIN, LAUNCH, FARMED, INCENTIVES, MULTI].map((one) => tokenAsset(one as Address)),
  ...STAKING_VAULTS.map((one) => stakeAsset(one as Address)),
];

describe("what protocols say over a range", () => {
  it("is at every block what they say at that block, one within the other, final or not", async () => {
    let backed = 0;
    await fc.assert(
      fc.asyncProperty(worlds, (world) =>
        inWorld(world, async () => {
          const input = { ...world, blocks: blocksOf(world), assets: ASSETS };
          backed += await within((context) => compareIssued(context, input));
        }),
      ),
      { numRuns: WORLDS.backed },
    );
    expect(backed).toBeGreaterThan(sized({ some: WORLDS.backed, whole: 200 }));
  });

  it.each([1, 12])("follows what a protocol knew when it was opened (final up to %i)", (finalized) =>
    inWorld({ script: tellLateBault(), finalized }, async () => {
      const input = { from: 1, to: 12, blocks: blocksOf({ from: 1, to: 12 }), assets: ASSETS, addresses: everybody };
      expect(await within((context) => compareIssued(context, input))).toBe(3);
      // the vault and its strategy, and two more that are listed by then
      expect(await within((context) => compareIssuerSince(context, input))).toBe(4);
    }),
  );

  it.each([11, 6, 1])(
    "is the same at every block for every kind of vault over one token (final up to %i)",
    async (finalized) => {
      const staking = openGateway(
        database.url,
        chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections }),
      );
      try {
        await inWorld({ script: tellStaking(), finalized }, async () => {
          const input = { from: 1, to: 11, blocks: blocksOf({ from: 1, to: 11 }), assets: ASSETS_OF_STAKING };
          const compared = await withinRequest(staking.service, (context) => compareIssued(context, input));
          expect(compared).toBeGreaterThan(60);
        });
      } finally {
        await staking.close();
      }
    },
  );
});

describe("what takes longer than a request may", () => {
  it("is given up", () =>
    inWorld({ script: tellStaking(), finalized: 6 }, () =>
      within(async (context) => {
        const { over, to } = await openRange(context, { from: 1, to: 11 });
        const late = { ...context, until: performance.now() - 1 };
        const assets = [tokenAsset(STAKED as Address)];
        await expect(issuedOver(late, { over, to, assets })).rejects.toThrow(RequestTooLongError);
      }),
    ));
});

describe("issuerSince", () => {
  it("is the first block at which the protocols name the contract", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(worlds, (world) =>
        inWorld(world, () =>
          within(async (context) => {
            const input = { ...world, blocks: blocksOf(world), addresses: everybody };
            found += await compareIssuerSince(context, input);
          }),
        ),
      ),
      { numRuns: WORLDS.issued },
    );
    expect(found).toBeGreaterThan(sized({ some: WORLDS.issued, whole: 20 }));
  });
});
