// Vaults that the chain file lists. Of `erc4626` and `beefy` the shares are parts of all that the vault and its holder
// have of the asset, themselves or staked; of `erc4626-queued` of what the vault has itself beyond what waits to be withdrawn;
// `staking` owes one for one.
import type { ChainFile } from "../../../chains/chain-file.ts";
import { BAULT, FARM, INFRARED, REWARD_VAULT } from "../../../core/ledgers/vault.ts";
import { withStakesOn } from "../../backing/behind.ts";
import { heldAt, type Ledger } from "../../backing/ledger.ts";
import { type OwingPlace, type OwingVaults, owedAgainst, owedBy } from "../../backing/one-to-one.ts";
import { type Behind, type Issued, tokenAsset } from "../../backing/protocol.ts";
import { shareTokens } from "../../backing/share.ts";
import { issuerBy, stakeAsset, stakedOn, stakesIn, type Takers, tokensAmong } from "../../backing/stake.ts";

type ListedVault = ChainFile["externalVaults"][number];

const ANY_STAKE = [REWARD_VAULT, FARM, INFRARED];

/** A vault that its factory announces is of the kind that was announced, even where the chain file lists it. */
export const ANNOUNCED = [BAULT, ...ANY_STAKE];

/** The vault where its stakes or shares are its own holdings, and the contract that holds for it; a queued one counts what it has itself. */
export const contractsOf = ({ kind, address, holder }: ListedVault): ListedVault["address"][] =>
  holder === undefined || kind === "erc4626-queued" ? [address] : kind === "staking" ? [holder] : [address, holder];

/**
 * Those of them whose stakes count: a Beefy vault's `balance()` is what the vault has in its wallet and all that its strategy has. What
 * somebody stakes on behalf of the vault itself, nobody can take out. BeefyVaultV7.sol
 */
export const stakersOf = (vault: ListedVault): ListedVault["address"][] =>
  vault.kind === "beefy" && vault.holder !== undefined ? [vault.holder] : contractsOf(vault);

const takersAmong =
  (vaults: readonly ListedVault[], those: typeof contractsOf = contractsOf): Takers<OwingPlace> =>
  async (tokens) =>
    vaults
      .filter(({ asset }) => tokens.includes(asset))
      .flatMap((vault) => those(vault).map((contract) => ({ token: vault.asset, contract, of: vault.address })));

const owingAmong = (vaults: readonly ListedVault[]): OwingVaults => ({
  takers: takersAmong(vaults.filter(({ kind }) => kind === "staking")),
  onIn: ANY_STAKE,
});

/** Ids of what those owe that may have staked on where `assets` (ids) are stakes. */
export const owedByListed = (ledger: Ledger, vaults: readonly ListedVault[], assets: readonly string[]) =>
  owedBy(ledger, owingAmong(vaults), assets);

export async function listedAgainst(
  ledger: Ledger,
  vaults: readonly ListedVault[],
  held: readonly string[],
): Promise<Issued> {
  const those = (...kinds: ListedVault["kind"][]) => vaults.filter(({ kind }) => kinds.includes(kind));
  const found = await Promise.all([
    sharesAgainst(ledger, those("erc4626", "beefy"), held),
    queuedAgainst(ledger, those("erc4626-queued"), held),
    owedAgainst(ledger, owingAmong(vaults), held),
  ]);
  return { issuers: found.flatMap(({ issuers }) => issuers), assets: found.flatMap(({ assets }) => assets) };
}

/** What waits belongs to the owners whose shares were burnt for it; the rest is `totalAssets()`. WBERAStakerVault.sol */
async function queuedAgainst(ledger: Ledger, vaults: readonly ListedVault[], held: readonly string[]): Promise<Issued> {
  const places = await heldAt(ledger, await takersAmong(vaults)(tokensAmong(held)));
  const addresses = places.map(({ of }) => of);
  const [shares, queues] = await Promise.all([
    shareTokens(ledger, "external_vaults", addresses),
    stakesIn(ledger, "external_vaults", addresses),
  ]);
  const issuers = places.map(({ token, contract, of, amount }) => {
    const waiting = queues.get(of)?.total ?? 0n;
    const claims = [
      { asset: stakeAsset(of), amount: waiting },
      { asset: tokenAsset(of), amount: amount > waiting ? amount - waiting : 0n },
    ];
    return issuerBy({ asset: tokenAsset(token), contract }, claims);
  });
  return { issuers, assets: [...shares, ...queues.values()] };
}

async function sharesAgainst(ledger: Ledger, vaults: readonly ListedVault[], held: readonly string[]): Promise<Issued> {
  const [direct, staked] = await Promise.all([
    takersAmong(vaults)(tokensAmong(held)).then((taken) => heldAt(ledger, taken)),
    stakedOn(ledger, held, { kinds: ANY_STAKE, takers: takersAmong(vaults, stakersOf) }),
  ]);
  const places = [...direct.map((place) => ({ ...place, asset: tokenAsset(place.token) })), ...staked];
  return {
    issuers: places.map((place) => issuerBy(place, [{ asset: tokenAsset(place.of), amount: place.amount }])),
    assets: await shareTokens(
      ledger,
      "external_vaults",
      places.map(({ of }) => of),
    ),
  };
}

/** Of the vaults whose shares or stakes are among `held`. */
export function behindListed(
  ledger: Ledger,
  vaults: readonly ListedVault[],
  held: readonly string[],
): Promise<Behind[]> {
  const assets = new Set(held);
  const issued = ({ kind, address }: ListedVault) => [
    ...(kind === "staking" ? [] : [tokenAsset(address)]),
    ...(kind === "staking" || kind === "erc4626-queued" ? [stakeAsset(address)] : []),
  ];
  const behind = vaults
    .filter((vault) => issued(vault).some((id) => assets.has(id)))
    .flatMap((vault) => contractsOf(vault).map((contract) => ({ contract, assets: [tokenAsset(vault.asset)] })));
  return withStakesOn(ledger, ANY_STAKE, behind);
}
