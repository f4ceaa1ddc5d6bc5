// Facts of one kind: a page of those that meet a filter, and how many there are.

import type { BlockSpan } from "../../core/block-span.ts";
import type { FactKind } from "../analytics/fact-kind.ts";
import { factsOfRow, factsRowText, type Wanted } from "../analytics/fact-rows.ts";
import type { Filter } from "../analytics/filter-sql.ts";
import { countText, type FactPlace, type PageQuestion, pageText } from "../analytics/page-sql.ts";
import type { Operation } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { InvalidInputError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { blocksAt } from "../history/blocks-at.ts";
import type { BlockPoint } from "../history/point.ts";
import { readBounded, readFacts, readPage } from "../history/raw-facts.ts";
import { type Cursor, pointOfPage, readCursor, writeCursor } from "./cursors.ts";

/** Columns as the schema names them: amounts as decimal text, everything else as it is shown. */
export type Fact = { block: number; logIndex: number } & Record<string, unknown>;

export interface FactsInput {
  kind: FactKind;
  where: Filter;
  /** Facts above it are left out. */
  block: BlockChoice;
  /** A column; undefined: the order of the chain. */
  orderBy: string | undefined;
  isAscending: boolean;
  size: number;
  /** The page after this place, or before it. */
  after?: string | undefined;
  before?: string | undefined;
  /** The last ones of the list rather than the first. */
  isFromEnd: boolean;
  /** Without it all of them are read. */
  columns?: Wanted;
}

export interface FactsPage {
  facts: Fact[];
  point: BlockPoint;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  cursorOf(fact: Fact): string;
}

function placeOf({ at }: Cursor, orderBy: string | undefined): FactPlace {
  const [rank, block, logIndex] = orderBy === undefined ? [undefined, ...at] : at;
  return {
    rank: rank === undefined ? undefined : BigInt(rank),
    block: Number(block),
    logIndex: Number(logIndex),
  };
}

const isPlaceIn = (orderBy: string | undefined) => (at: readonly (string | number)[]) => {
  const place = orderBy === undefined ? at : at.slice(1);
  const isRanked = orderBy === undefined || /^-?\d+$/.test(String(at[0]));
  return isRanked && place.length === 2 && place.every((step) => typeof step === "number");
};

/**
 * One page, in the order asked whichever end it is taken from. A cursor pins the block.
 * @throws InvalidInputError naming the filter or cursor; TooManyFactsError; what pointOf throws; PageReplacedError
 */
export const factsPage: Operation<FactsInput, FactsPage> = {
  name: "facts",
  async run(input, context) {
    const { chain, snapshot } = context;
    const { kind, where, orderBy, size, isFromEnd } = input;
    const parameter = isFromEnd ? "before" : "after";
    const text = isFromEnd ? input.before : input.after;
    const cursor = readCursor(text, isPlaceIn(orderBy), parameter);
    const point = await pointOfPage(context, { block: input.block, cursor, parameter });
    const page: PageQuestion = {
      kind,
      where,
      orderBy,
      span: await spanOf(snapshot, point, where),
      // the end of a list is the beginning of its reverse
      isAscending: input.isAscending !== isFromEnd,
      behind: cursor && placeOf(cursor, orderBy),
      limit: size + 1,
    };
    const columns = input.columns && new Set([...input.columns, ...(orderBy === undefined ? [] : [orderBy])]);
    const found = await readPage(snapshot, point, (facts) =>
      factsRowText(kind, pageText({ facts, chain }, page), columns),
    );
    const rows = factsOfRow<Fact>(kind, found, columns);
    const hasMore = rows.length > size;
    const shown = rows.slice(0, size);
    const hasPassed = cursor !== undefined;
    return {
      facts: isFromEnd ? shown.reverse() : shown,
      point,
      hasNextPage: isFromEnd ? hasPassed : hasMore,
      hasPreviousPage: isFromEnd ? hasMore : hasPassed,
      cursorOf: (fact) => {
        const place = [fact.block, fact.logIndex];
        return writeCursor(point, orderBy === undefined ? place : [String(fact[orderBy]), ...place]);
      },
    };
  },
};

/** Facts are counted up to this many. */
export const MOST_COUNTED = 100_000;

/** How many there are in the list of which `point` is the last block; one more than {@link MOST_COUNTED}: more. */
export const factsCount: Operation<{ kind: FactKind; where: Filter; point: BlockPoint }, number> = {
  name: "facts",
  async run({ kind, where, point }, { chain, snapshot }) {
    const span = await spanOf(snapshot, point, where);
    const [row] = await readFacts(snapshot, (facts) =>
      readBounded<{ n: number }>(facts, countText({ facts, chain }, { kind, where, span }, MOST_COUNTED + 1)),
    );
    return row?.n ?? 0;
  },
};

interface Ends {
  from?: number | null;
  to?: number | null;
}

const NO_BLOCKS: BlockSpan = { from: 1, to: 0 };

/** Facts have no index by time, but blocks are in its order: two bisections give the range of blocks. */
async function spanOfTime(snapshot: Snapshot, { from, to }: Ends): Promise<BlockSpan> {
  const [before, last] = await blocksAt(snapshot, [(from ?? 0) - 1, to ?? Number.MAX_SAFE_INTEGER]);
  return last === undefined ? NO_BLOCKS : { from: (before ?? -1) + 1, to: last };
}

function requireOrder(name: string, { from, to }: Ends): void {
  if (typeof from === "number" && typeof to === "number" && from > to)
    throw new InvalidInputError(`where.${name}`, `from ${from} lies after to ${to}`);
}

/**
 * The blocks up to `point` that `where.block` and `where.timestamp` leave; empty when `from` is above `to`.
 * @throws InvalidInputError naming the range that is the wrong way round
 */
async function spanOf(snapshot: Snapshot, point: BlockPoint, where: Filter): Promise<BlockSpan> {
  const block = (where.block ?? {}) as Ends;
  const timestamp = where.timestamp as Ends | null | undefined;
  requireOrder("block", block);
  requireOrder("timestamp", timestamp ?? {});
  const span = { from: block.from ?? 0, to: Math.min(block.to ?? point.block, point.block) };
  const isTimed = typeof timestamp?.from === "number" || typeof timestamp?.to === "number";
  if (!timestamp || !isTimed) return span;
  const timed = await spanOfTime(snapshot, timestamp);
  return { from: Math.max(span.from, timed.from), to: Math.min(span.to, timed.to) };
}
