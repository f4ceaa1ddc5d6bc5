// Every kind of history there is.
import { ZERO_ADDRESS } from "../zero-address.ts";
import type { History } from "./history.ts";

const amounts = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, "numeric"]));

/** Who holds how much of what: tokens, shares, stakes, listings, and supplies as holdings of asset 0. */
export const holdings: History = {
  name: "holding",
  key: { asset: "int4", account: "bytea" },
  // of any length: what some contracts claim adds up to more than any amount, until their token is quarantined
  values: { amount: "numeric" },
  nothing: { column: "amount", value: "0" },
};

/** Price, liquidity and fees of a v3 pool. */
export const v3Pools: History = {
  name: "v3_pool",
  key: { pool: "int4" },
  values: {
    sqrt_price_x96: "numeric",
    tick: "int4",
    ...amounts("liquidity", "fee_growth_global0_x128", "fee_growth_global1_x128", "protocol_fees0", "protocol_fees1"),
    fee_protocol0: "int4",
    fee_protocol1: "int4",
  },
};

/** Initialised ticks; one that is no longer initialised has no liquidity. */
export const v3Ticks: History = {
  name: "v3_tick",
  key: { pool: "int4", tick: "int4" },
  values: amounts("liquidity_gross", "liquidity_net", "fee_growth_outside0_x128", "fee_growth_outside1_x128"),
  nothing: { column: "liquidity_gross", value: "0" },
};

const claim = amounts(
  "liquidity",
  "fee_growth_inside0_last_x128",
  "fee_growth_inside1_last_x128",
  "tokens_owed0",
  "tokens_owed1",
);

/** A pool's own positions. The contract never deletes one, so those with zeros stay. */
export const v3Positions: History = {
  name: "v3_position",
  key: { pool: "int4", owner: "bytea", tick_lower: "int4", tick_upper: "int4" },
  values: claim,
};

/** Token ids of position managers; a burnt one belongs to nobody. */
export const v3Nfts: History = {
  name: "v3_nft",
  key: { manager: "bytea", token_id: "numeric" },
  values: { pool: "int4", owner: "bytea", tick_lower: "int4", tick_upper: "int4", ...claim },
  nothing: { column: "owner", value: ZERO_ADDRESS },
};

/** What decides the worth of an island's shares. */
export const islands: History = {
  name: "island",
  key: { island: "int4" },
  values: {
    tick_lower: "int4",
    tick_upper: "int4",
    manager: "bytea",
    manager_fee_bps: "int4",
    treasury: "bytea",
    ...amounts("manager_balance0", "manager_balance1"),
  },
};

/** A v2 pair's reserves. */
export const v2Reserves: History = {
  name: "v2_reserve",
  key: { pair: "bytea" },
  values: amounts("reserve0", "reserve1"),
};

/** Where a launch pool stands on its curve. */
export const launchCurves: History = {
  name: "launch_curve",
  key: { pool: "bytea" },
  values: amounts("token_reserve", "base_reserve", "sqrt_price"),
};

export const histories: readonly History[] = [
  holdings,
  v3Pools,
  v3Ticks,
  v3Positions,
  v3Nfts,
  islands,
  v2Reserves,
  launchCurves,
];
