// Two islands over one v3 pool, written fact by fact: shares, a position, fees booked for the manager and paid out, a manager who
// renounces, another range.
import type { Sql } from "postgres";
import type { IslandSettings } from "../../core/island/facts.ts";
import { managerPartRoundingDown } from "../../core/island/manager-fee.ts";
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import type { PoolFact } from "../../core/v3/facts.ts";
import { addPool, applyFact, createWorld } from "../../core/v3/reducer.ts";
import { quoted } from "../../fold/tables.ts";
import { ForwardPool } from "../core/v3-forward-pool.ts";
import { DEPLOYMENTS } from "../fold/random-v3-history.ts";
import { tableAndRow } from "../fold/v3-fact-tables.ts";
import { chainFixture } from "./gateway-fixture.ts";
import { hashOf } from "./index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "./reference-ledger.ts";
import { SCRIPT_CHAIN_ID, Script } from "./scripted-index.ts";
import { v3Deployments } from "./v3-index.ts";

export const [TOKEN0, TOKEN1, POOL, ISLAND, OTHER] = [1, 2, 50, 60, 61].map(tokenOf) as [
  string,
  string,
  string,
  string,
  string,
];
export const [ALICE, BOB, CAROL, MANAGER, TREASURY, FACTORY_TREASURY] = [1, 2, 3, 4, 5, 6].map(accountOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const [FACTORY, IMPLEMENTATION] = [90, 91].map(accountOf) as [string, string];
/** Block of the islands' creation, and of the first one's renouncing. */
export const [CREATED, RENOUNCED] = [3, 12];
const E18 = 10n ** 18n;
const RANGE = { tickLower: -600, tickUpper: 600 };

export const islandChain = chainFixture({
  chainId: SCRIPT_CHAIN_ID,
  startBlock: 0,
  stables: [{ address: TOKEN0, priceUsd: "1" }],
  v3: { deployments: v3Deployments },
  islands: { factory: { address: FACTORY, startBlock: 0 } },
});

/** What a contract answers. */
export type AnsweredSettings = { [Field in keyof IslandSettings]: NonNullable<IslandSettings[Field]> };

/** Some of it is unknown. */
export type StoredSettings = IslandSettings & { island: string; block: number };

export interface ReadSettings extends AnsweredSettings {
  island: string;
  block: number;
}

/** What the islands say of themselves where no event does. */
export const islandSettings: readonly ReadSettings[] = [
  { island: ISLAND, block: CREATED, ...RANGE, managerFeeBps: 1_000, treasury: TREASURY },
  { island: OTHER, block: CREATED, ...RANGE, managerFeeBps: 0, treasury: TREASURY },
  { island: ISLAND, block: RENOUNCED, ...RANGE, managerFeeBps: 500, treasury: FACTORY_TREASURY },
];

class IslandScript extends Script {
  readonly #deployment = DEPLOYMENTS[0]!;
  readonly #constants = {
    ...{ pool: POOL, fee: 3_000, tickSpacing: 60, flavour: "uniswap" as const },
    ...{ initialFeeProtocol0: 0, initialFeeProtocol1: 0 },
  };
  readonly #world = createWorld(this.#deployment);
  readonly #forward = new ForwardPool(this.#constants, getSqrtRatioAtTick(0));

  createPool(): void {
    addPool(this.#world, this.#constants);
    const { factory } = this.#deployment;
    const place = { factory, pool: POOL, token0: TOKEN0, token1: TOKEN1, fee: 3_000, tick_spacing: 60 };
    this.tell("v3_pool_created", place);
  }

  initialize(): void {
    this.#say(this.#forward.initialize());
  }

  #say(fact: PoolFact, owner?: string): void {
    const said = (owner === undefined ? fact : { ...fact, owner, sender: owner }) as PoolFact;
    const mismatch = applyFact(this.#world, { ...said, block: this.block });
    if (mismatch) throw mismatch;
    const [table, row] = tableAndRow(said, POOL);
    this.tell(table, { pool: POOL, ...row });
  }

  #pay(from: string, to: string, amounts: readonly [bigint, bigint]): void {
    for (const [side, token] of [TOKEN0, TOKEN1].entries())
      if (amounts[side]! > 0n) this.move(token, { from, to, amount: amounts[side]! });
  }

  provide(owner: string, range: typeof RANGE, liquidity: bigint): void {
    const minted = this.#forward.mint(range.tickLower, range.tickUpper, liquidity);
    if (minted.kind !== "mint") throw new Error("a mint is a mint");
    this.#pay(owner, POOL, [minted.amount0, minted.amount1]);
    this.#say(minted, owner);
  }

  swap(zeroForOne: boolean, amount: bigint): void {
    const limit = getSqrtRatioAtTick(zeroForOne ? -500 : 500);
    for (const fact of this.#forward.swap({ zeroForOne, amountSpecified: amount, sqrtPriceLimitX96: limit })) {
      if (fact.kind === "swap")
        for (const [token, moved] of [
          [TOKEN0, fact.amount0],
          [TOKEN1, fact.amount1],
        ] as const)
          this.move(
            token,
            moved > 0n ? { from: ALICE, to: POOL, amount: moved } : { from: POOL, to: ALICE, amount: -moved },
          );
      this.#say(fact);
    }
  }

  createIsland(island: string): void {
    const more = { manager: MANAGER, factory: FACTORY, implementation: IMPLEMENTATION };
    this.tell("island_created", { island, pool: POOL, ...more });
  }

  /** Burns `liquidity` of the island's position and collects everything; resolves to what is the manager's of the fees. */
  harvest(island: string, liquidity: bigint, managerFeeBps: number): [bigint, bigint] {
    const burnt = this.#forward.burn(RANGE.tickLower, RANGE.tickUpper, liquidity);
    if (burnt.kind !== "burn") throw new Error("a burn is a burn");
    this.#say(burnt, island);
    const position = [...this.#world.pools.get(POOL)!.positions.values()].find(
      ({ owner, tickLower }) => owner === island && tickLower === RANGE.tickLower,
    )!;
    const owed = { amount0: position.tokensOwed0, amount1: position.tokensOwed1 };
    const place = { block: this.block, logIndex: 0, txIndex: 0, pool: POOL, owner: island, ...RANGE };
    this.#pay(POOL, island, [owed.amount0, owed.amount1]);
    this.#say({ kind: "collect", ...place, ...owed } as PoolFact);
    const gross = [owed.amount0 - burnt.amount0, owed.amount1 - burnt.amount1] as const;
    const parts = gross.map((fees) => managerPartRoundingDown(fees, managerFeeBps)) as [bigint, bigint];
    const net = { amount0: `${gross[0] - parts[0]}`, amount1: `${gross[1] - parts[1]}` };
    this.tell("island_flow", { island, kind: "fees", ...net });
    return parts;
  }

  payManager(island: string, parts: readonly [bigint, bigint]): void {
    this.nextTransaction();
    this.#pay(island, TREASURY, parts);
  }

  renounce(island: string): void {
    this.nextTransaction();
    const none = { fee_bps: null, treasury: null };
    this.tell("island_manager", { ...none, island, kind: "owner", new_manager: ZERO });
  }

  rebalance(island: string, range: typeof RANGE): void {
    const more = { compounder: MANAGER, liquidity_before: "1", liquidity_after: "2" };
    this.tell("island_rebalance", { island, ...more, tick_lower: range.tickLower, tick_upper: range.tickUpper });
  }
}

/** Up to block 20. */
export function islandScript(): Script {
  const script = new IslandScript();
  script.createPool();
  for (const token of [TOKEN0, TOKEN1]) script.mint(token, ALICE, 1_000_000n * E18);
  script.nextBlock(); // 2
  script.initialize();
  script.provide(ALICE, { tickLower: -6_000, tickUpper: 6_000 }, 1_000n * E18);
  script.nextBlock(); // 3
  for (const island of [ISLAND, OTHER]) script.createIsland(island);
  script.nextBlock(); // 4
  for (const token of [TOKEN0, TOKEN1])
    for (const island of [ISLAND, OTHER]) script.move(token, { from: ALICE, to: island, amount: 900n * E18 });
  script.mint(ISLAND, ALICE, 60n * E18);
  script.mint(ISLAND, BOB, 40n * E18);
  script.mint(OTHER, CAROL, 7n * E18);
  script.nextBlock(); // 5
  script.provide(ISLAND, RANGE, 2_000n * E18);
  script.provide(OTHER, RANGE, 500n * E18);
  script.nextBlock(); // 6
  script.swap(true, 20n * E18);
  script.nextBlock(); // 7
  const parts = script.harvest(ISLAND, 0n, 1_000);
  script.nextBlock(); // 8
  script.swap(false, 30n * E18);
  script.nextBlock(); // 9
  script.payManager(ISLAND, parts);
  script.nextBlock(); // 10
  script.harvest(ISLAND, 1_000n * E18, 1_000);
  script.nextBlock(); // 11
  script.swap(true, 5n * E18);
  script.nextBlock(); // 12
  script.harvest(ISLAND, 0n, 1_000);
  script.renounce(ISLAND);
  script.nextBlock(); // 13
  script.swap(false, 8n * E18);
  script.nextBlock(); // 14
  script.harvest(ISLAND, 1_000n * E18, 500);
  script.rebalance(ISLAND, { tickLower: -1_200, tickUpper: 1_200 });
  script.provide(ISLAND, { tickLower: -1_200, tickUpper: 1_200 }, 300n * E18);
  script.nextBlock(); // 15
  script.move(ISLAND, { from: BOB, to: CAROL, amount: 11n * E18 });
  while (script.block < 20) script.nextBlock();
  return script;
}

/** What the reader of settings leaves in the fold's tables, where the node answers for some and refuses for `refused`. */
export async function storeSettings(
  sql: Sql,
  foldSchema: string,
  { settings, refused = [] }: { settings: readonly StoredSettings[]; refused?: readonly ReadSettings[] },
): Promise<void> {
  const s = quoted(foldSchema);
  const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex");
  for (const { island, block, tickLower, tickUpper, managerFeeBps, treasury } of settings)
    await sql.unsafe(`insert into ${s}.island_settings values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`, [
      bytes(island),
      block,
      hashOf(block),
      tickLower ?? null,
      tickUpper ?? null,
      managerFeeBps ?? null,
      treasury === undefined ? null : bytes(treasury),
    ]);
  for (const { island, block } of refused)
    await sql.unsafe(
      `insert into ${s}.island_settings_retry (address, block, block_hash, attempts, last_error, next_try)
       values ($1, $2, $3, 3, 'missing trie node', now())`,
      [bytes(island), block, hashOf(block)],
    );
}
