// Vaults that owe each staker exactly what he staked, and keep it themselves or stake it on in another vault. What they
// have staked on covers what they owe first, what they hold themselves the rest.
import { STAKE } from "../../core/ledgers/stake.ts";
import type { Address } from "../parameters.ts";
import { heldAt, type Ledger, type Place } from "./ledger.ts";
import { type Issued, tokenAsset } from "./protocol.ts";
import { issuerBy, stakeAsset, stakedOn, stakesIn, type Takers, tokensAmong } from "./stake.ts";

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
  const owedBy = ({ of }: OwingPlace) => stakes.get(of)?.total ?? 0n;
  const onward = await stakedOnward(ledger, onIn, direct);
  return {
    issuers: [
      ...direct.map((place, i) => {
        const amount = owedBy(place) - least(owedBy(place), onward[i] ?? 0n);
        const { token, contract } = place;
        return issuerBy({ asset: tokenAsset(token), contract }, [{ asset: stakeAsset(place.of), amount }]);
      }),
      ...staked.map((place) => {
        const amount = least(owedBy(place), place.amount);
        return issuerBy(place, [{ asset: stakeAsset(place.of), amount }]);
      }),
    ],
    assets: [...stakes.values()],
  };
}

/** How much of its token each of `places` has staked on. */
async function stakedOnward(ledger: Ledger, kinds: readonly string[], places: readonly Place[]): Promise<bigint[]> {
  const tokens = [...new Set(places.map(({ token }) => token))];
  const vaults: Place[] = (await Promise.all(kinds.map((kind) => ledger.listed(kind, tokens)))).flat();
  const queries = places.flatMap(({ token, contract }, i) =>
    vaults
      .filter((vault) => vault.token === token)
      .map((vault) => ({ i, kind: STAKE, key: vault.contract, account: contract })),
  );
  const amounts = await ledger.amounts(queries);
  const onward = places.map(() => 0n);
  for (const [n, { i }] of queries.entries()) onward[i] = (onward[i] ?? 0n) + (amounts[n] ?? 0n);
  return onward;
}
