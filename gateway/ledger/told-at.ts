// States that contracts tell whole, as of a block: the fold's rows, and what was told above the watermark.
import { histories } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";
import { type ToldState, toldColumns, toldText } from "../../core/told/told-state.ts";
import type { OperationContext } from "../context.ts";
import { stretchesOfAll } from "../history/stretches.ts";
import type { Address } from "../parameters.ts";
import { asOf } from "./as-of.ts";
import { distinctOver, foldedHistory, type HistoryRange, RANGES, rangeParameters } from "./history-ranges.ts";
import { type KeptAnswers, keepAnswers } from "./kept-answers.ts";
import type { BlockPoint } from "./point.ts";

/** What a contract told at the end of `block`, by column. */
export interface Telling {
  block: number;
  values: Readonly<Record<string, bigint>>;
}

interface ToldRow extends Record<string, unknown> {
  contract: Address;
  block: number;
}

type ToldRows = readonly ToldRow[];

/** Rows that are kept of each state. */
const MOST_KEPT = 100_000;
const keptRows = new Map<ToldState, KeptAnswers<ToldRows>>();

function keptOf(state: ToldState): KeptAnswers<ToldRows> {
  const known =
    keptRows.get(state) ??
    keepAnswers<ToldRows>({ most: MOST_KEPT, mostAnswers: 4, weigh: ({ length }) => 1 + length });
  keptRows.set(state, known);
  return known;
}

/**
 * What each contract had told by the end of the block, and every other end of a block in `ranges`, which ascend, in order:
 * the first telling of a list is the one that held when the first range began, where there is one. Without ranges only the
 * last.
 */
export async function readTold(
  { snapshot }: Pick<OperationContext, "snapshot">,
  state: ToldState,
  {
    point,
    ranges = [{ first: point.block, last: point.block }],
  }: { point: BlockPoint; ranges?: readonly HistoryRange[] },
): Promise<Map<Address, Telling[]>> {
  const { fold } = asOf(snapshot, point);
  const from = ranges[0]?.first ?? point.block;
  const told = [
    ...(await foldedHistory(keptOf(state), { snapshot, point, ranges }, (read) =>
      snapshot.prepared<ToldRow>(foldedText(state, { fold, ranges: read }), rangeParameters(read)),
    )),
  ];
  if (point.block > point.watermark) {
    const range = { after: "$1::int4", upTo: "$2::int4" };
    const above = await snapshot.withFacts((facts) =>
      facts.prepared<ToldRow>(
        `select contract, block, ${texts(state)} from (${toldText(state, facts.schemas.ponder, range)}) t order by block`,
        [String(point.watermark), String(point.block)],
      ),
    );
    told.push(...above);
  }
  const byContract = new Map<Address, Telling[]>();
  for (const row of told) {
    const values = Object.fromEntries(state.columns.map((column) => [column, BigInt(String(row[column]))]));
    const list = byContract.get(row.contract) ?? [];
    byContract.set(row.contract, list);
    if (row.block <= from) list.length = 0;
    list.push({ block: row.block, values });
  }
  return byContract;
}

const texts = ({ columns }: ToldState): string => columns.map((column) => `${column}::text as ${column}`).join(", ");

/** With {@link rangeParameters} (contract, block, columns): what held at the end of `first`, and what was told up to `last`, in order of blocks. */
function foldedText(state: ToldState, { fold, ranges }: { fold: string; ranges: readonly HistoryRange[] }): string {
  const stretches = stretchesOfAll(historyOf(state), {
    ...{ fold, ranges: RANGES, upTo: "$3::int4" },
    select: (row) => `${row}.${state.contract} as contract, ${toldColumns(state, row)}`,
  });
  return `
    select ${distinctOver(ranges)} '0x' || encode(t.contract, 'hex') as contract, t.since as block, ${texts(state)}
      from (${stretches}) t
     order by block`;
}

function historyOf({ table }: ToldState): History {
  const history = histories.find(({ name }) => name === table);
  if (!history) throw new Error(`no history is declared for ${table}`);
  return history;
}
