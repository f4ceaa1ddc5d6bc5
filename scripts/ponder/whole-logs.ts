// Asks a node for the logs of blocks and takes them only when they are whole. What numbers and bloom cannot tell, logs
// missing at the end that are like others, the receipts of the last transactions tell.
import type { Hex } from "viem";
import { findGap, type LogFilter, matches, type NodeBlock, type NodeLog } from "./block-logs.ts";

/** One JSON-RPC call; resolves to its result. @throws Error with the node's message */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

interface Receipt {
  logs: unknown[];
}

/** More receipts than this are asked for by block. */
const MOST_RECEIPTS = 8;
/** A node that answers the same for so long has nothing better: chains exist whose blooms leave logs out. */
const STUBBORN_MS = 30_000;
const MOST_REMEMBERED = 150;
const AT_A_TIME = 8;
/** How long a number is taken to name the same block. */
const SAME_BRANCH_MS = 10_000;

export interface WholeLogs {
  /** All logs of a block; `given` is what the node has just said they are. @throws IncompleteLogsError */
  ofBlock(hash: Hex, given?: NodeLog[]): Promise<NodeLog[]>;
  /** Those of [from, to] that `filter` names. @throws IncompleteLogsError */
  ofRange(filter: LogFilter, range: { from: number; to: number }): Promise<NodeLog[]>;
}

/** `warn` hears of answers that are taken although something speaks against them. */
export function createWholeLogs(ask: Ask, warn: (message: string) => void): WholeLogs {
  /** Answers that were refused: block and number of logs to when the first was, by a clock that nobody sets. */
  const refused = new Map<string, number>();
  const cached = new Map<Hex, Promise<NodeLog[]>>();
  const numbered = new Map<number, { hash: Promise<Hex>; requestedAt: number }>();

  const read = async (hash: Hex, given: NodeLog[] | undefined): Promise<NodeLog[]> => {
    const [block, logs] = (await Promise.all([
      ask("eth_getBlockByHash", [hash, false]),
      given ?? ask("eth_getLogs", [{ blockHash: hash }]),
    ])) as [NodeBlock | null, NodeLog[] | null];
    if (!block || !logs) throw new IncompleteLogsError(hash, "the node does not have it any more");
    const problem = findGap(block, logs) ?? (await findMissingTail(ask, block, logs));
    if (problem !== undefined) refuse({ block, logs, problem });
    return logs;
  };

  const refuse = ({ block, logs, problem }: { block: NodeBlock; logs: NodeLog[]; problem: string }): void => {
    const answer = `${block.hash} ${logs.length}`;
    const since = refused.get(answer) ?? performance.now();
    refused.set(answer, since);
    forgetOldest(refused);
    if (performance.now() - since < STUBBORN_MS) throw new IncompleteLogsError(block.hash, problem);
    warn(
      `taken although the node's logs of block ${Number(block.number)} seem incomplete (${problem}): it goes on saying so`,
    );
  };

  const ofBlock = (hash: Hex, given?: NodeLog[]): Promise<NodeLog[]> => {
    const found = cached.get(hash) ?? read(hash, given);
    cached.set(hash, found);
    forgetOldest(cached);
    // Only answers that were taken are kept.
    found.catch(() => cached.delete(hash));
    return found;
  };

  /** Ponder asks for one range many times at once, for every kind of event. */
  const hashOf = (number: number): Promise<Hex> => {
    const recent = numbered.get(number);
    if (recent && performance.now() - recent.requestedAt < SAME_BRANCH_MS) return recent.hash;
    const hash = ask("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]).then((block) => {
      if (block === null) throw new IncompleteLogsError(String(number), "the node does not have it");
      return (block as NodeBlock).hash;
    });
    numbered.set(number, { hash, requestedAt: performance.now() });
    forgetOldest(numbered);
    hash.catch(() => numbered.delete(number));
    return hash;
  };

  return {
    ofBlock,
    async ofRange(filter, { from, to }) {
      const found: NodeLog[] = [];
      for (let first = from; first <= to; first += AT_A_TIME) {
        const numbers = Array.from({ length: Math.min(AT_A_TIME, to - first + 1) }, (_, i) => first + i);
        const blocks = await Promise.all(numbers.map(async (number) => ofBlock(await hashOf(number))));
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

/** Holds the logs from the last known one's transaction on against the receipts. */
async function findMissingTail(ask: Ask, block: NodeBlock, logs: readonly NodeLog[]): Promise<string | undefined> {
  const last = logs.at(-1);
  if (last === undefined) return undefined;
  const from = Number(last.transactionIndex);
  const receipts = await receiptsFrom(ask, block, from);
  if (receipts.some((receipt) => !receipt)) throw new IncompleteLogsError(block.hash, "the node has no receipts of it");
  const expected = receipts.reduce((sum, receipt) => sum + (receipt?.logs.length ?? 0), 0);
  const given = logs.filter(({ transactionIndex }) => Number(transactionIndex) >= from).length;
  return expected > given ? `${expected - given} logs are missing at its end` : undefined;
}

/** Of transaction `from` and those after it; of it alone where they are many and the node cannot tell them at once. */
async function receiptsFrom(ask: Ask, { hash, transactions }: NodeBlock, from: number): Promise<(Receipt | null)[]> {
  const wanted = transactions.slice(from);
  const one = (transaction: Hex) => ask("eth_getTransactionReceipt", [transaction]) as Promise<Receipt | null>;
  if (wanted.length <= MOST_RECEIPTS) return Promise.all(wanted.map(one));
  const all = (await ask("eth_getBlockReceipts", [hash]).catch(() => null)) as Receipt[] | null;
  return all?.slice(from) ?? Promise.all(wanted.slice(0, 1).map(one));
}

/** The node left logs out, or has another branch by now: to be asked again. */
export class IncompleteLogsError extends Error {
  override name = "IncompleteLogsError";
  constructor(block: string, problem: string) {
    super(`logs of block ${block} are not whole: ${problem}`);
  }
}
