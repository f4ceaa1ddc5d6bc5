// Which pools a list shows, in which order, and which page of it. Pure rules over what is known about each pool.

/** What lists go by. USD and percent are integers of one fixed scale each; undefined: not known. */
export interface ListedVault {
  /** The share's; identifies the pool. */
  id: string;
  /** Names and symbols of the share and of both tokens. */
  words: readonly string[];
  /** Of the share, both tokens and the pool, lower case. */
  addresses: readonly string[];
  tvl: bigint | undefined;
  farmTvl: bigint | undefined;
  apr: bigint | undefined;
  farmApr: bigint | undefined;
  totalApr: bigint | undefined;
  isRewardVault: boolean;
  /** Undefined where only a farm that has not been read could pay. */
  isSweetened: boolean | undefined;
  isVolatile: boolean;
  /** What the given user has of it; undefined for nothing at all, and without a user. */
  held: HeldUsd | undefined;
}

interface HeldUsd {
  vaultBalance: bigint | undefined;
  farmBalance: bigint | undefined;
  balance: bigint | undefined;
}

/** `true` selects pools with the mark. `false` and undefined leave everything, but `volatile: false` selects the others. */
export interface VaultFilter {
  /** Part of a name or symbol in any case, or a whole address. */
  search?: string | undefined;
  rewardVault?: boolean | undefined;
  sweetened?: boolean | undefined;
  volatile?: boolean | undefined;
  /** On the scale of `tvl`. Pools without a known one are left out. */
  minimumTvl?: bigint | undefined;
  isHeld?: boolean | undefined;
}

const userOrders = ["balance", "farmBalance", "vaultBalance"] as const;
export const vaultOrders = ["tvl", "farmTvl", "apr", "farmApr", "totalApr", ...userOrders] as const;
export type VaultOrder = (typeof vaultOrders)[number];
type UserOrder = (typeof userOrders)[number];

/** Those that only a user's holdings decide. */
export const isUserOrder = (order: VaultOrder): order is UserOrder => userOrders.some((one) => one === order);

const ADDRESS = /^0x[0-9a-f]{40}$/;

function isFound({ words, addresses }: ListedVault, search: string): boolean {
  const wanted = search.toLowerCase();
  if (ADDRESS.test(wanted)) return addresses.includes(wanted);
  return words.some((word) => word.toLowerCase().includes(wanted));
}

/** In the order of `vaults`. */
export function filterVaults<Vault extends ListedVault>(vaults: readonly Vault[], filter: VaultFilter): Vault[] {
  const { search, rewardVault, sweetened, volatile, minimumTvl, isHeld } = filter;
  const tests: ((vault: ListedVault) => boolean)[] = [];
  if (search !== undefined) tests.push((vault) => isFound(vault, search));
  if (rewardVault) tests.push(({ isRewardVault }) => isRewardVault);
  if (sweetened) tests.push(({ isSweetened }) => isSweetened === true);
  if (volatile !== undefined) tests.push(({ isVolatile }) => isVolatile === volatile);
  if (minimumTvl !== undefined) tests.push(({ tvl }) => tvl !== undefined && tvl >= minimumTvl);
  if (isHeld) tests.push(({ held }) => held !== undefined);
  return vaults.filter((vault) => tests.every((test) => test(vault)));
}

/** Where a pool's worth is unknown every amount is: even one that happens to be 0. */
function orderedBy(vault: ListedVault, order: VaultOrder): bigint | undefined {
  if (vault.tvl === undefined) return undefined;
  return isUserOrder(order) ? vault.held?.[order] : vault[order];
}

/** By value, unknown ones last whatever the direction; equal ones by id. */
export function orderVaults<Vault extends ListedVault>(
  vaults: readonly Vault[],
  { order, direction }: { order: VaultOrder; direction: "asc" | "desc" },
): Vault[] {
  const sign = direction === "asc" ? 1 : -1;
  const byId = (a: Vault, b: Vault): number => (a.id < b.id ? -1 : 1);
  return [...vaults].sort((a, b) => {
    const [one, other] = [orderedBy(a, order), orderedBy(b, order)];
    if (one === other) return byId(a, b);
    if (one === undefined) return 1;
    if (other === undefined) return -1;
    return one < other ? -sign : sign;
  });
}
