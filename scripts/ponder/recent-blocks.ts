// The newest blocks, remembered on their way to Ponder, so that the check of their logs need not ask for them again.
import type { Hex } from "viem";
import { z } from "zod";
import { type NodeBlock, ZERO_BLOOM } from "./block-logs.ts";
import type { Ask } from "./node-calls.ts";

export interface RecentBlocks {
  /** The block of that hash, if it was seen. */
  find(hash: Hex): NodeBlock | undefined;
  note(block: NodeBlock): void;
  /** The node's head, as far as it decides whether block `of` is among the newest ones: it is asked at most every other second. */
  headFor(of: number): Promise<number>;
  /** The answer to `eth_getBlockBy…` that Ponder gets: the same, or without a bloom that is wrong. */
  pass(request: string, response: Response): Promise<Response>;
}

/** Blocks below the head whose logs are checked; nodes have served older ones for a long time. */
export const CHECKED_BLOCKS = 128;
const MOST_BLOCKS = 150;
const HEAD_MS = 2_000;

const requestSchema = z.object({ method: z.string(), params: z.array(z.unknown()) });
const hex = z.custom<Hex>((value) => typeof value === "string" && value.startsWith("0x"));
const answerSchema = z.looseObject({
  result: z.looseObject({ number: hex, hash: hex, logsBloom: hex.nullish(), transactions: z.array(z.unknown()) }),
});

/** `isBelied`: whether a block's bloom is wrong. */
export function createRecentBlocks(ask: Ask, isBelied: (hash: Hex) => boolean): RecentBlocks {
  const blocks = new Map<Hex, NodeBlock>();
  let head: { number: number; at: number } | undefined;
  let requestedHead: Promise<number> | undefined;

  const note = (block: NodeBlock): void => {
    blocks.set(block.hash, block);
    const [oldest] = blocks.keys();
    if (blocks.size > MOST_BLOCKS && oldest !== undefined) blocks.delete(oldest);
  };
  const sawHead = (number: number): number => {
    head = { number, at: performance.now() };
    return number;
  };
  const isRecent = (at: unknown): boolean =>
    at === "latest" || (head !== undefined && Number(at) >= head.number - CHECKED_BLOCKS);
  return {
    find: (hash) => blocks.get(hash),
    note,
    async headFor(of) {
      // a head only grows: what was far below it still is
      const isEnough =
        head !== undefined && (of < head.number - CHECKED_BLOCKS || performance.now() - head.at < HEAD_MS);
      if (head && isEnough) return head.number;
      // Ponder asks for many kinds of events of one range at once
      requestedHead ??= ask("eth_blockNumber", [])
        .then((number) => sawHead(Number(number)))
        .finally(() => {
          requestedHead = undefined;
        });
      return requestedHead;
    },
    async pass(request, response) {
      const call = requestSchema.safeParse(jsonIn(request));
      const [at] = call.data?.params ?? [];
      const isWanted = call.data?.method === "eth_getBlockByHash" || isRecent(at);
      if (!response.ok || !isWanted) return response;
      const text = await response.text();
      const answer = answerSchema.safeParse(jsonIn(text));
      if (!answer.success) return jsonResponse(text);
      const { number, hash, logsBloom, transactions } = answer.data.result;
      note({ number, hash, logsBloom: logsBloom ?? null, transactions: transactions.map(hashOf) });
      if (at === "latest") sawHead(Number(number));
      if (!isBelied(hash)) return jsonResponse(text);
      answer.data.result.logsBloom = ZERO_BLOOM;
      return jsonResponse(JSON.stringify(answer.data));
    },
  };
}

/** Ponder asks for full transactions, the check only for their hashes. */
const hashOf = (transaction: unknown): Hex =>
  typeof transaction === "string" ? (transaction as Hex) : (transaction as { hash: Hex }).hash;

const jsonResponse = (text: string): Response =>
  new Response(text, { headers: { "content-type": "application/json" } });

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
