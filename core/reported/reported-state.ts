// State that contracts report whole: each event of one kind carries all of it, so the last one of a block is what holds from
// there on, and nothing is replayed.

import { launchCurves as launchCurveHistory, v2Reserves as v2ReserveHistory } from "../history/histories.ts";
import type { History } from "../history/history.ts";
import type { BlockRange } from "../ledgers/additive-ledger.ts";

export interface ReportedState {
  /** The protocol's name. */
  name: "v2" | "launch";
  /** The fact table that reports it. */
  fact: string;
  /** Column of the contract that it is the state of: hex in facts, bytes in the fold. */
  contract: string;
  /** Its declaration as a history. */
  history: History;
  /** Numeric columns, named alike in facts and fold. */
  columns: readonly string[];
}

/** A v2 pair's reserves. */
export const v2Reserves: ReportedState = {
  name: "v2",
  fact: "v2_sync",
  contract: "pair",
  history: v2ReserveHistory,
  columns: ["reserve0", "reserve1"],
};

/** Where a launch pool stands on its curve. */
export const launchCurves: ReportedState = {
  name: "launch",
  fact: "launch_sync",
  contract: "pool",
  history: launchCurveHistory,
  columns: ["token_reserve", "base_reserve", "sqrt_price"],
};

export const reportedStates: readonly ReportedState[] = [v2Reserves, launchCurves];

/** Columns of a state, `of` a relation's alias where given. */
export const reportedColumns = ({ columns }: ReportedState, of?: string): string =>
  columns.map((column) => (of === undefined ? column : `${of}.${column}`)).join(", ");

/**
 * SELECT text of (contract hex, block, columns): the last report of each contract in each block with
 * `after < block <= upTo`. `schema` is the quoted name of Ponder's schema.
 */
export const reportedText = (state: ReportedState, schema: string, { after, upTo }: BlockRange): string => `
    select distinct on (f.${state.contract}, f.block) f.${state.contract} as contract, f.block, ${reportedColumns(state, "f")}
      from ${schema}.${state.fact} f where f.block > ${after} and f.block <= ${upTo}
     order by f.${state.contract}, f.block, f.log_index desc`;
