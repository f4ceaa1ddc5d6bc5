// Two ways to the same state: the reducer run through without a stop, and the fold's rows as of a block.
import type { ReservedSql } from "postgres";
import { applyFact } from "../../core/v3/reducer.ts";
import type { PoolState } from "../../core/v3/state.ts";
import { v3HistoryTables } from "../../fold/tables/v3.ts";
import { quoted } from "../../fold/tables.ts";
import { type V3History, worldsOf } from "./random-v3-history.ts";

/** Entity to its numbers, both as text. */
export type V3State = ReadonlyMap<string, string>;

function snapshot(worlds: ReturnType<typeof worldsOf>): V3State {
  const state = new Map<string, string>();
  for (const [{ manager }, world] of worlds) {
    for (const pool of world.pools.values()) addPool(state, pool);
    for (const n of world.manager.nfts.values())
      state.set(`nft ${manager} ${n.tokenId}`, [n.pool.pool, n.owner, n.tickLower, n.tickUpper, ...claimOf(n)].join());
  }
  return state;
}

function addPool(state: Map<string, string>, p: PoolState): void {
  if (p.sqrtPriceX96 === 0n) return;
  const growth = [p.feeGrowthGlobal0X128, p.feeGrowthGlobal1X128];
  const fees = [p.protocolFees0, p.protocolFees1, p.feeProtocol0, p.feeProtocol1];
  state.set(`pool ${p.pool}`, [p.sqrtPriceX96, p.tick, p.liquidity, ...growth, ...fees].join());
  for (const t of p.ticks) {
    const outside = [t.feeGrowthOutside0X128, t.feeGrowthOutside1X128];
    state.set(`tick ${p.pool} ${t.tick}`, [t.liquidityGross, t.liquidityNet, ...outside].join());
  }
  for (const o of p.positions.values())
    state.set(`position ${p.pool} ${o.owner} ${o.tickLower} ${o.tickUpper}`, claimOf(o).join());
}

/** The whole state after every block that has facts, read from the reducer's memory and not from what it says changed. */
export function statesByReducer({ pools, facts }: V3History): Map<number, V3State> {
  const worlds = worldsOf(pools);
  const byPool = new Map(pools.map(({ constants, deployment }) => [constants.pool, worlds.get(deployment)!]));
  const byManager = new Map([...worlds].map(([{ manager }, world]) => [manager, world]));
  const states = new Map<number, V3State>();
  for (const [index, { fact, contract }] of facts.entries()) {
    applyFact("pool" in fact ? byPool.get(fact.pool)! : byManager.get(contract)!, fact);
    if (facts[index + 1]?.fact.block !== fact.block) states.set(fact.block, snapshot(worlds));
  }
  return states;
}

interface Claim {
  liquidity: bigint;
  feeGrowthInside0LastX128: bigint;
  feeGrowthInside1LastX128: bigint;
  tokensOwed0: bigint;
  tokensOwed1: bigint;
}

const claimOf = (c: Claim): bigint[] => [
  c.liquidity,
  c.feeGrowthInside0LastX128,
  c.feeGrowthInside1LastX128,
  c.tokensOwed0,
  c.tokensOwed1,
];

const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
const claim =
  "r.liquidity, r.fee_growth_inside0_last_x128, r.fee_growth_inside1_last_x128, r.tokens_owed0, r.tokens_owed1";
const kinds = {
  pool: {
    key: "",
    values: `r.sqrt_price_x96, r.tick, r.liquidity, r.fee_growth_global0_x128, r.fee_growth_global1_x128,
      r.protocol_fees0, r.protocol_fees1, r.fee_protocol0, r.fee_protocol1`,
  },
  tick: {
    key: "|| ' ' || r.tick",
    values: "r.liquidity_gross, r.liquidity_net, r.fee_growth_outside0_x128, r.fee_growth_outside1_x128",
  },
  position: { key: `|| ' ' || ${hex("r.owner")} || ' ' || r.tick_lower || ' ' || r.tick_upper`, values: claim },
  nft: { key: "", values: `${hex("p.address")}, ${hex("r.owner")}, r.tick_lower, r.tick_upper, ${claim}` },
} as const;

export interface StoredSpan {
  key: string;
  text: string;
  from: number;
  to: number;
  lvl: number | null;
}

/** Every interval and every current row, the latter without an end. */
export async function readSpans(db: ReservedSql, foldSchema: string): Promise<StoredSpan[]> {
  const s = quoted(foldSchema);
  const spans: StoredSpan[] = [];
  for (const [kind, { key, values }] of Object.entries(kinds)) {
    const name = kind === "nft" ? `${hex("r.manager")} || ' ' || r.token_id` : `${hex("p.address")} ${key}`;
    const text = (times: string, table: string) => `
      select '${kind} ' || ${name} as key, concat_ws(',', ${values}) as text, ${times}
        from ${s}.v3_${kind}_${table} r join ${s}.v3_pool p on p.id = r.pool`;
    const closed = text(`from_block as "from", to_block as "to", lvl`, "interval");
    const current = text(`since as "from", 2147483647 as "to", null::int2 as lvl`, "current");
    spans.push(...((await db.unsafe(`${closed} union all ${current}`)) as unknown as StoredSpan[]));
  }
  return spans;
}

export const stateAt = (spans: readonly StoredSpan[], block: number): V3State =>
  new Map(spans.filter(({ from, to }) => from <= block && block < to).map(({ key, text }) => [key, text]));

export const sorted = (state: V3State): [string, string][] => [...state].sort(([a], [b]) => (a < b ? -1 : 1));

/** Every row of every v3 table as text, pools by address and not by number, sorted: equal tables give equal lists. */
export async function readV3Tables(db: ReservedSql, foldSchema: string): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const table of ["v3_pool", ...v3HistoryTables]) {
    const s = quoted(foldSchema);
    const number = table === "v3_pool" ? "id" : "pool";
    const rows = await db.unsafe(`
      select (to_jsonb(t) - '${number}')::text || p.address::text as row
        from ${s}.${table} t join ${s}.v3_pool p on p.id = t.${number} order by 1`);
    tables[table] = rows.map(({ row }) => String(row));
  }
  return tables;
}
