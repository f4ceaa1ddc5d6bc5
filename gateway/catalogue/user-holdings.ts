// What one account has of each pool's share: in its wallet, and staked to any depth.

import { sumIfComplete, totalOf } from "../../core/amounts.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { tokenAsset } from "../backing/protocol.ts";
import { lookThroughAccount } from "../balances/look-through-account.ts";
import type { Source } from "../balances/source.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { partOfTvl } from "./appraise.ts";
import type { VaultRecord } from "./vault-record.ts";

/** Raw units of the share. */
interface UserHolding {
  inWallet: bigint;
  /** In reward vaults, farms and other vaults, through baults and all. */
  staked: bigint;
}

const STAKED: readonly Source["kind"][] = ["farm", "reward_vault", "external_vaults"];
/**
 * By share; those that the account has nothing of are missing. What it has through another pool that holds such shares
 * counts for that pool.
 * @throws what lookThroughAccount throws
 */
export async function userHoldings(
  context: OperationContext,
  point: BlockPoint,
  input: { user: Address; shares: ReadonlySet<string> },
): Promise<Map<string, UserHolding>> {
  if (input.user === ZERO_ADDRESS) return new Map();
  const { tokens } = await lookThroughAccount(context, { account: input.user, point });
  const pools = new Set([...input.shares].map((share) => tokenAsset(share as Address)));
  const holdings = new Map<string, UserHolding>();
  for (const { token, sources } of tokens) {
    if (!input.shares.has(token)) continue;
    const inWallet = totalOf(sources.filter(({ kind }) => kind === "balance"));
    const staked = totalOf(
      sources.filter(({ kind }) => STAKED.includes(kind)).flatMap((one) => directPaths(one, pools)),
    );
    if (inWallet + staked > 0n) holdings.set(token, { inWallet, staked });
  }
  return holdings;
}

/** Those that pass no other pool: stakes and shares of vaults only. */
const directPaths = ({ paths }: Source, pools: ReadonlySet<string>) =>
  paths.filter(({ path }) =>
    path.slice(1).every((asset) => asset.startsWith("stake:") || (asset.startsWith("erc20:") && !pools.has(asset))),
  );

/** {@link UserHolding} as far as it is known. */
export type KnownHolding = { [Where in keyof UserHolding]: bigint | undefined };

const NOTHING: UserHolding = { inWallet: 0n, staked: 0n };

/** What of `found` is known: nothing of what may lie in contracts that have stopped, the share itself among them. */
export const knownHolding = (
  { supply, stopped }: Pick<VaultRecord, "supply" | "stopped">,
  found: UserHolding = NOTHING,
): KnownHolding => ({
  inWallet: supply === undefined ? undefined : found.inWallet,
  staked: stopped.length > 0 ? undefined : found.staked,
});

/** The record with what the user has of it. */
export function heldBy(vault: VaultRecord, { inWallet, staked }: KnownHolding): VaultRecord {
  const [vaultBalance, farmBalance] = [partOfTvl(vault, inWallet), partOfTvl(vault, staked)];
  return { ...vault, held: { vaultBalance, farmBalance, balance: sumIfComplete([vaultBalance, farmBalance]) } };
}
