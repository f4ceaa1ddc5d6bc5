// Asks a node for the logs of blocks and takes them only when they are complete. Numbers and bloom cannot show that logs are
// missing at the end if these are like others; the receipts of the last transactions do.
import type { Hex } from "viem";
import {
  type BloomFault,
  findBloomFault,
  findGap,
  IncompleteLogsError,
  type LogFilter,
  matches,
  type NodeBlock,
  type NodeLog,
} from "./block-logs.ts";
import type { Blooms } from "./blooms.ts";
import { type Ask, NodeBusyError } from "./node-calls.ts";
import type { Receipts } from "./receipts.ts";
import type { RecentBlocks } from "./recent-blocks.ts";

/** A node that answers the same for this long has nothing better. */
const STUBBORN_MS = 30_000;
const MOST_REMEMBERED = 150;
const AT_A_TIME = 8;
/** How long a number is assumed to name the same block. */
const SAME_BRANCH_MS = 10_000;

export interface WholeLogs {
  /** All logs of a block; `given` is what the node has just returned as such. @throws IncompleteLogsError */
  ofBlock(hash: Hex, given?: NodeLog[]): Promise<NodeLog[]>;
  /** Those of [from, to] that match `filter`. @throws IncompleteLogsError */
  ofRange(filter: LogFilter, range: { from: number; to: number }): Promise<NodeLog[]>;
}

type Given = NodeLog[] | undefined | Promise<NodeLog[] | undefined>;

export interface Sources {
  ask: Ask;
  blooms: Blooms;
  receipts: Receipts;
  recent: RecentBlocks;
  /** Called for answers that are taken although they seem wrong. */
  warn: (message: string) => void;
  /** Called for blocks whose logs are taken although their bloom shows others. */
  overrule: (hash: Hex) => void;
}

export function createWholeLogs({ ask, blooms, receipts, recent, warn, overrule }: Sources): WholeLogs {
  /** Answers that were refused: from block and number of logs to the time of the first refusal, by a monotonic clock. */
  const refused = new Map<string, number>();
  const cached = new Map<Hex, Promise<NodeLog[]>>();
  const numbered = new Map<number, { block: Promise<NodeBlock>; requestedAt: number }>();

  const blockOf = async (hash: Hex): Promise<NodeBlock> => {
    const seen = recent.find(hash);
    if (seen) return seen;
    const block = (await ask("eth_getBlockByHash", [hash, false])) as NodeBlock | null;
    if (!block) throw new IncompleteLogsError(hash, "the node does not have it any more");
    recent.note(block);
    return block;
  };
  const read = async (hash: Hex, given: Given): Promise<NodeLog[]> => {
    const logsOfBlock = async () =>
      (await given) ?? ((await ask("eth_getLogs", [{ blockHash: hash }])) as NodeLog[] | null);
    const [block, logs] = await Promise.all([blockOf(hash), logsOfBlock()]);
    if (!logs) throw new IncompleteLogsError(hash, "the node does not have it any more");
    const problem = findGap(block, logs) ?? (await findMissing(block, logs));
    if (problem !== undefined) refuse({ block, logs, problem });
    return logs;
  };

  /** What bloom and receipts show to be missing from logs whose numbers have no gap. */
  const findMissing = async (block: NodeBlock, logs: NodeLog[]): Promise<string | undefined> => {
    const last = logs.at(-1);
    const fault = blooms.areProof ? findBloomFault(block, logs) : undefined;
    if (fault !== undefined) return belie(block, logs, fault);
    // an empty bloom proves well enough that there are no logs
    const isProvenEmpty = last === undefined && blooms.areProof && Boolean(block.logsBloom);
    return isProvenEmpty ? undefined : receipts.findMissing(block, logs, Number(last?.transactionIndex ?? 0));
  };
  /** For logs that do not match their bloom: what shows that the logs are wrong; undefined: nothing does. */
  const belie = async (block: NodeBlock, logs: NodeLog[], fault: BloomFault): Promise<string | undefined> => {
    const missing = await receipts.findMissingOfAll(block, logs);
    if (missing === undefined) blooms.contradicted(block, fault);
    else if (missing !== "unknown") return missing;
    if (fault === "more" && blooms.areProof) return "its bloom shows other logs";
    return missing === undefined ? undefined : receipts.findMissing(block, logs, Number(logs.at(-1)?.transactionIndex));
  };

  const refuse = ({ block, logs, problem }: { block: NodeBlock; logs: NodeLog[]; problem: string }): void => {
    const answer = `${block.hash} ${logs.length}`;
    const since = refused.get(answer) ?? performance.now();
    refused.set(answer, since);
    forgetOldest(refused);
    if (performance.now() - since < STUBBORN_MS) throw new IncompleteLogsError(block.hash, problem);
    overrule(block.hash);
    warn(
      `taken although the node's logs of block ${Number(block.number)} seem incomplete (${problem}): it keeps giving the same answer`,
    );
  };

  const ofBlock = (hash: Hex, given?: Given): Promise<NodeLog[]> => {
    const found = cached.get(hash) ?? read(hash, given);
    cached.set(hash, found);
    forgetOldest(cached);
    // Only answers that were taken are kept.
    found.catch(() => cached.delete(hash));
    return found;
  };

  /** Ponder asks for one range many times at once, for every kind of event. */
  const blockAt = (number: number): Promise<NodeBlock> => {
    const known = numbered.get(number);
    if (known && performance.now() - known.requestedAt < SAME_BRANCH_MS) return known.block;
    const block = ask("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]).then((answer) => {
      if (answer === null) throw new IncompleteLogsError(String(number), "the node does not have it");
      recent.note(answer as NodeBlock);
      return answer as NodeBlock;
    });
    numbered.set(number, { block, requestedAt: performance.now() });
    forgetOldest(numbered);
    block.catch(() => numbered.delete(number));
    return block;
  };

  /** All logs of blocks in a row, by block; undefined where the node does not give so many at once. */
  const logsOf = async (blocks: readonly NodeBlock[]): Promise<Map<Hex, NodeLog[]> | undefined> => {
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (blocks.length < 2 || !first || !last) return undefined;
    try {
      const given = await ask("eth_getLogs", [{ fromBlock: first.number, toBlock: last.number }]);
      if (!Array.isArray(given)) return undefined;
      const byBlock = new Map<Hex, NodeLog[]>(blocks.map(({ hash }) => [hash, []]));
      for (const log of given as NodeLog[]) byBlock.get(log.blockHash)?.push(log);
      return byBlock;
    } catch (error) {
      if (error instanceof NodeBusyError) throw error;
      return undefined;
    }
  };

  const ofBlocks = (blocks: readonly NodeBlock[]): Promise<NodeLog[][]> => {
    const isUnread = blocks.some(({ hash }) => !cached.has(hash));
    const given = isUnread ? logsOf(blocks) : undefined;
    return Promise.all(
      blocks.map(({ hash }) =>
        ofBlock(hash, cached.has(hash) ? undefined : given?.then((byBlock) => byBlock?.get(hash))),
      ),
    );
  };

  return {
    ofBlock,
    async ofRange(filter, { from, to }) {
      const found: NodeLog[] = [];
      for (let first = from; first <= to; first += AT_A_TIME) {
        const numbers = Array.from({ length: Math.min(AT_A_TIME, to - first + 1) }, (_, i) => first + i);
        const blocks = await ofBlocks(await Promise.all(numbers.map(blockAt)));
        found.push(...blocks.flat().filter((log) => matches(filter, log)));
      }
      return found;
    },
  };
}

function forgetOldest(map: Map<unknown, unknown>): void {
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED) map.delete(oldest);
}
