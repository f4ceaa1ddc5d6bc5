// How many JSON-RPC requests a backfill makes, and how many follow the head.
import type { RequestFigures } from "./figures.ts";
import type { Load } from "./load.ts";

/** What decides how many `eth_getLogs` a range of blocks takes. */
export interface LogQueries {
  /** Questions about each range: one for each list of contracts, factory, and kind of event that is read chain-wide. */
  perRange: number;
  /** The most blocks that the node answers at once; Infinity where it has no such bound. */
  mostBlocks: number;
}

interface RequestLoad {
  load: Load;
  queries: LogQueries;
  /** How many addresses the chain file names. */
  addresses: number;
  /** Requests a second that the node grants. */
  rate: number;
}

export interface BackfillRequests {
  byMethod: { method: string; why: string; count: number }[];
  total: number;
  /** Blocks of a range of `eth_getLogs`, once Ponder has found its pace. */
  rangeBlocks: number;
}

/** Ponder's first and smallest range, and its largest: sync-historical's `estimate`. */
const SMALLEST_RANGE = 26;
const LARGEST_RANGE = 100_000;
const GROWTH = 1.5;

/** Ponder's ranges last this long at the pace of the node: more blocks a second make longer ranges and fewer of them. */
function rangeBlocks({ queries, rate }: Omit<RequestLoad, "load" | "addresses">, figures: RequestFigures): number {
  const perRange = queries.perRange * (1 + figures.headPerLogs);
  const blocksPerSecond = Math.max(
    rate * figures.rateUsed - figures.idlePerSecond - perRange / figures.rangeSeconds,
    0,
  );
  const blocks = Math.floor((blocksPerSecond / figures.perBlock) * figures.rangeSeconds);
  return Math.min(Math.max(blocks, SMALLEST_RANGE), LARGEST_RANGE);
}

/** Ranges of at most `longest` blocks that cover `blocks`; each of the first is half as long again as the one before. */
export function rangesOver(blocks: number, longest: number): { blocks: number; count: number }[] {
  const ranges: { blocks: number; count: number }[] = [];
  let rest = blocks;
  for (let range = Math.min(SMALLEST_RANGE, longest); rest > 0 && range < longest; range = Math.round(range * GROWTH)) {
    ranges.push({ blocks: Math.min(range, rest), count: 1 });
    rest -= range;
  }
  if (rest > 0) ranges.push({ blocks: Math.min(longest, rest), count: Math.ceil(rest / longest) });
  return ranges;
}

/** All requests from the first block to the last, without polls, which depend only on time. */
export function backfillRequests(requestLoad: RequestLoad, figures: RequestFigures): BackfillRequests {
  const { load, queries, addresses } = requestLoad;
  const longest = rangeBlocks(requestLoad, figures);
  const logs = rangesOver(load.blocks, longest).reduce(
    (sum, range) => sum + range.count * queries.perRange * Math.max(Math.ceil(range.blocks / queries.mostBlocks), 1),
    0,
  );
  const byMethod = [
    {
      method: "eth_getBlockByNumber",
      why: "every block, with its transactions",
      count: load.blocks * figures.perBlock,
    },
    { method: "eth_getLogs", why: `${queries.perRange} for a range of up to ${longest} blocks`, count: logs },
    {
      method: "eth_blockNumber",
      why: "with each eth_getLogs, to check what is near the head",
      count: logs * figures.headPerLogs,
    },
    { method: "eth_call", why: "names, symbols and decimals of tokens", count: load.tokens * figures.callsPerToken },
    { method: "eth_call", why: "settings of islands and farms", count: load.settings * figures.callsPerSetting },
    {
      method: "several",
      why: "logs of the newest blocks, compared with headers and receipts",
      count: figures.nearHead,
    },
    { method: "several", why: "a start, which checks the chain file", count: addresses * figures.startPerAddress },
  ].map((line) => ({ ...line, count: Math.ceil(line.count) }));
  return { byMethod, total: byMethod.reduce((sum, { count }) => sum + count, 0), rangeBlocks: longest };
}

/** Requests a day of an index that follows the head of a chain with a block every `blockSeconds`. */
export function liveRequestsPerDay(
  figures: RequestFigures,
  { blockSeconds, pollingIntervalMs }: { blockSeconds: number; pollingIntervalMs: number },
): number {
  const polls = (figures.perPoll * 1000) / pollingIntervalMs;
  return Math.ceil(86_400 * (figures.livePerBlock / blockSeconds + figures.idlePerSecond + polls));
}
