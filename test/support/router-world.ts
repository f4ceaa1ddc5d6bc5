// A small world to route through, written block by block above the last final block: two v3 factories, v2 pairs, a token that takes
// a fee on transfer, and a pool whose events contradict each other.
import type { PoolFact } from "../../core/v3/facts.ts";
import { ForwardPool } from "../core/v3-forward-pool.ts";
import { NOBODY, tableAndRow } from "../fold/v3-fact-tables.ts";
import { chainFixture } from "./gateway-fixture.ts";
import { accountOf, tokenOf } from "./reference-ledger.ts";
import { SCRIPT_CHAIN_ID, Script } from "./scripted-index.ts";

export const WRAPPED = "0x00000000000000000000000000000000000000ee";
export const [A, B, C, D] = [tokenOf(1), tokenOf(2), tokenOf(3), tokenOf(4)] as const;
export const [TAXED, TAXED_IN_V3] = [tokenOf(9), tokenOf(10)] as const;
export const [POOL_WA, POOL_BC, POOL_AD] = [tokenOf(201), tokenOf(202), tokenOf(203)] as const;
const POOL_BT = tokenOf(204);
export const [PAIR_AB, PAIR_BT] = [tokenOf(101), tokenOf(102)] as const;
export const [ROUTER, OTHER_ROUTER] = [accountOf(80), accountOf(81)] as const;
export const ALICE = accountOf(1);
const [FACTORY, OTHER_FACTORY, V2_FACTORY] = [accountOf(90), accountOf(91), accountOf(92)] as const;

export const RESERVE = 10n ** 24n;
/** What the blocks of the world bring. */
export const BLOCKS = {
  wa: 2,
  ab: 3,
  ad: 4,
  taxedPair: 5,
  bc: 6,
  taxShows: 7,
  waMoves: 8,
  bcStops: 9,
  head: 10,
} as const;

const deployment = (factory: string, swapRouter02: string) => ({
  flavour: "uniswap" as const,
  factory: { address: factory, startBlock: 0 },
  positionManager: { address: accountOf(95), startBlock: 0 },
  swapRouter02,
  quoterV2: accountOf(96),
  mixedRouteQuoterV1: null,
});

export const routerChain = chainFixture({
  chainId: SCRIPT_CHAIN_ID,
  startBlock: 0,
  nativeSymbol: "BERA",
  v2: { factory: { address: V2_FACTORY, startBlock: 0 }, router: accountOf(93) },
  v3: { deployments: [deployment(FACTORY, ROUTER), deployment(OTHER_FACTORY, OTHER_ROUTER)] },
  stables: [{ address: B, priceUsd: "1" }],
  gasTipWei: "1000000000",
});

/** 1 : 1, wide liquidity and some close to the price, as it is before anybody trades in it. */
export function freshPool(pool: string): ForwardPool {
  const constants = { pool, fee: 3_000, tickSpacing: 60, flavour: "uniswap" as const };
  const forward = new ForwardPool({ ...constants, initialFeeProtocol0: 0, initialFeeProtocol1: 0 }, 2n ** 96n);
  return forward;
}

export const RANGES = [
  [-60_000, 60_000, 10n ** 24n],
  [-600, 600, 5n * 10n ** 23n],
] as const;

/** The same with its liquidity. */
export function filledPool(pool: string): ForwardPool {
  const forward = freshPool(pool);
  for (const [lower, upper, liquidity] of RANGES) forward.mint(lower, upper, liquidity);
  return forward;
}

export const MOVE = { zeroForOne: true, amountSpecified: 3n * 10n ** 22n, sqrtPriceLimitX96: 4_295_128_740n };

function tellFact(script: Script, fact: PoolFact): void {
  const [table, row] = tableAndRow(fact, fact.pool);
  script.tell(table, { pool: fact.pool, ...row });
}

function openPool(script: Script, place: { factory: string; pool: string; tokens: [string, string] }): void {
  const [token0, token1] = place.tokens;
  const { factory, pool } = place;
  script.tell("v3_pool_created", { factory, pool, token0, token1, fee: 3_000, tick_spacing: 60 });
  const forward = freshPool(pool);
  tellFact(script, forward.initialize());
  for (const [lower, upper, liquidity] of RANGES) tellFact(script, forward.mint(lower, upper, liquidity));
}

/** The pool's swap of {@link MOVE}, whose receiver gets `received` hundredths of what the pool pays of `token`. */
function tellSwap(
  script: Script,
  pool: string,
  { token, received = 100n }: { token: string; received?: bigint },
): void {
  script.nextTransaction();
  for (const fact of filledPool(pool).swap(MOVE)) {
    if (fact.kind !== "swap") continue;
    const amount = (-fact.amount1 * received) / 100n;
    script.move(token, { from: pool, to: NOBODY, amount });
    if (amount < -fact.amount1) script.move(token, { from: pool, to: accountOf(7), amount: -fact.amount1 - amount });
    // one that no liquidity explains
    tellFact(script, pool === POOL_BC ? { ...fact, liquidity: fact.liquidity + 1n } : fact);
  }
}

function openPair(script: Script, pair: string, [token0, token1]: [string, string]): void {
  script.tell("v2_pair_created", { factory: V2_FACTORY, pair, token0, token1, ordinal: "1" });
  script.tell("v2_sync", { pair, reserve0: `${RESERVE}`, reserve1: `${RESERVE}` });
}

/** The pair sends 1,000 of the taxed token and its receiver gets 990. */
function showTax(script: Script): void {
  script.nextTransaction();
  script.move(TAXED, { from: PAIR_BT, to: ALICE, amount: 990n });
  script.move(TAXED, { from: PAIR_BT, to: accountOf(7), amount: 10n });
  script.tell("v2_sync", { pair: PAIR_BT, reserve0: `${RESERVE + 1_010n}`, reserve1: `${RESERVE - 1_000n}` });
  const swapped = { amount0_in: "1010", amount1_in: "0", amount0_out: "0", amount1_out: "1000" };
  script.tell("v2_swap", { pair: PAIR_BT, sender: ALICE, to: ALICE, ...swapped });
}

export function tellRouterWorld(): Script {
  const script = new Script();
  for (const token of [WRAPPED, A, B, C, D, TAXED, TAXED_IN_V3]) script.mint(token, ALICE, 10n ** 30n);
  script.mint(TAXED, PAIR_BT, 10n ** 30n);
  for (const [token, pool] of [
    [A, POOL_WA],
    [C, POOL_BC],
    [TAXED_IN_V3, POOL_BT],
  ] as const)
    script.mint(token, pool, 10n ** 30n);
  script.nextBlock(); // 2
  openPool(script, { factory: FACTORY, pool: POOL_WA, tokens: [WRAPPED, A] });
  script.nextBlock(); // 3
  openPair(script, PAIR_AB, [A, B]);
  script.nextBlock(); // 4
  openPool(script, { factory: OTHER_FACTORY, pool: POOL_AD, tokens: [A, D] });
  script.nextBlock(); // 5
  openPair(script, PAIR_BT, [B, TAXED]);
  openPool(script, { factory: FACTORY, pool: POOL_BT, tokens: [B, TAXED_IN_V3] });
  script.nextBlock(); // 6
  openPool(script, { factory: FACTORY, pool: POOL_BC, tokens: [B, C] });
  script.nextBlock(); // 7
  showTax(script);
  tellSwap(script, POOL_BT, { token: TAXED_IN_V3, received: 93n });
  script.nextBlock(); // 8
  tellSwap(script, POOL_WA, { token: A });
  script.nextBlock(); // 9
  tellSwap(script, POOL_BC, { token: C });
  script.nextBlock(); // 10
  return script;
}
