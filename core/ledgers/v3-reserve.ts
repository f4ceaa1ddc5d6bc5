// What the events of a v3 pool say it holds of each of its tokens: everything paid in less everything paid out. What the token's
// own ledger has beyond that was sent to the pool outside of its functions.
import type { AdditiveLedger } from "./additive-ledger.ts";

export const V3_RESERVE = "v3-reserve";

interface Flow {
  table: string;
  /** Amount columns of token0 and token1. */
  amounts: readonly [string, string];
  sign: "" | "-";
  /** SQL condition on the fact `f`. */
  condition: string;
}

const flows: readonly Flow[] = [
  { table: "v3_swap", amounts: ["amount0", "amount1"], sign: "", condition: "true" },
  { table: "v3_liquidity", amounts: ["amount0", "amount1"], sign: "", condition: "f.kind = 'mint'" },
  { table: "v3_liquidity", amounts: ["amount0", "amount1"], sign: "-", condition: "f.kind = 'collect'" },
  { table: "v3_flash", amounts: ["paid0", "paid1"], sign: "", condition: "true" },
  { table: "v3_protocol_fee", amounts: ["amount0", "amount1"], sign: "-", condition: "f.kind = 'collect'" },
];

/**
 * Asset (`v3-reserve`, token), account = pool. Swaps carry signed amounts, a flash what it paid beyond its loan; a burn
 * moves nothing until it is collected. v3-core UniswapV3Pool.sol
 */
export const v3Reserve: AdditiveLedger = {
  name: "v3",
  facts: ["v3_pool_created", "v3_swap", "v3_liquidity", "v3_flash", "v3_protocol_fee"],
  joined: ["v3_pool_created"],
  deltas(schema, { after, upTo }) {
    const select = ({ table, amounts, sign, condition }: Flow, side: 0 | 1) => `
      select f.block, f.log_index, '${V3_RESERVE}' as kind, c.token${side} as key, f.pool as account,
             ${sign}f.${amounts[side]} as delta
        from ${schema}.${table} f join ${schema}.v3_pool_created c on c.pool = f.pool
       where f.block > ${after} and f.block <= ${upTo} and ${condition} and f.${amounts[side]} <> 0`;
    return flows.flatMap((flow) => [select(flow, 0), select(flow, 1)]).join(" union all ");
  },
};
