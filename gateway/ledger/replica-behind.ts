// What a replica does not have yet may be on the primary, and another gateway may have shown it.
import type { BlockChoice } from "../block-point.ts";
import { UnavailableError } from "../errors.ts";

/**
 * Further beyond the highest head known than a chain gets while a replica lags (freshness.ts): no block, but how clients
 * say "now".
 */
const NO_CHAIN_GETS_SO_FAR = 1_000;

/** 503 `CATCHING_UP`, for whom no other server is left. */
export class ReplicaBehindError extends UnavailableError {
  override name = "ReplicaBehindError";

  constructor() {
    super("CATCHING_UP", "This block has not reached the database server that is left. Retry in a few seconds.");
  }
}

interface Reached {
  lastSynced: number | undefined;
  lastSyncedTimestamp: number | undefined;
  highestHead: number | undefined;
}

/** Whether a replica that has got so far can tell which block `choice` means. */
export function canTell(choice: BlockChoice, reached: Reached): boolean {
  const { lastSynced = -1, lastSyncedTimestamp = -1, highestHead = -1 } = reached;
  if (choice.kind === "latest") return true;
  if (choice.kind === "timestamp") return choice.timestamp <= lastSyncedTimestamp;
  return choice.number <= lastSynced || choice.number > Math.max(lastSynced, highestHead) + NO_CHAIN_GETS_SO_FAR;
}
