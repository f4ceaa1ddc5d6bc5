// Page cursors: opaque to clients, they pin the block (number, hash, and which rows it had), so that pages of one walk never mix blocks.
import { z } from "zod";
import type { OperationContext } from "../context.ts";
import { GatewayError, InvalidInputError } from "../errors.ts";
import { type BlockChoice, blockNumbered } from "../history/block-choice.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";

const shape = z.tuple([
  z.number().int().min(0),
  z.string(),
  z.array(z.union([z.string().max(100), z.number().int()])).max(4),
  z.array(z.number().int()).min(1).max(2),
]);

export interface Cursor {
  block: number;
  /** First characters of the block's hash; empty when it was not known. */
  hash: string;
  /** What {@link stateCounts} gave then. */
  counts: readonly number[];
  /** Where the page ended, in the order of the list it belongs to. */
  at: readonly (string | number)[];
}

const HASH_LENGTH = 18;

/**
 * What else than its hash tells the rows of a block apart: how many tokens are without history, and while it can still be taken back,
 * how often blocks were. It says more than it must: blocks above it may have been taken back alone.
 */
export const stateCounts = ({ block, finalized, rewinds, withoutHistory }: BlockPoint): number[] =>
  block > finalized ? [withoutHistory, rewinds] : [withoutHistory];

export function writeCursor(point: BlockPoint, at: readonly (string | number)[]): string {
  const pinned = [point.block, point.hash?.slice(0, HASH_LENGTH) ?? "", at, stateCounts(point)];
  return Buffer.from(JSON.stringify(pinned)).toString("base64url");
}

/**
 * Undefined: the first page is wanted.
 * @throws InvalidInputError naming `parameter` when it is not one of ours, or not for a list like this
 */
export function readCursor(
  text: string | undefined,
  isPlace: (at: readonly (string | number)[]) => boolean,
  parameter = "after",
): Cursor | undefined {
  if (text === undefined) return undefined;
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    decoded = undefined;
  }
  const parsed = shape.safeParse(decoded);
  if (!parsed.success || !isPlace(parsed.data[2])) throw new ForeignCursorError(parameter);
  const [block, hash, at, counts] = parsed.data;
  return { block, hash, at, counts };
}

/** The cursor is of another list, or of this one with other filters. */
export class ForeignCursorError extends InvalidInputError {
  override name = "ForeignCursorError";

  constructor(parameter = "after") {
    super(parameter, "is not a cursor of this list; take it from pageInfo, and go on with the same filters");
  }
}

/** Whether a step of a place is an address as we write them. */
export const isAddress = (step: string | number | undefined): boolean => /^0x[0-9a-f]{40}$/.test(String(step));

/** A place that is one address. */
export const isAddressPlace = (at: readonly (string | number)[]): boolean => at.length === 1 && isAddress(at[0]);

/** A place that is one number, such as how many have been listed. */
export const isNumberPlace = (at: readonly (string | number)[]): boolean =>
  at.length === 1 && typeof at[0] === "number";

/** A place that is a block and a log in it. */
export const isLogPlace = (at: readonly (string | number)[]): boolean =>
  at.length === 2 && at.every((step) => typeof step === "number");

/**
 * The block a page is read at: the cursor's, even if `latest` is another one by now. `parameter` is what errors call the cursor.
 * @throws PageReplacedError; InvalidInputError naming `parameter`; what pointOf throws
 */
export async function pointOfPage(
  context: OperationContext,
  { block, cursor, parameter = "after" }: { block: BlockChoice; cursor?: Cursor | undefined; parameter?: string },
): Promise<BlockPoint> {
  const point = await pointOf(context, pinnedChoice(block, cursor, parameter));
  requireSameBlock(cursor, point);
  return point;
}

function pinnedChoice(choice: BlockChoice, cursor: Cursor | undefined, parameter: string): BlockChoice {
  if (!cursor) return choice;
  if (choice.kind === "number" && choice.number !== cursor.block)
    throw new InvalidInputError(parameter, `belongs to block ${cursor.block}, not ${choice.number}`);
  return blockNumbered(cursor.block, parameter);
}

/** @throws PageReplacedError when the cursor's block has been replaced, or may have other rows */
function requireSameBlock(cursor: Cursor | undefined, point: BlockPoint): void {
  if (!cursor) return;
  const isSameHash = cursor.hash === "" || point.hash === undefined || point.hash.startsWith(cursor.hash);
  // also where the block has become final since: when blocks were taken back, before or after, is not known
  const now = [point.withoutHistory, point.rewinds];
  if (!isSameHash || cursor.counts.some((count, i) => count !== now[i])) throw new PageReplacedError(point.block);
}

/** 409: the walk began on a block that is no longer part of the chain, or with rows that have changed. */
class PageReplacedError extends GatewayError {
  override name = "PageReplacedError";

  constructor(block: number) {
    super(
      `Block ${block} is not as it was on the first page: the chain was reorganised, or a token's history was given up; start again from the first page.`,
      { code: "BLOCK_REPLACED", status: 409, details: { block } },
    );
  }
}
