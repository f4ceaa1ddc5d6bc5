// Vaults that owe each staker exactly what was staked, and hold it themselves or stake it on in other vaults. What they owe is
// covered first by what they have staked on, vault by vault in the order of addresses, and then by what they hold themselves.
import { STAKE } from "../../core/ledgers/stake.ts";
import type { Address } from "../parameters.ts";
import { heldAt, type Ledger, type Place } from "./ledger.ts";
import { type Issued, tokenAsset } from "./protocol.ts";
import { issuerBy, stakeAsset, stakedOn, stakesIn, type Takers, tokensAmong, vaultsAmong } from "./stake.ts";

/** `contract` holds what is owed to those who staked in `of`, often itself. */
export interface OwingPlace extends Place {
  of: Address;
}

export interface OwingVaults {
  takers: Takers<OwingPlace>;
  /** Listings of the vaults that they may stake on in. */
  onIn: readonly string[];
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** What the vaults hold or have staked of `held`, for those who staked in them. */
export async function owedAgainst(
  ledger: Ledger,
  { takers, onIn }: OwingVaults,
  held: readonly string[],
): Promise<Issued> {
  const [direct, staked] = await Promise.all([
    takers(tokensAmong(held)).then((places) => heldAt(ledger, places)),
    stakedOn(ledger, held, { kinds: onIn, takers }),
  ]);
  const stakes = await stakesIn(
    ledger,
    "external_vaults",
    [...direct, ...staked].map(({ of }) => of),
  );
  const onward = await stakedOnward(ledger, onIn, [...direct, ...staked]);
  /** What `place` owes, less what lies in those of its stakes that `isBefore` names; and all assets in which such stakes may be. */
  const owedBeyond = (place: OwingPlace, i: number, isBefore: (vault: Address) => boolean) => {
    const owed = stakes.get(place.of)?.total ?? 0n;
    const before = (onward[i] ?? []).filter(({ vault }) => isBefore(vault));
    const covered = before.reduce((sum, { amount }) => sum + amount, 0n);
    return { left: owed - least(owed, covered), needs: before.map(({ vault }) => stakeAsset(vault)) };
  };
  return {
    issuers: [
      ...direct.map((place, i) => {
        const { token, contract } = place;
        const { left, needs } = owedBeyond(place, i, () => true);
        const claim = { asset: stakeAsset(place.of), amount: left };
        return issuerBy({ asset: tokenAsset(token), contract }, [claim], { needs });
      }),
      ...staked.map((place, i) => {
        const { left, needs } = owedBeyond(place, direct.length + i, (vault) => vault < place.vault);
        return issuerBy(place, [{ asset: stakeAsset(place.of), amount: least(left, place.amount) }], { needs });
      }),
    ],
    assets: [...stakes.values()],
  };
}

/** Ids of what those vaults owe that may have staked on where `assets` (ids) are stakes. */
export async function owedBy(
  ledger: Ledger,
  { takers, onIn }: OwingVaults,
  assets: readonly string[],
): Promise<string[]> {
  const taken = await ledger.tokensOf(onIn, vaultsAmong(assets));
  const places = await takers([...new Set([...taken.values()].flatMap((tokens) => [...tokens]))]);
  return [...new Set(places.map(({ of }) => stakeAsset(of)))];
}

/** What each of `places` has staked of its token, by vault. */
async function stakedOnward(
  ledger: Ledger,
  kinds: readonly string[],
  places: readonly Place[],
): Promise<{ vault: Address; amount: bigint }[][]> {
  const tokens = [...new Set(places.map(({ token }) => token))];
  const vaults: Place[] = (await Promise.all(kinds.map((kind) => ledger.listed(kind, tokens)))).flat();
  const queries = places.flatMap(({ token, contract }, i) => {
    const taking = new Set(vaults.filter((vault) => vault.token === token).map((vault) => vault.contract));
    return [...taking].map((key) => ({ i, kind: STAKE, key, account: contract }));
  });
  const amounts = await ledger.amounts(queries);
  const onward: { vault: Address; amount: bigint }[][] = places.map(() => []);
  for (const [n, { i, key: vault }] of queries.entries()) onward[i]?.push({ vault, amount: amounts[n] ?? 0n });
  return onward;
}
