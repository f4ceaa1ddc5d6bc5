// Every contract that holds tokens for others at a block, as the look-through takes it apart: who has how much of it, and
// how much of which token belongs to all of them together.

import { EVERY } from "../core/ledgers/listing.ts";
import { STAKE } from "../core/ledgers/stake.ts";
import { V2_PAIR } from "../core/ledgers/v2-pair.ts";
import { BAULT, FARM, INFRARED, REWARD_VAULT } from "../core/ledgers/vault.ts";
import type { Holding, Issuer } from "../core/lookthrough/backing.ts";
import { type LedgerAt, ledgerAt } from "../gateway/backing/ledger-at.ts";
import { type OpenProtocol, tokenAsset, tokenOfAsset } from "../gateway/backing/protocol.ts";
import { stakeAsset, vaultsAmong } from "../gateway/backing/stake.ts";
import { type BrokenLedgers, brokenLedgers } from "../gateway/backing/stopped.ts";
import { openAll, readIssued } from "../gateway/balances/issued.ts";
import { UNKNOWN_STATE_REASONS } from "../gateway/balances/look-through.ts";
import type { Operation, OperationContext } from "../gateway/context.ts";
import { asOf } from "../gateway/history/as-of.ts";
import type { BlockChoice } from "../gateway/history/block-choice.ts";
import { type BlockPoint, pointOf } from "../gateway/history/point.ts";
import { readTokens } from "../gateway/history/read-tokens.ts";
import { unknownAmong } from "../gateway/history/token-state.ts";
import type { Address } from "../gateway/parameters.ts";
import { allIslands } from "../gateway/protocols/island/islands-at.ts";

const announced = [REWARD_VAULT, FARM, INFRARED, BAULT, V2_PAIR] as const;
export type VaultKind = (typeof announced)[number] | "island" | "erc4626" | "erc4626-queued" | "beefy" | "staking";

/** For these kinds the stakes are the vault's own records; for all others the shares are ERC-20 tokens. */
const staked: ReadonlySet<VaultKind> = new Set([REWARD_VAULT, FARM, INFRARED, "staking"]);

interface Place {
  kind: VaultKind;
  address: Address;
  /** What it takes, token0 first; none while that is not known. */
  tokens: readonly Address[];
  /** Of an island, whose holdings are known from its pool. */
  pool?: Address;
}

export interface ServedVault extends Place {
  /** Stakes or shares, the zero address's too. */
  holders: readonly Holding[];
  supply: bigint;
  /** For each of `tokens`: what all holders together may take. */
  backing: readonly bigint[];
  /** What waits to be withdrawn, for vaults that hold withdrawals back. */
  waiting: bigint;
  /** Its holdings are not known. */
  isStopped: boolean;
  /** The ledger of its shares, or of what it takes, broke: answers refuse it, or leave it out. */
  isUnanswered: boolean;
}

export interface ServedVaults {
  blockHash: string | undefined;
  vaults: readonly ServedVault[];
}

/** Not a public question: the basis of every answer that looks through a contract. */
export const servedVaults: Operation<BlockChoice, ServedVaults> = {
  name: "servedVaults",
  async run(block, context) {
    const point = await pointOf(context, block);
    const ledger = await ledgerAt(context, point);
    const places = await allPlaces(context, point, ledger);
    const holders = await ledger.holders(
      places.map(({ kind, address }) => ({ kind: staked.has(kind) ? STAKE : "erc20", key: address })),
    );
    const leaves = new Set(places.flatMap(({ tokens }) => tokens.map(tokenAsset)));
    const open = await openAll(context, point);
    const { issuers } = await readIssued(open, [...leaves]);
    const claims = await claimsOf([...issuers.values()], ledger);
    const stopped = new Set([
      ...[...issuers.values()].filter(isStopped).map(({ address }) => address),
      ...(await withUnknownStakes(places, { open, broken: await brokenLedgers(asOf(context.snapshot, point)) })),
    ]);
    const ledgers = new Set(places.flatMap(({ address, tokens }) => [address, ...tokens]));
    const states = await readTokens(context, [...ledgers]);
    const unknown = unknownAmong(states, { chain: context.chain, point });
    const vaults = places.map((place, i) => {
      const { kind, address, tokens } = place;
      const issued = issuedBy(place);
      const held = holders[i] ?? [];
      return {
        ...place,
        holders: held,
        supply: held.reduce((sum, { amount }) => sum + amount, 0n),
        backing: tokens.map((token) => claims.get(`${issued} ${token}`) ?? 0n),
        waiting: kind === "erc4626-queued" ? (claims.get(`${stakeAsset(address)} ${tokens[0]}`) ?? 0n) : 0n,
        isStopped: stopped.has(address) || (place.pool !== undefined && stopped.has(place.pool)),
        isUnanswered: [address, ...tokens].some((token) => unknown.has(token)),
      };
    });
    return { blockHash: point.hash, vaults };
  },
};

const isStopped = ({ backings }: Issuer): boolean =>
  [...backings.values()].some(({ remainder }) => remainder !== undefined && UNKNOWN_STATE_REASONS.has(remainder));

const issuedBy = ({ kind, address }: Place): string => (staked.has(kind) ? stakeAsset(address) : tokenAsset(address));

/** Those of which it is not known who has a stake in them, or what they have staked on themselves. */
async function withUnknownStakes(
  places: readonly Place[],
  { open, broken }: { open: readonly OpenProtocol[]; broken: BrokenLedgers },
): Promise<Address[]> {
  const unknown = new Set(vaultsAmong([...broken.keys()]).map(stakeAsset));
  const found: Address[] = [];
  for (const place of unknown.size === 0 ? [] : places) {
    const issued = issuedBy(place);
    const behind = await Promise.all(open.map((protocol) => protocol.behind([issued])));
    if ([issued, ...behind.flat().flatMap(({ assets }) => assets)].some((asset) => unknown.has(asset)))
      found.push(place.address);
  }
  return found;
}

async function allPlaces(context: OperationContext, point: BlockPoint, ledger: LedgerAt): Promise<Place[]> {
  const { chain } = context;
  const places: Place[] = [];
  const listed = await ledger.holders(announced.map((kind) => ({ kind, key: EVERY })));
  for (const [i, kind] of announced.entries()) {
    const contracts = (listed[i] ?? []).map(({ account }) => account as Address);
    const tokens = await ledger.tokensOf([kind], contracts);
    for (const address of contracts) places.push({ kind, address, tokens: [...(tokens.get(address) ?? [])].sort() });
  }
  if (chain.islands)
    for (const { address, pool, token0, token1 } of await allIslands(asOf(context.snapshot, point)))
      places.push({ kind: "island", address, tokens: [token0, token1], pool });
  const servedAddresses = new Set(places.map(({ address }) => address));
  for (const { kind, address, asset, startBlock } of chain.externalVaults)
    if (startBlock <= point.block && !servedAddresses.has(address)) places.push({ kind, address, tokens: [asset] });
  return places;
}

/** By issued asset and token: the sum of all issuers' claims on the token. */
async function claimsOf(issuers: readonly Issuer[], ledger: LedgerAt): Promise<Map<string, bigint>> {
  const backings = issuers.flatMap((issuer) => [...issuer.backings]);
  const vaults = [...new Set(backings.flatMap(([asset]) => (asset.startsWith("stake:") ? [lastPart(asset)] : [])))];
  const taken = await ledger.tokensOf([REWARD_VAULT, FARM, INFRARED], vaults);
  const tokenOf = (asset: string): Address =>
    tokenOfAsset(asset) ?? [...(taken.get(lastPart(asset)) ?? [])][0] ?? lastPart(asset);
  const sums = new Map<string, bigint>();
  for (const [held, { claims }] of backings)
    for (const { asset, amount } of claims) {
      const key = `${asset} ${tokenOf(held)}`;
      sums.set(key, (sums.get(key) ?? 0n) + amount);
    }
  return sums;
}

/** The vault of a stake, or the token of a position's asset. */
const lastPart = (asset: string): Address => asset.slice(asset.lastIndexOf(":") + 1) as Address;
