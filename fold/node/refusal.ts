// What it says that a contract could not be read at a block: that the node lacks the state there, or nothing about it.
import { BaseError, HttpRequestError, type PublicClient, RpcRequestError, TimeoutError } from "viem";
import { isTooOften } from "./too-often.ts";
import { OtherBlockError } from "./views-at-block.ts";

/** A revert carries the contract's own message. */
const TIMED_OUT = /^(?!.*revert).*timed?[ -]?out/i;

const isCausedBy = (error: unknown, isCause: (one: unknown) => boolean): boolean =>
  error instanceof BaseError && error.walk(isCause) !== null;

const refusesForLimits = (one: unknown): boolean =>
  one instanceof RpcRequestError && isTooOften({ code: one.code, message: one.details });

/**
 * Whether the node said nothing about the state: it was not reached, was too slow, or refused for now. viem throws HttpRequestError only
 * where no error of JSON-RPC came with the status.
 */
export const isUnanswered = (error: unknown): boolean =>
  isCausedBy(
    error,
    (one) =>
      one instanceof TimeoutError ||
      one instanceof HttpRequestError ||
      refusesForLimits(one) ||
      (one instanceof RpcRequestError && TIMED_OUT.test(one.details)),
  );

/**
 * Whether the request got no further than the node: it was not reached, or refused for its limits. A node that took too long may have
 * been busy with what the contract does.
 */
export const isNodesOwn = (error: unknown): boolean =>
  isCausedBy(
    error,
    (one) =>
      refusesForLimits(one) || (one instanceof HttpRequestError && (one.status === undefined || one.status === 429)),
  );

/** Whether the node answered, works and has the block: then it lacks only the state there, and will not have it later. */
export async function isRefusal(client: PublicClient, block: number, error: unknown): Promise<boolean> {
  if (error instanceof OtherBlockError || isUnanswered(error)) return false;
  try {
    return Number(await client.getBlockNumber({ cacheTime: 0 })) >= block;
  } catch {
    return false;
  }
}
