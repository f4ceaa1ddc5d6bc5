// Pools that issue shares: field -> operation.
import type { VaultFilter } from "../../core/vaults/vault-list.ts";
import { plainDecimal } from "../numbers.ts";
import { type Address, parseInput } from "../parameters.ts";
import {
  baultsList,
  FIRST_PAGE,
  leastUsd,
  searchText,
  type VaultPage,
  vaultAt,
  vaultPage,
  vaultsPage,
} from "../questions/vaults.ts";
import {
  type BlockArgument,
  blockChoice,
  type ChainArgument,
  type Context,
  chainId,
  cursorText,
  type PageArguments,
} from "./arguments.ts";
import { baultsView, oneVaultView, vaultsView } from "./vault-views.ts";

type Nullable<T> = { [Key in keyof T]?: T[Key] | null };

type VaultsArguments = Nullable<VaultPage> &
  Pick<PageArguments, "after"> &
  Nullable<Pick<VaultFilter, "search" | "rewardVault" | "sweetened" | "volatile">> & {
    minimumTvl?: number | null;
    user?: Address | null;
  } & BlockArgument &
  ChainArgument;

/** @throws InvalidInputError naming the argument */
const filterOf = ({ search, rewardVault, sweetened, volatile, minimumTvl }: VaultsArguments) => {
  return {
    search: parseInput(searchText, search ?? undefined, "search"),
    rewardVault: rewardVault ?? undefined,
    sweetened: sweetened ?? undefined,
    volatile: volatile ?? undefined,
    minimumTvl: parseInput(leastUsd, minimumTvl == null ? undefined : plainDecimal(minimumTvl), "minimumTvl"),
  };
};

const pageOf = (args: VaultsArguments): VaultPage =>
  parseInput(vaultPage, {
    limit: args.limit ?? FIRST_PAGE.limit,
    offset: args.offset ?? FIRST_PAGE.offset,
    orderBy: args.orderBy ?? FIRST_PAGE.orderBy,
    orderDirection: args.orderDirection ?? FIRST_PAGE.orderDirection,
  });

export const vaultQueries = {
  async vaults(_: unknown, args: VaultsArguments, { scope }: Context) {
    const input = {
      block: blockChoice(args.block),
      user: args.user ?? undefined,
      filter: filterOf(args),
      page: pageOf(args),
      after: parseInput(cursorText, args.after ?? undefined, "after"),
    };
    return vaultsView(await scope.run(vaultsPage, input, chainId(args)));
  },

  async vault(
    _: unknown,
    args: { id: Address; user?: Address | null } & BlockArgument & ChainArgument,
    { scope }: Context,
  ) {
    const input = { id: args.id, block: blockChoice(args.block), user: args.user ?? undefined };
    return oneVaultView(await scope.run(vaultAt, input, chainId(args)));
  },

  async baults(_: unknown, args: BlockArgument & ChainArgument, { scope }: Context) {
    return baultsView(await scope.run(baultsList, { block: blockChoice(args.block) }, chainId(args)));
  },
};
