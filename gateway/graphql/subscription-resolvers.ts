// Subscriptions: field -> feed, and events in the shapes of schema.graphql.
import { z } from "zod";
import { decimalOf } from "../numbers.ts";
import { type Address, address, parseInput } from "../parameters.ts";
import type { EventQueue } from "../subscriptions/event-queue.ts";
import { type Feeds, requirePool, watchedToken } from "../subscriptions/feeds.ts";
import type { BalanceMessage, BlockMessage, PoolMessage } from "../subscriptions/messages.ts";
import type { SeenBlock } from "../subscriptions/sent-blocks.ts";
import { type ChainArgument, type Context, chainId } from "./arguments.ts";
import { metadataView } from "./views.ts";

/** Of one document. */
export interface GraphqlContext extends Context {
  feeds: Feeds;
  /** Of the HTTP request. */
  requestId?: string | undefined;
}

const MOST_WATCHED = 1_000;

const watchedAccounts = z
  .array(address)
  .min(1, "must name at least one address")
  .max(MOST_WATCHED, `must name at most ${MOST_WATCHED} addresses`)
  .transform((list) => [...new Set(list)]);

/**
 * Turns events into nodes; an ending is thrown when it is resolved, so that it arrives as an error. Not a generator:
 * while a generator waits for an event it does not notice that its reader has left.
 */
function shown<T, Node>(queue: EventQueue<T>, nodeOf: (event: T) => Node): AsyncIterableIterator<() => Node> {
  const nodes: AsyncIterableIterator<() => Node> = {
    async next() {
      const { done, value } = await queue.next();
      if (done) return { done, value: undefined };
      const resolveNode = () => {
        if ("ended" in value) throw value.ended;
        return nodeOf(value.event);
      };
      return { done: false, value: resolveNode };
    },
    async return() {
      await queue.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => nodes,
  };
  return nodes;
}

const resolve = (event: () => unknown) => event();

const seenBlock = ({ number, hash, timestamp }: SeenBlock) => ({ number, hash, timestamp });

const blockEvent = ({ block, replaced }: BlockMessage) => ({
  block: seenBlock(block),
  replaced: replaced.map(seenBlock),
});

function balanceEvent({ block, token, account, balance, delta, isCorrection }: BalanceMessage) {
  const decimals = token.metadata?.decimals;
  const inWhole = (amount: bigint) => decimalOf(amount, decimals);
  return {
    block: seenBlock(block),
    token: metadataView(token),
    account,
    balance,
    balanceDecimal: inWhole(balance),
    delta,
    deltaDecimal: inWhole(delta),
    isCorrection,
  };
}

const poolEvent = ({ block, pool, events, isCorrection }: PoolMessage) => ({
  block: seenBlock(block),
  pool,
  events: events.map(({ logIndex, kind }) => ({ logIndex, kind })),
  isCorrection,
});

/** What is watched is looked up first, in a scope that is closed before the feed begins: that needs a connection, and there are few. */
export const subscriptions = {
  newBlock: {
    resolve,
    async subscribe(_: unknown, args: ChainArgument, { feeds }: GraphqlContext) {
      return shown(await feeds.blocks(chainId(args)), blockEvent);
    },
  },
  balanceChanged: {
    resolve,
    async subscribe(
      _: unknown,
      args: { token: Address; accounts: Address[] } & ChainArgument,
      { feeds, scope }: GraphqlContext,
    ) {
      const accounts = parseInput(watchedAccounts, args.accounts, "accounts");
      const token = await scope.run(watchedToken, { token: args.token }, chainId(args));
      await scope.close();
      const queue = await feeds.balances(chainId(args), { token: token.address, accounts });
      return shown(queue, balanceEvent);
    },
  },
  poolChanged: {
    resolve,
    async subscribe(_: unknown, args: { id: Address } & ChainArgument, { feeds, scope }: GraphqlContext) {
      await scope.run(requirePool, { pool: args.id }, chainId(args));
      await scope.close();
      return shown(await feeds.pool(chainId(args), args.id), poolEvent);
    },
  },
};
