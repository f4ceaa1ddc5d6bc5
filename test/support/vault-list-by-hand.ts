// Lists of pools by a plain reading of the rules, over the records that the whole list shows.
import type { VaultOrder } from "../../core/vaults/vault-list.ts";
import type { Random } from "../../devnet/scenario/random.ts";

interface NamedToken {
  id: string;
  name: string;
  symbol: string;
}

/** A record as REST shows it. */
export type ShownVault = Record<string, unknown> & {
  id: string;
  poolAddress: string;
  tvl: number;
  token0: NamedToken;
  token1: NamedToken;
  tokenLp: NamedToken;
};

/** What GraphQL says of the same: null where it is not known. */
export type SortValues = Record<VaultOrder, number | null>;

export interface FullList {
  vaults: readonly ShownVault[];
  /** By id. */
  values: ReadonlyMap<string, SortValues>;
}

function isFound(one: ShownVault, wanted: string): boolean {
  const tokens = [one.token0, one.token1, one.tokenLp];
  if (wanted.startsWith("0x")) return [one.poolAddress, ...tokens.map(({ id }) => id)].includes(wanted);
  return tokens.flatMap(({ name, symbol }) => [name, symbol]).some((word) => word.toLowerCase().includes(wanted));
}

type Rule = (one: ShownVault, wanted: string, list: FullList) => boolean;

const rules: Record<string, Rule> = {
  search: (one, wanted) => isFound(one, wanted.toLowerCase()),
  rewardVault: (one, wanted) => wanted === "false" || one.isRewardVault === true,
  sweetened: (one, wanted) => wanted === "false" || one.isSweetened === true,
  volatile: (one, wanted) => String(one.isVolatile) === wanted,
  minimumTvl: (one, wanted, { values }) => (values.get(one.id)?.tvl ?? -1) >= Number(wanted),
};

const isLeft = (one: ShownVault, query: URLSearchParams, list: FullList): boolean =>
  Object.entries(rules).every(([name, rule]) => !query.has(name) || rule(one, query.get(name) ?? "", list));

/** The page that `query` names, and how many there are on all pages. */
export function listByHand(list: FullList, query: URLSearchParams): { count: number; data: ShownVault[] } {
  const order = (query.get("orderBy") ?? "tvl") as VaultOrder;
  const sign = query.get("orderDirection") === "asc" ? 1 : -1;
  const left = list.vaults.filter((one) => isLeft(one, query, list)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const sortedBy = ({ id }: ShownVault) => (list.values.get(id)?.tvl === null ? null : list.values.get(id)?.[order]);
  const sortable = left.filter((one) => sortedBy(one) !== null);
  // sorting is stable: equal ones stay by id
  sortable.sort((a, b) => sign * (Number(sortedBy(a)) - Number(sortedBy(b))));
  const ordered = [...sortable, ...left.filter((one) => sortedBy(one) === null)];
  const offset = Number(query.get("offset") ?? 0);
  return { count: ordered.length, data: ordered.slice(offset, offset + Number(query.get("limit") ?? 20)) };
}

/** Parameters drawn at random, each from what it may be; "-": left out. */
export function drawQuestion(random: Random, choices: Readonly<Record<string, readonly string[]>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(choices)) {
    const value = random.pick(values);
    if (value !== "-") query.set(name, value);
  }
  return query;
}
