// Why states of blocks that were pruned from PostgreSQL cannot be answered now. The process that loads them from the history lake
// throws these errors too.
import { PRUNED_STATE } from "../../core/history/pruned.ts";
import { codeOf } from "../../database/error-codes.ts";
import { GatewayError } from "../errors.ts";

/** Both included. */
export interface MissedBlocks {
  first: number;
  last: number;
}

/** The blocks whose intervals a statement has missed; undefined for every other error. */
export function prunedRangeOf(error: unknown): MissedBlocks | undefined {
  if (codeOf(error) !== PRUNED_STATE || !(error instanceof Error)) return undefined;
  const [first, last] = String("detail" in error ? error.detail : "")
    .split(" ")
    .map(Number);
  return first === undefined || last === undefined || !Number.isInteger(first + last) ? undefined : { first, last };
}

const named = ({ first, last }: MissedBlocks): string =>
  first === last ? `block ${first}` : `blocks ${first} to ${last}`;
const detailsOf = ({ first, last }: MissedBlocks) => ({ firstBlock: first, lastBlock: last });

/** 503 `HISTORY_LOADING`: they are on their way. */
export class HistoryLoadingError extends GatewayError {
  override name = "HistoryLoadingError";

  constructor(range: MissedBlocks) {
    super(`The history of ${named(range)} is being loaded from the history lake. Ask again in a few seconds.`, {
      code: "HISTORY_LOADING",
      status: 503,
      retryAfterSeconds: 5,
      details: detailsOf(range),
    });
  }
}

/** 503 `HISTORY_UNAVAILABLE`: no process loads them, or the one that does fails. */
export class HistoryUnavailableError extends GatewayError {
  override name = "HistoryUnavailableError";

  constructor(range: MissedBlocks, reason: string) {
    super(
      `The history of ${named(range)} is in the history lake alone, and ${reason}. Ask for newer blocks meanwhile; the operator finds what to do in docs/lake.md, "Pruning".`,
      { code: "HISTORY_UNAVAILABLE", status: 503, retryAfterSeconds: 30, details: detailsOf(range) },
    );
  }
}

/** 503 `HISTORY_DAMAGED`: a file of the lake is not the one that its manifest names. */
export class HistoryDamagedError extends GatewayError {
  override name = "HistoryDamagedError";

  constructor(path: string, found: string) {
    super(
      `The lake's file ${path} ${found}: no history is loaded from it. Put the file of another copy of the lake in its place.`,
      { code: "HISTORY_DAMAGED", status: 503, retryAfterSeconds: 60, details: { path } },
    );
  }
}
