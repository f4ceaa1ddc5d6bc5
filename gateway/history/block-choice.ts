// Which block a request means. Pure rules over what is synced; nothing here reads anything.
import type { ChainStop } from "../database/state.ts";
import { GatewayError, InvalidInputError, UnavailableError } from "../errors.ts";

/** How a caller names a block; `parameter` is what errors call it. */
export type BlockChoice =
  | { kind: "latest" }
  | { kind: "timestamp"; timestamp: number; parameter: string }
  /** `beyondHead`: REST clients send 99999999999 for "now"; GraphQL has `latest` for that. */
  | { kind: "number"; number: number; parameter: string; beyondHead: "clamp" | "refuse" };

/** The block of exactly this number: one beyond the head is refused, by the name of `parameter`. */
export const blockNumbered = (number: number, parameter = "block"): BlockChoice & { kind: "number" } => ({
  kind: "number",
  number,
  parameter,
  beyondHead: "refuse",
});

/** `number`: undefined for the newest one. */
interface NamedBlock {
  kind: string;
  number?: number;
}

/** What decides the answerable range. Blocks are inclusive. */
export interface SyncedRange {
  firstBlock: number;
  /** Highest block with all its facts; undefined before the first, and where the chain has replaced all. */
  lastSynced: number | undefined;
  /** Highest block this deployment has ever shown or seen on the chain; undefined before the first poll. */
  highestHead: number | undefined;
  stop?: ChainStop | undefined;
}

/** Block numbers are int4: no block is higher, and a request that names a higher one means "now". */
export const HIGHEST_NUMBER = 2 ** 31 - 1;

export const BLOCK_DIGITS = /^\d{1,78}$/;

export const MUST_BE_NUMBER = "must be a block number in digits, e.g. 1200";

/** Digits only: no sign, fraction, exponent or hex. Larger than any block is fine. @throws InvalidInputError */
export function parseBlockNumber(text: string, parameter: string, problem = MUST_BE_NUMBER): number {
  if (!BLOCK_DIGITS.test(text)) throw new InvalidInputError(parameter, problem);
  return Number(text);
}

/** @throws BlockBeforeStartError, BlockNotSyncedError, ChainReplacedError, BlockBeyondHeadError, UnavailableError (`STARTING`) */
export function resolveBlockNumber(choice: BlockChoice & { kind: "number" | "latest" }, range: SyncedRange): number {
  const { firstBlock, lastSynced, highestHead } = range;
  if (choice.kind === "number" && choice.number < firstBlock) throw new BlockBeforeStartError(choice, firstBlock);
  if (lastSynced === undefined) throw nothingSynced(choice, range);
  if (choice.kind === "latest" || choice.number <= lastSynced)
    return Math.min(choice.kind === "number" ? choice.number : lastSynced, lastSynced);
  if (choice.beyondHead === "refuse" && highestHead !== undefined && choice.number > highestHead)
    throw new BlockBeyondHeadError(choice.parameter, choice.number, lastSynced);
  // A block that was ever shown must never be answered with an older one: not after a restart, reorg or redeploy.
  if (range.stop && choice.number <= (highestHead ?? HIGHEST_NUMBER)) throw new ChainReplacedError(choice, range.stop);
  if (highestHead === undefined || choice.number <= highestHead)
    throw new BlockNotSyncedError({ requested: choice.number, lastSynced, highestHead });
  return lastSynced;
}

function nothingSynced(choice: NamedBlock, { firstBlock, stop }: SyncedRange): GatewayError {
  if (stop) return new ChainReplacedError(choice, stop);
  return new UnavailableError("STARTING", "No block is synced yet. Retry in a few seconds.", { firstBlock });
}

class BlockBeforeStartError extends InvalidInputError {
  override name = "BlockBeforeStartError";

  constructor(choice: { parameter: string; number: number }, firstBlock: number) {
    super(choice.parameter, `block ${choice.number} lies before the first indexed block, ${firstBlock}`, {
      firstBlock,
    });
  }
}

class BlockBeyondHeadError extends InvalidInputError {
  override name = "BlockBeyondHeadError";

  constructor(parameter: string, requested: number, lastSynced: number) {
    super(parameter, `block ${requested} does not exist yet; ask for at most ${lastSynced}`, {
      lastSyncedBlock: lastSynced,
    });
  }
}

/** 409 `CHAIN_REPLACED`, as waiting does not help: what was final here is no longer part of the chain. */
export class ChainReplacedError extends GatewayError {
  override name = "ChainReplacedError";

  constructor(choice: NamedBlock, { block, fork }: ChainStop) {
    const what = choice.number === undefined ? "the newest block" : `block ${choice.number}`;
    const left = fork === undefined ? "No block of the index is left" : `Ask for block ${fork} or an earlier one`;
    super(
      `There is no answer about ${what}: the chain has replaced block ${block}, which was final. ${left} until the index is made anew.`,
      {
        code: "CHAIN_REPLACED",
        status: 409,
        details: {
          ...(choice.number === undefined ? {} : { requested: choice.number }),
          lastSyncedBlock: fork ?? null,
        },
      },
    );
  }
}

/** 503 `CATCHING_UP`: the block exists (or did), its facts are not here yet. */
export class BlockNotSyncedError extends UnavailableError {
  override name = "BlockNotSyncedError";

  constructor(point: { requested: number; lastSynced: number; highestHead: number | undefined }) {
    const { requested, lastSynced, highestHead } = point;
    super(
      "CATCHING_UP",
      `Block ${requested} is not indexed yet; synced up to ${lastSynced}. Retry later or ask for an earlier block.`,
      {
        lastSyncedBlock: lastSynced,
        ...(highestHead === undefined ? {} : { chainHead: highestHead }),
      },
    );
  }
}

/**
 * A number this far beyond the highest known head is no block, as no chain grows so much while a replica lags (freshness.ts): it
 * is how clients say "now".
 */
const NO_CHAIN_GETS_SO_FAR = 1_000;

interface Reached {
  lastSynced: number | undefined;
  lastSyncedTimestamp: number | undefined;
  highestHead: number | undefined;
}

/** Whether a replica that has got so far knows which block `choice` means. */
export function canResolve(choice: BlockChoice, reached: Reached): boolean {
  const { lastSynced = -1, lastSyncedTimestamp = -1, highestHead = -1 } = reached;
  if (choice.kind === "latest") return true;
  if (choice.kind === "timestamp") return choice.timestamp <= lastSyncedTimestamp;
  return choice.number <= lastSynced || choice.number > Math.max(lastSynced, highestHead) + NO_CHAIN_GETS_SO_FAR;
}
