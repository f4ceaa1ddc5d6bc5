// Stakes: what accounts have put into a vault, one for one. They are not tokens: only the vault's events show them.
import { STAKE } from "../../core/ledgers/stake.ts";
import type { Backing, Issuer, UnattributedReason } from "../../core/lookthrough/backing.ts";
import type { Address } from "../parameters.ts";
import type { SourceKind } from "./held-as.ts";
import { heldByListed, type Ledger, type Place } from "./ledger.ts";
import { type Issued, type IssuedAsset, tokenAsset, tokenOfAsset } from "./protocol.ts";

export const stakeAsset = (vault: Address): string => `stake:${vault}`;

const vaultOfStake = (asset: string): Address | undefined =>
  asset.startsWith("stake:") ? (asset.slice("stake:".length) as Address) : undefined;

/** The vaults in which `assets` are stakes. */
export const vaultsAmong = (assets: readonly string[]): Address[] => assets.flatMap((id) => vaultOfStake(id) ?? []);

export const tokensAmong = (assets: readonly string[]): Address[] => assets.flatMap((id) => tokenOfAsset(id) ?? []);

/** The stakes in each of `vaults`, with all who have one. */
export async function stakesIn(
  ledger: Ledger,
  kind: SourceKind,
  vaults: readonly Address[],
): Promise<Map<Address, IssuedAsset & { total: bigint }>> {
  const distinct = [...new Set(vaults)];
  const holders = await ledger.holders(distinct.map((key) => ({ kind: STAKE, key })));
  return new Map(
    distinct.map((vault, i) => {
      const holdings = holders[i] ?? [];
      const total = holdings.reduce((sum, { amount }) => sum + amount, 0n);
      const heldAs = { kind, id: vault, contract: vault };
      return [vault, { id: stakeAsset(vault), issuer: vault, holdings, heldAs, total }];
    }),
  );
}

/** An issuer by one asset; what nobody may claim is stray unless `more` says otherwise. */
export const issuerBy = (
  { asset, contract }: { asset: string; contract: Address },
  claims: Backing["claims"],
  more: Omit<Backing, "claims" | "reserves"> = {},
): Issuer => ({ address: contract, backings: new Map([[asset, { claims, reserves: [], ...more }]]) });

interface StakingVaults {
  /** Lists the vaults by what they take. */
  takes: string;
  /** Lists them by what they hand out, and what that is as long as nobody has claimed it. */
  handsOut: string;
  reason: UnattributedReason;
  source: SourceKind;
}

/** Vaults that keep what is staked: it is the stakers'; of a token that they hand out, the rest is waiting for that. */
export async function stakedAgainst(ledger: Ledger, vaults: StakingVaults, held: readonly string[]): Promise<Issued> {
  const tokens = tokensAmong(held);
  const [taking, handing] = await Promise.all([
    heldByListed(ledger, vaults.takes, tokens),
    heldByListed(ledger, vaults.handsOut, tokens),
  ]);
  const stakes = await stakesIn(
    ledger,
    vaults.source,
    taking.map(({ contract }) => contract),
  );
  const issuers = new Map<string, Issuer>();
  const nameOf = ({ token, contract }: Place) => `${token} ${contract}`;
  const handed = new Set(handing.map(nameOf));
  const handsOut = { remainder: vaults.reason };
  for (const { token, contract } of handing)
    issuers.set(nameOf({ token, contract }), issuerBy({ asset: tokenAsset(token), contract }, [], handsOut));
  for (const { token, contract } of taking) {
    const claims = [{ asset: stakeAsset(contract), amount: stakes.get(contract)?.total ?? 0n }];
    const more = handed.has(nameOf({ token, contract })) ? handsOut : {};
    issuers.set(nameOf({ token, contract }), issuerBy({ asset: tokenAsset(token), contract }, claims, more));
  }
  return { issuers: [...issuers.values()], assets: [...stakes.values()] };
}

/** Who is there to hold tokens and may have staked them on. */
export type Takers<P extends Place> = (tokens: readonly Address[]) => Promise<readonly P[]>;

/** The stakes among `held`, in vaults that `kinds` list, of those who are there to hold what these vaults take. */
export async function stakedOn<P extends Place>(
  ledger: Ledger,
  held: readonly string[],
  { kinds, takers }: { kinds: readonly string[]; takers: Takers<P> },
): Promise<(P & { vault: Address; asset: string; amount: bigint })[]> {
  const vaults = vaultsAmong(held);
  const taken = await ledger.tokensOf(kinds, vaults);
  const places = await takers([...new Set([...taken.values()].flatMap((tokens) => [...tokens]))]);
  const stakes = vaults.flatMap((vault) =>
    places.filter(({ token }) => taken.get(vault)?.has(token)).map((place) => ({ ...place, vault })),
  );
  const amounts = await ledger.amounts(
    stakes.map(({ vault, contract }) => ({ kind: STAKE, key: vault, account: contract })),
  );
  return stakes.flatMap((stake, i) => {
    const amount = amounts[i] ?? 0n;
    return amount > 0n ? [{ ...stake, asset: stakeAsset(stake.vault), amount }] : [];
  });
}
