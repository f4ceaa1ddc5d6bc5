// A chain whose node is away when the run begins, while other chains can be served: its node is asked again until it answers.
import { setTimeout as sleep } from "node:timers/promises";
import { NodeUnreachableError } from "../../chains/check/node.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import type { Shutdown } from "../process/shutdown.ts";
import { backoffMs } from "../process/supervised-child.ts";
import { createWaitingParts, type WaitingPlace } from "./waiting-parts.ts";

/** Whether the error may pass by itself. A wrong chain or a wrong chain file does not. */
export const isNodeAway = (error: unknown): error is Error =>
  error instanceof RpcError || error instanceof NodeUnreachableError;

/** `error` as it ends a start that waits for no node: if the node does not answer, with the way out. */
export const withWayOut = (error: unknown): unknown =>
  error instanceof RpcError
    ? new Error(`${error.message}; start that node, or correct its URL (RPC_URL, or RPC_URL_<chain id>)`, {
        cause: error,
      })
    : error;

export interface Waiting {
  /** Why the first attempt failed. */
  first: Error;
  place: WaitingPlace;
  shutdown: Shutdown;
  /** The reason without what must not be public. */
  inPublic: (reason: string) => string;
  /** Called whenever the reason changes. */
  onReason: (reason: string) => void;
}

/**
 * Tries again after 1, 2, 4 … 30 seconds; resolves once it succeeds, or the run stops. By now the other chains
 * are served, so any other error is a reason to wait, too.
 */
export async function awaitNode(attempt: () => Promise<void>, waiting: Waiting): Promise<void> {
  const { first, place, shutdown, inPublic, onReason } = waiting;
  const parts = createWaitingParts(place);
  const remove = shutdown.add("indexer", parts);
  let said: string | undefined;
  const tell = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    parts.waitFor(inPublic(reason));
    if (reason !== said) onReason(reason);
    said = reason;
  };
  tell(first);
  for (let failures = 2; ; failures++) {
    await sleep(backoffMs(failures));
    if (shutdown.isStopping) return;
    try {
      await attempt();
      remove();
      await parts.stop();
      return;
    } catch (error) {
      tell(error);
    }
  }
}
