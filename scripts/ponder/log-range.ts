// The answer that Ponder gets when a node says "too much at once" about the logs of a range of blocks. Ponder 0.17.7 asks for less
// when it knows the words (@ponder/utils `getLogsRetryHelper`); with other words it asks for the same ten times and ends. When two
// blocks are too much, or a node suggests one block, it makes ranges of no block, for ever (sync-historical `syncLogsDynamic`,
// `getChunks`).
import { createRequire } from "node:module";
import { type Answer, errorsIn, LIMIT_EXCEEDED } from "../../fold/node/too-often.ts";
import type { LogFilter } from "./block-logs.ts";

interface Suggestion {
  shouldRetry: boolean;
  ranges?: { fromBlock: string; toBlock: string }[];
}

const ponder = createRequire(new URL("../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url));
const { getLogsRetryHelper } = ponder("@ponder/utils") as {
  getLogsRetryHelper(query: { params: unknown[]; error: object }): Suggestion;
};

const TOO_MANY_REQUESTS = 429;
/** How nodes word that a range is too large. */
const TOO_MUCH =
  /block range|range .*(exceed|limit|large|wide|high)|(exceed|maximum|max)\w* .*(range|blocks|results)|returned more than|response size|too (large|many|wide) .*(blocks|results|logs|range)|blocks distance|query timeout|no backend is currently healthy/i;
/** A bare "limit exceeded" this many times for one range means that the range is too large. */
const MOST_TIMES = 3;
const MOST_RANGES = 500;

/**
 * `halve`: the answer, in words that Ponder knows, makes it ask for half the range. `split`: the range has two blocks, which are requested
 * one by one. Undefined: the answer may pass as it is.
 */
export type RangeRefusal = "halve" | "split";

export interface LogRanges {
  judge(filter: LogFilter, answer: Answer): RangeRefusal | undefined;
}

export function createLogRanges(): LogRanges {
  /** How often a range was refused without a reason. */
  const unexplained = new Map<string, number>();

  const isUnexplainedOften = (filter: LogFilter): boolean => {
    const range = `${filter.fromBlock}-${filter.toBlock}`;
    const times = (unexplained.get(range) ?? 0) + 1;
    if (unexplained.size > MOST_RANGES) unexplained.clear();
    unexplained.set(range, times);
    return times >= MOST_TIMES;
  };
  return {
    judge(filter, answer) {
      const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
      const [error] = errorsIn(answer);
      if (error === undefined || !(blocks > 1)) return undefined;
      const suggestion = getLogsRetryHelper({ params: [filter], error });
      const isBare =
        answer.status === TOO_MANY_REQUESTS && error.code === LIMIT_EXCEEDED && /^limit exceeded$/i.test(error.message);
      const isTooMuch = isBare
        ? isUnexplainedOften(filter)
        : answer.status !== TOO_MANY_REQUESTS && TOO_MUCH.test(error.message);
      if (!isTooMuch && !suggestion.shouldRetry) return undefined;
      if (blocks === 2) return "split";
      return isUsable(suggestion) ? undefined : "halve";
    },
  };
}

/** Whether Ponder makes ranges of at least one block from the suggestion. */
function isUsable({ shouldRetry, ranges = [] }: Suggestion): boolean {
  const [first] = ranges;
  return shouldRetry && first !== undefined && Number(first.toBlock) > Number(first.fromBlock);
}
