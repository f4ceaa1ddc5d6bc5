// State that contracts report whole: each event of one kind carries all of it, so the last one of a block is what holds from
// there on, and nothing is replayed.

import type { BlocksAfterSql } from "../blocks-after.ts";
import { launchCurves, v2Reserves } from "../history/histories.ts";
import { type History, keyColumns, listed, valueColumns } from "../history/history.ts";

export interface ReportedState {
  /** The protocol's name. */
  name: "v2" | "launch";
  /** The fact table that reports it: it has the columns of the history under the same names, the contract as hex. */
  fact: string;
  /** Its key is the contract alone. */
  history: History;
}

export const v2Reports: ReportedState = { name: "v2", fact: "v2_sync", history: v2Reserves };
export const launchReports: ReportedState = { name: "launch", fact: "launch_sync", history: launchCurves };
export const reportedStates: readonly ReportedState[] = [v2Reports, launchReports];

/**
 * SELECT text of (contract hex, block, values): the last report of each contract in each block with
 * `after < block <= upTo`. `schema` is the quoted name of Ponder's schema.
 */
export function reportedText(
  { fact, history }: ReportedState,
  schema: string,
  { after, upTo }: BlocksAfterSql,
): string {
  const [contract, values] = [listed(keyColumns(history), "f"), listed(valueColumns(history), "f")];
  return `
    select distinct on (${contract}, f.block) ${contract} as contract, f.block, ${values}
      from ${schema}.${fact} f where f.block > ${after} and f.block <= ${upTo}
     order by ${contract}, f.block, f.log_index desc`;
}
