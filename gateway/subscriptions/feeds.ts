// Subscriptions of this process: who may subscribe to what, and how many may.
import type { Logger } from "pino";
import { chainOf, type Operation, type Service } from "../context.ts";
import { GatewayError, UnavailableError } from "../errors.ts";
import type { TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { locateSoundToken } from "../questions/locate-token.ts";
import type { EventQueue } from "./event-queue.ts";
import { Feed, type Interest } from "./feed.ts";
import {
  type BalanceMessage,
  type BlockMessage,
  balanceMessages,
  blockMessages,
  type PoolMessage,
  poolMessages,
} from "./messages.ts";
import { ServerStoppingError } from "./subscription-ended.ts";
import { isPool } from "./watched-changes.ts";

/** Open subscriptions of one process, of all chains together. */
export const MOST_SUBSCRIBERS = 1_000;
/** Accounts that they watch together, each as often as somebody watches it: all are compared with every block. */
export const MOST_WATCHED_TOGETHER = 100_000;
/** A head is announced this much later at most. */
const FOLLOW_EVERY_MS = 400;

/** Settings of answers that do not end by themselves. */
export interface Lasting {
  /** When it is aborted all subscriptions end. */
  stopping?: AbortSignal;
  /** Between two reads of the fold's head. */
  followEveryMs?: number;
}

interface FeedsSetting extends Lasting {
  service: Service;
  log: Logger;
}

export class Feeds {
  readonly #setting: FeedsSetting;
  readonly #feeds = new Map<number, Feed>();
  #open = 0;
  #watched = 0;

  constructor(setting: FeedsSetting) {
    this.#setting = setting;
    setting.stopping?.addEventListener("abort", () => {
      for (const feed of this.#feeds.values()) feed.end(new ServerStoppingError());
    });
  }

  get open(): number {
    return this.#open;
  }

  /** Every block from now on, also one that replaces another. */
  blocks(chainId: number | undefined): Promise<EventQueue<BlockMessage>> {
    return this.#subscribe(chainId, { messagesOf: blockMessages });
  }

  /** What each of `accounts` has in its own wallet, whenever a block changes it. */
  balances(
    chainId: number | undefined,
    wallets: { token: Address; accounts: readonly Address[] },
  ): Promise<EventQueue<BalanceMessage>> {
    return this.#subscribe(chainId, {
      watches: wallets,
      messagesOf: (move, sent) => balanceMessages(move, sent, wallets),
    });
  }

  /** Blocks with events of a pool, and which. */
  pool(chainId: number | undefined, pool: Address): Promise<EventQueue<PoolMessage>> {
    return this.#subscribe(chainId, { watches: { pool }, messagesOf: (move, sent) => poolMessages(move, sent, pool) });
  }

  /** @throws UnavailableError (`OVERLOADED`, `STARTING`), ServerStoppingError, InvalidInputError naming `chainId` */
  async #subscribe<T>(wanted: number | undefined, interest: Interest<T>): Promise<EventQueue<T>> {
    const { service, log, stopping, followEveryMs = FOLLOW_EVERY_MS } = this.#setting;
    const { chainId } = chainOf(service, wanted);
    if (stopping?.aborted) throw new ServerStoppingError();
    const accounts = accountsOf(interest);
    this.#requireRoom(accounts);
    const feed = this.#feeds.get(chainId) ?? new Feed({ service, chainId, log, followEveryMs });
    this.#feeds.set(chainId, feed);
    this.#open += 1;
    this.#watched += accounts;
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      this.#watched -= accounts;
    };
    try {
      const queue = await feed.subscribe(interest, close);
      // it joined while all others were ended
      if (stopping?.aborted) queue.end(new ServerStoppingError());
      return queue;
    } catch (error) {
      close();
      throw error;
    }
  }

  #requireRoom(accounts: number): void {
    if (this.#open >= MOST_SUBSCRIBERS)
      throw new UnavailableError(
        "OVERLOADED",
        `${MOST_SUBSCRIBERS} subscriptions are open already. Retry when others have ended.`,
      );
    if (this.#watched + accounts > MOST_WATCHED_TOGETHER)
      throw new UnavailableError(
        "OVERLOADED",
        `Open subscriptions watch ${this.#watched} accounts; all together may watch ${MOST_WATCHED_TOGETHER}. Name fewer, or retry when others have ended.`,
      );
  }
}

const accountsOf = ({ watches }: Interest<unknown>): number =>
  watches && "token" in watches ? watches.accounts.length : 0;

/** The token of a subscription, when its balances are known. @throws TokenNotTrackedError, TokenNotStandardError */
export const watchedToken: Operation<{ token: Address }, TokenState> = {
  name: "watchedToken",
  async run({ token: address }, context) {
    return (await locateSoundToken(context, { token: address, block: { kind: "latest" } })).token;
  },
};

/** @throws NotAPoolError */
export const requirePool: Operation<{ pool: Address }, void> = {
  name: "watchedPool",
  async run({ pool }, { snapshot }) {
    await snapshot.open();
    if (!(await isPool(snapshot, pool))) throw new NotAPoolError(pool);
  },
};

class NotAPoolError extends GatewayError {
  override name = "NotAPoolError";

  constructor(pool: Address) {
    super(`There is no v3 pool, v2 pair, island or launch pool at ${pool}.`, {
      code: "POOL_NOT_FOUND",
      status: 404,
      details: { pool },
    });
  }
}
