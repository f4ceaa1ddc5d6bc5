// Field -> operation. Arguments are checked here in the words of the schema; everything else happens below.
import { z } from "zod";
import { type BlockChoice, blockNumbered } from "../history/block-choice.ts";
import { type Address, addressList, pageSize, parseInput, tokenId } from "../parameters.ts";
import { accountBalances } from "../questions/account-balances.ts";
import { balancesPage } from "../questions/balances.ts";
import { poolAt, poolsPage, poolTicks } from "../questions/pools.ts";
import { positionAt, positionsPage } from "../questions/positions.ts";
import { status } from "../questions/status.ts";
import { tokenAt, tokensPage } from "../questions/tokens.ts";
import { sqlStatusOf } from "../sql/sql-status.ts";
import {
  type BlockArgument,
  blockChoice,
  type ChainArgument,
  type Context,
  chainId,
  type FieldCall,
  type PageArguments,
  pageOf,
} from "./arguments.ts";
import { distributionQueries } from "./distribution-resolvers.ts";
import { factsQueries, factsTypes } from "./facts-resolvers.ts";
import { fieldsBelow } from "./fields-below.ts";
import { launchQueries } from "./launch-resolvers.ts";
import { poolRangeQueries } from "./pool-range-resolvers.ts";
import { positionFields } from "./position-fields.ts";
import { priceQueries, tokenPriceFields } from "./price-resolvers.ts";
import { quoteQueries } from "./quote-resolvers.ts";
import { rangeQueries } from "./range-resolvers.ts";
import { rewardsQueries } from "./rewards-resolvers.ts";
import { scalars } from "./scalars.ts";
import { seriesQueries } from "./series-resolvers.ts";
import { subscriptions } from "./subscription-resolvers.ts";
import { poolsView, poolView, positionsView, positionView } from "./v3-views.ts";
import { vaultQueries } from "./vault-resolvers.ts";
import { accountBalancesView, balancesView, tokensView, tokenView } from "./views.ts";

interface AccountParent {
  address: Address;
  block: BlockChoice;
  chainId: number | undefined;
}

const tickPage = z.object({ first: pageSize, after: z.number().int().optional() });

type BalancesArguments = { token: Address; users?: Address[] | null } & BlockArgument & PageArguments & ChainArgument;

type PositionsArguments = { owner?: Address | null; pool?: Address | null } & BlockArgument &
  PageArguments &
  ChainArgument;

/** Of a page of balances: what the accounts do not have. */
const OF_THE_REST = ["unattributed", "shortfalls"];

type PoolParent = ReturnType<typeof poolView>;

export const resolvers = {
  ...scalars,
  ...factsTypes,
  Query: {
    ...rangeQueries,
    ...distributionQueries,
    ...vaultQueries,
    ...launchQueries,
    ...priceQueries,
    ...factsQueries,
    ...seriesQueries,
    ...poolRangeQueries,
    ...quoteQueries,
    ...rewardsQueries,

    status: (_: unknown, args: ChainArgument, { scope }: Context) => scope.run(status, {}, chainId(args)),

    async token(_: unknown, args: { address: Address } & BlockArgument & ChainArgument, { scope }: Context) {
      return tokenView(
        await scope.run(tokenAt, { token: args.address, block: blockChoice(args.block) }, chainId(args)),
        chainId(args),
      );
    },

    async tokens(
      _: unknown,
      args: { search?: string | null } & BlockArgument & PageArguments & ChainArgument,
      { scope }: Context,
    ) {
      const input = { search: args.search ?? undefined, block: blockChoice(args.block), ...pageOf(args) };
      return tokensView(await scope.run(tokensPage, input, chainId(args)), chainId(args));
    },

    async balances(...[, args, { scope }, info]: FieldCall<BalancesArguments>) {
      const users = args.users ? parseInput(addressList, args.users, "users") : undefined;
      const fields = fieldsBelow(info);
      const input = {
        token: args.token,
        block: blockChoice(args.block),
        users,
        ...pageOf(args),
        isWhole: OF_THE_REST.some((field) => fields.has(field)),
      };
      return balancesView(await scope.run(balancesPage, input, chainId(args)), chainId(args));
    },

    async pool(_: unknown, args: { address: Address } & BlockArgument & ChainArgument, { scope }: Context) {
      const found = await scope.run(poolAt, { pool: args.address, block: blockChoice(args.block) }, chainId(args));
      return poolView(found, chainId(args));
    },

    async pools(
      _: unknown,
      args: { token?: Address | null } & BlockArgument & PageArguments & ChainArgument,
      { scope }: Context,
    ) {
      const input = { token: args.token ?? undefined, block: blockChoice(args.block), ...pageOf(args) };
      return poolsView(await scope.run(poolsPage, input, chainId(args)), chainId(args));
    },

    async position(
      _: unknown,
      args: { id: string; manager?: Address | null } & BlockArgument & ChainArgument,
      { scope }: Context,
    ) {
      const input = {
        id: parseInput(tokenId, args.id, "id"),
        manager: args.manager ?? undefined,
        block: blockChoice(args.block),
      };
      return positionView(await scope.run(positionAt, input, chainId(args)), chainId(args));
    },

    async positions(...[, args, { scope }, info]: FieldCall<PositionsArguments>) {
      const { owner, pool } = args;
      const input = {
        owner: owner ?? undefined,
        pool: pool ?? undefined,
        block: blockChoice(args.block),
        ...pageOf(args),
        isCounted: fieldsBelow(info).has("totalCount"),
      };
      return positionsView(await scope.run(positionsPage, input, chainId(args)), chainId(args));
    },

    account: (_: unknown, args: { address: Address } & BlockArgument & ChainArgument): AccountParent => ({
      address: args.address,
      block: blockChoice(args.block),
      chainId: chainId(args),
    }),
  },

  Token: tokenPriceFields,

  Subscription: subscriptions,

  Status: {
    sql: (shown: { chainId: number }, _: unknown, { scope }: Context) => sqlStatusOf(scope, shown.chainId),
  },

  Pool: {
    async ticks(parent: PoolParent, args: { first?: number | null; after?: number | null }, { scope }: Context) {
      if (parent.stopped) return null;
      const { number } = parent.block;
      const block = blockNumbered(number, "block.number");
      const page = parseInput(tickPage, { first: args.first ?? 1000, after: args.after ?? undefined });
      return scope.run(poolTicks, { pool: parent.address, block, ...page }, parent.chainId);
    },
  },

  Position: positionFields,

  Account: {
    async balances(parent: AccountParent, args: PageArguments, { scope }: Context) {
      const input = { account: parent.address, block: parent.block, ...pageOf(args) };
      return accountBalancesView(await scope.run(accountBalances, input, parent.chainId));
    },
  },
};
