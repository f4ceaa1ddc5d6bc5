// What is known about a token, and the rules that decide whether its balances can be answered.
import type { ChainFile } from "../../chains/chain-file.ts";
import { GatewayError, UnavailableError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import type { BlockPoint } from "./point.ts";

export interface Quarantine {
  block: number;
  logIndex: number;
  account: Address;
  reason: string;
  /** The account had received nothing before: perhaps that happened before this block, the first one that is indexed. */
  mayBeginBefore?: number;
}

/** Metadata as the contract gave it, cleaned. `problem`: what is wrong with it, e.g. why `decimals` is missing. */
interface TokenMetadata {
  name: string | undefined;
  symbol: string | undefined;
  decimals: number | undefined;
  problem: string | undefined;
}

export interface TokenState {
  address: Address;
  /** Undefined while the token has no event. */
  assetId: number | undefined;
  firstBlock: number | undefined;
  quarantine: Quarantine | undefined;
  /** Undefined until it has been read from the chain. */
  metadata: TokenMetadata | undefined;
  /** What verification found: kinds of drift between balanceOf and events. */
  flags: readonly string[];
}

/** Whether any event of it is recorded up to the block. */
export const isSeenBy = ({ firstBlock }: Pick<TokenState, "firstBlock">, block: number): boolean =>
  firstBlock !== undefined && firstBlock <= block;

/** Whether its metadata is still to be read from the chain; of a token that has never moved it never is. */
export const isMetadataPending = ({ metadata, assetId }: Pick<TokenState, "metadata" | "assetId">): boolean =>
  metadata === undefined && assetId !== undefined;

/**
 * Decimals, needed to write human numbers. A token whose decimals cannot be read, or lie outside 0-77, has no human
 * unit at all: such a token is not standard, and guessing one would invent balances.
 * @throws MetadataPendingError, TokenNotStandardError
 */
export function requireDecimals(token: TokenState): number {
  if (!token.metadata) throw new MetadataPendingError(token.address);
  const { decimals, problem } = token.metadata;
  if (decimals === undefined)
    throw new TokenNotStandardError(token.address, { reason: problem ?? "decimals cannot be read" });
  return decimals;
}

/**
 * Whether the token's ledger has gone out of range: up to the block; or in any final block, after which all its balances have been
 * deleted.
 */
export const isBrokenAt = (
  { quarantine }: Pick<TokenState, "quarantine">,
  { block, finalized }: Pick<BlockPoint, "block" | "finalized">,
): boolean => quarantine !== undefined && quarantine.block <= Math.max(block, finalized);

/** Those of `tokens` whose ledger {@link isBrokenAt} the block. */
export const brokenAmong = (
  tokens: readonly TokenState[],
  point: Pick<BlockPoint, "block" | "finalized">,
): Set<Address> => new Set(tokens.flatMap((token) => (isBrokenAt(token, point) ? [token.address] : [])));

type Tracking = Pick<ChainFile, "tokens">;

/** Whether the chain file lists the token, where it lists tokens at all. */
export const isListed = ({ tokens }: Tracking, address: Address): boolean =>
  tokens !== "all" && tokens.some((listed) => listed.address === address);

/** Whether nobody can say how much of it anybody has: its ledger {@link isBrokenAt} the block, or its transfers are not indexed. */
const isUnknownAt = (
  token: TokenState,
  { chain, point }: { chain: Tracking; point: Pick<BlockPoint, "block" | "finalized"> },
): boolean =>
  isBrokenAt(token, point) ||
  (chain.tokens !== "all" && token.assetId === undefined && !isListed(chain, token.address));

/** Those of `tokens` of which nobody can say how much anybody has. */
export const unknownAmong = (
  tokens: readonly TokenState[],
  at: { chain: Tracking; point: Pick<BlockPoint, "block" | "finalized"> },
): Set<Address> => new Set(tokens.flatMap((token) => (isUnknownAt(token, at) ? [token.address] : [])));

/** What is wrong when its ledger has gone out of range. */
export function ledgerProblem(
  token: TokenState,
  point: Pick<BlockPoint, "block" | "finalized">,
): TokenNotStandardError | undefined {
  const { quarantine } = token;
  return quarantine !== undefined && isBrokenAt(token, point)
    ? new TokenNotStandardError(token.address, { ...quarantine })
    : undefined;
}

/** @throws TokenNotStandardError when its ledger has gone out of range */
export function requireSoundLedger(token: TokenState, point: Pick<BlockPoint, "block" | "finalized">): void {
  const problem = ledgerProblem(token, point);
  if (problem) throw problem;
}

export class TokenNotTrackedError extends GatewayError {
  override name = "TokenNotTrackedError";

  constructor(token: Address) {
    super(`Token ${token} is not tracked: no transfer of it has been recorded. Check the address and the chain.`, {
      code: "TOKEN_NOT_TRACKED",
      status: 404,
      details: { token },
    });
  }
}

export class TokenNotStandardError extends GatewayError {
  override name = "TokenNotStandardError";

  constructor(token: Address, details: { reason: string } & Partial<Quarantine>) {
    super(`The balances of token ${token} are unknown: ${causeOf(details)}.`, {
      code: "TOKEN_NOT_STANDARD",
      status: 409,
      details: { token, ...details },
    });
  }
}

function causeOf({ reason, mayBeginBefore, account, block }: { reason: string } & Partial<Quarantine>): string {
  if (mayBeginBefore === undefined) return `it does not behave like an ERC-20 (${reason})`;
  return `${account} sent some at block ${block}, and had received none; it is not standard, or its history begins before the first indexed block ${mayBeginBefore}`;
}

export class MetadataPendingError extends UnavailableError {
  override name = "MetadataPendingError";

  constructor(token: Address) {
    super(
      "METADATA_PENDING",
      `The decimals of token ${token} have not been read from the chain yet. Retry in a few seconds.`,
      {
        token,
      },
    );
  }
}
