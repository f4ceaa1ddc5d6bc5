// States that contracts report whole, as of a block.
import { keyColumns, listed, valueColumns } from "../../core/history/history.ts";
import type { ReportedState } from "../../core/reported/reported-state.ts";
import { question } from "../cache/question.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Address } from "../parameters.ts";
import { asOf } from "./as-of.ts";
import { cachedHistory, distinctOver, type HistoryRange, type HistoryTexts, RANGES } from "./history-ranges.ts";
import type { BlockPoint } from "./point.ts";
import { recentVersions } from "./recent-versions.ts";
import { stretchesOfAll } from "./stretches.ts";

/** What a contract reported at the end of `block`, by column. */
export interface Report {
  block: number;
  values: Readonly<Record<string, bigint>>;
}

interface ReportedRow extends Record<string, unknown> {
  contract: Address;
  block: number;
}

/** By the state's name. */
const histories: Readonly<Record<ReportedState["name"], ReturnType<typeof question<readonly ReportedRow[]>>>> = {
  v2: question("v2-reserve-histories"),
  launch: question("launch-curve-histories"),
};

/**
 * What each contract had reported by the end of the block, and every other end of a block in `ranges`, which ascend, in order:
 * the first report of a list is the one that held when the first range began, where there is one. Without ranges only the
 * last.
 */
export async function readReported(
  { snapshot }: { snapshot: Snapshot },
  state: ReportedState,
  {
    point,
    ranges = [{ first: point.block, last: point.block }],
  }: { point: BlockPoint; ranges?: readonly HistoryRange[] },
): Promise<Map<Address, Report[]>> {
  const at = asOf(snapshot, point);
  const from = ranges[0]?.first ?? point.block;
  const columns = valueColumns(state.history);
  const byContract = new Map<Address, Report[]>();
  for (const row of await cachedHistory(histories[state.name], { at, ranges }, textsOf(state, at.fold))) {
    const values = Object.fromEntries(columns.map((column) => [column, BigInt(String(row[column]))]));
    const list = byContract.get(row.contract) ?? [];
    byContract.set(row.contract, list);
    if (row.block <= from) list.length = 0;
    list.push({ block: row.block, values });
  }
  return byContract;
}

/** (contract, block, columns) */
function textsOf({ history }: ReportedState, fold: string): HistoryTexts {
  const columns = valueColumns(history);
  const shown = (block: string) =>
    `'0x' || encode(t.contract, 'hex') as contract, ${block} as block,
     ${columns.map((column) => `t.${column}::text as ${column}`).join(", ")}`;
  const select = (row: string) => `${listed(keyColumns(history), row)} as contract, ${listed(columns, row)}`;
  return {
    over: (ranges) => `
      select ${distinctOver(ranges)} ${shown("t.since")}
        from (${stretchesOfAll(history, { fold, ranges: RANGES, upTo: "$3::int4", select })}) t
       order by block`,
    recent: `
      select ${shown("t.block")}
        from (${recentVersions(history, { fold, select: (row) => `${row}.block, ${select(row)}` })}) t`,
  };
}
