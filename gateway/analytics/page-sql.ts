// One page of facts as SQL: seeks behind the place where the last page ended, never an offset. Each part of each source is
// limited to the page's length by itself, along its primary key where the order is the chain's.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import type { RawFacts } from "../history/raw-facts.ts";
import { expressionOf, type FactKind, placeColumns, type Source, sqlTypeOf, V2_SWAP_FEE } from "./fact-kind.ts";
import { conditionsOf, type Filter } from "./filter-sql.ts";

/** Whose facts are read. */
interface FactsPlace {
  facts: Pick<RawFacts, "parts">;
  chain: Pick<ChainFile, "v2">;
}

const withFee = (text: string, { chain }: FactsPlace): string =>
  text.replaceAll(V2_SWAP_FEE, String(chain.v2?.swapFee ?? 0));

/** In the order of a list: the value it is ordered by, unless that is the block; then where the fact is. */
export interface FactPlace {
  rank: bigint | undefined;
  block: number;
  logIndex: number;
}

export interface PageQuestion {
  kind: FactKind;
  where: Filter;
  span: BlockSpan;
  /** A column that facts are ordered by; undefined: the order of the chain. */
  orderBy: string | undefined;
  isAscending: boolean;
  /** Facts behind this place in that order. */
  behind: FactPlace | undefined;
  limit: number;
}

const spanSql = ({ from, to }: BlockSpan): string[] => [`f.block >= ${from}`, `f.block <= ${to}`];

function behindSql(source: Source, { orderBy, isAscending, behind }: PageQuestion): string[] {
  if (!behind) return [];
  const than = isAscending ? ">" : "<";
  const { rank, block, logIndex } = behind;
  const place = `(f.block, f.log_index) ${than} (${block}, ${logIndex})`;
  // the second condition adds nothing, but shows the planner where to begin
  if (orderBy === undefined || rank === undefined) return [place, `f.block ${than}= ${block}`];
  const value = expressionOf(source, orderBy);
  return [`(${value} ${than} ${rank} or (${value} = ${rank} and ${place}))`];
}

const columnsOf = (kind: FactKind) => Object.entries({ ...placeColumns, ...kind.columns });

/** Columns under the names of the schema. */
const shown = (kind: FactKind, source: Source): string =>
  columnsOf(kind)
    .map(([name, column]) => {
      const expression = expressionOf(source, name);
      return `${expression === "null" ? `null::${sqlTypeOf(column)}` : expression} as "${name}"`;
    })
    .join(", ");

/** SELECT text of the page's facts, `limit` of them, in the order asked; columns are named as in the schema. */
export function pageText(place: FactsPlace, question: PageQuestion): string {
  const { kind, where, span, orderBy, isAscending, limit } = question;
  const direction = isAscending ? "asc" : "desc";
  const ordered = (rank: readonly string[], at: readonly string[]) =>
    `order by ${[...rank, ...at].map((column) => `${column} ${direction}`).join(", ")} limit ${limit}`;
  const texts = kind.sources.flatMap((source) => {
    const conditions = [...spanSql(span), ...conditionsOf(kind, source, where), ...behindSql(source, question)];
    const rank = orderBy === undefined ? [] : [expressionOf(source, orderBy)];
    return place.facts.parts(source.table).map(
      (part) => `select ${shown(kind, source)} from ${part} f where ${conditions.join(" and ")}
      ${ordered(rank, ["f.block", "f.log_index"])}`,
    );
  });
  if (texts.length === 1) return withFee(texts.join(""), place);
  const text = `select * from (${texts.map((text) => `(${text})`).join(" union all ")}) u
    ${ordered(orderBy === undefined ? [] : [`"${orderBy}"`], ["block", '"logIndex"'])}`;
  return withFee(text, place);
}

/** SELECT text of `n`: how many facts there are, counted up to `most`. */
export function countText(
  place: FactsPlace,
  question: Pick<PageQuestion, "kind" | "where" | "span">,
  most: number,
): string {
  const { kind, where, span } = question;
  const texts = kind.sources.flatMap((source) => {
    const conditions = [...spanSql(span), ...conditionsOf(kind, source, where)];
    return place.facts
      .parts(source.table)
      .map((part) => `(select 1 from ${part} f where ${conditions.join(" and ")} limit ${most})`);
  });
  return withFee(
    `select count(*)::int as n from (select 1 from (${texts.join(" union all ")}) u limit ${most}) counted`,
    place,
  );
}

interface LatestQuestion {
  /** Each with the source that has its facts: `sourceColumn` identifies the sources of a kind. */
  keys: readonly { key: string; source: string }[];
  column: string;
  sourceColumn: string;
  upTo: number;
  /** Facts of each key. */
  count: number;
}

/** SELECT text of the newest facts of each key, newest first; undefined when there is no key. */
export function latestText(place: FactsPlace, kind: FactKind, question: LatestQuestion): string | undefined {
  const { column, sourceColumn, upTo, count } = question;
  const texts = kind.sources.flatMap((source) => {
    const keys = question.keys.filter((one) => `'${one.source}'` === source.values?.[sourceColumn]);
    if (keys.length === 0) return [];
    const parts = place.facts.parts(source.table).map(
      (part) => `(
        select ${shown(kind, source)} from ${part} f
         where ${expressionOf(source, column)} = wanted.key and f.block <= ${upTo}
         order by f.block desc, f.log_index desc limit ${count})`,
    );
    return `select latest.* from (values ${keys.map(({ key }) => `('${key}')`).join(", ")}) wanted(key) cross join lateral (
        select * from (${parts.join(" union all ")}) u order by block desc, "logIndex" desc limit ${count}) latest`;
  });
  return texts.length === 0 ? undefined : withFee(texts.map((text) => `(${text})`).join(" union all "), place);
}
