// What is known about a token in one snapshot, and the rules that decide whether its balances can be answered.

import type { ReadScope } from "../database/read-scope.ts";
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
export interface TokenMetadata {
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

export interface TokenRow {
  address: Address;
  asset_id: number | null;
  first_block: number | null;
  q_block: number | null;
  q_log: number | null;
  q_account: Address | null;
  q_reason: string | null;
  /** Of an account that had received nothing before: the first indexed block. */
  q_begins: number | null;
  has_metadata: boolean;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  problem: string | null;
  flags: string[];
}

/** FROM and SELECT of token states for `k.key` (bytea) of a caller's relation `k`. */
export const tokenColumns = `
  '0x' || encode(k.key, 'hex') as address, a.id as asset_id, a.first_block, q.block as q_block, q.log_index as q_log,
  '0x' || encode(q.account, 'hex') as q_account, q.reason as q_reason, q.begins as q_begins, t.address is not null as has_metadata,
  t.name, t.symbol, t.decimals, t.problem,
  (select coalesce(json_agg(flag order by flag), '[]') from tidemark.token_flag f
    where f.chain_id = k.chain_id and f.token = k.key) as flags`;

export const tokenJoins = (fold: string): string => `
  left join ${fold}.asset a on a.kind = 'erc20' and a.key = k.key
  left join lateral (select quarantined.*, case when is_unfounded then m.first_block end as begins
                       from ${fold}.quarantine quarantined cross join ${fold}.meta m where asset = a.id) q on true
  left join ${fold}.token t on t.address = k.key`;

export const toTokenState = (row: TokenRow): TokenState => ({
  address: row.address,
  assetId: row.asset_id ?? undefined,
  firstBlock: row.first_block ?? undefined,
  quarantine: quarantineOf(row),
  metadata: row.has_metadata
    ? {
        name: row.name ?? undefined,
        symbol: row.symbol ?? undefined,
        decimals: row.decimals ?? undefined,
        problem: row.problem ?? undefined,
      }
    : undefined,
  flags: row.flags,
});

function quarantineOf({ q_block, q_log, q_account, q_reason, q_begins }: TokenRow): Quarantine | undefined {
  if (q_block === null) return undefined;
  const quarantine = { block: q_block, logIndex: q_log ?? 0, account: q_account ?? "0x", reason: q_reason ?? "" };
  return q_begins === null ? quarantine : { ...quarantine, mayBeginBefore: q_begins };
}

/** The states of `addresses`, in their order. */
export async function readTokens(
  facts: Pick<ReadScope, "prepared" | "fold">,
  chainId: number,
  addresses: readonly Address[],
): Promise<TokenState[]> {
  const rows = await facts.prepared<TokenRow>(
    `select ${tokenColumns}
       from (select place, decode(substr(address, 3), 'hex') as key, ${chainId}::int8 as chain_id
               from unnest(string_to_array($1, ',')) with ordinality as u(address, place)) k
       ${tokenJoins(facts.fold)} order by k.place`,
    [addresses.join(",")],
  );
  return rows.map(toTokenState);
}

/** Whether any event of it is recorded up to the block. */
export const isSeenBy = ({ firstBlock }: Pick<TokenState, "firstBlock">, block: number): boolean =>
  firstBlock !== undefined && firstBlock <= block;

/** Those of `addresses` whose ledger cannot be relied on at the block: see {@link isBrokenAt}. */
export async function quarantinedAmong(
  facts: Pick<ReadScope, "rows" | "fold">,
  { block, finalized }: Pick<BlockPoint, "block" | "finalized">,
  addresses: readonly Address[],
): Promise<Set<Address>> {
  if (addresses.length === 0) return new Set();
  const { fold } = facts;
  const found = await facts.rows<{ address: Address }>(
    `select '0x' || encode(a.key, 'hex') as address
       from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset
       join (select decode(substr(u, 3), 'hex') as key from unnest(string_to_array($1, ',')) u) wanted on wanted.key = a.key
      where a.kind = 'erc20' and q.block <= ${Math.max(block, finalized)}`,
    [addresses.join(",")],
  );
  return new Set(found.map(({ address }) => address));
}

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
