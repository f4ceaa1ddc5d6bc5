// One chain's messages for all its subscribers: the fold's head is followed once for all, and only while there are subscribers.
import type { Logger } from "pino";
import { RequestScope, type Service } from "../context.ts";
import type { GatewayError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import { EventQueue } from "./event-queue.ts";
import { type HeadMove, headMove, sentAtFirst, type Watched } from "./head-move.ts";
import type { Sent } from "./messages.ts";
import { polledHead } from "./polled-head.ts";
import type { SentBlocks } from "./sent-blocks.ts";
import { SentChanges } from "./sent-changes.ts";
import { walletKey } from "./watched-changes.ts";

export interface Interest<T> {
  watches?: { token: Address; accounts: readonly Address[] } | { pool: Address };
  messagesOf(move: HeadMove, sent: Sent): readonly T[];
}

interface Subscriber {
  interest: Interest<unknown>;
  queue: EventQueue<unknown>;
  /** The last block before its first one. It hears about blocks up to there only if one of them is replaced. */
  joinedAt: number;
}

interface FeedSetting {
  service: Service;
  chainId: number;
  log: Logger;
  /** Between two reads of the head. */
  followEveryMs: number;
}

/** From the first subscriber until the last one has gone. */
interface Run {
  sent: SentBlocks;
  changes: SentChanges;
  /** The head up to which everything was sent, as the snapshot that was read for it says. */
  head: string | undefined;
  following: Promise<void>;
  timer: NodeJS.Timeout | undefined;
}

export class Feed {
  readonly #setting: FeedSetting;
  readonly #subscribers = new Set<Subscriber>();
  /** What all of them watch; undefined once they are others. */
  #watched: Watched | undefined;
  #joining = 0;
  #run: Promise<Run> | undefined;
  /** The run that follows the head now: an earlier one may still be busy with its last read. */
  #current: Run | undefined;

  constructor(setting: FeedSetting) {
    this.#setting = setting;
  }

  /**
   * Everything from the first block after now on. `onClose` runs when the subscription is over, for whatever reason.
   * @throws what opening a snapshot throws, when the feed has to be started; ChainReplacedError
   */
  async subscribe<T>(interest: Interest<T>, onClose: () => void): Promise<EventQueue<T>> {
    const queue = new EventQueue<T>(() => {
      this.#subscribers.delete(subscriber);
      this.#watched = undefined;
      this.#stopIfIdle();
      onClose();
    });
    const subscriber: Subscriber = { interest, queue: queue as EventQueue<unknown>, joinedAt: -1 };
    this.#joining += 1;
    try {
      const run = await this.#joinRun();
      subscriber.joinedAt = run.sent.highest ?? -1;
      this.#subscribers.add(subscriber);
      this.#watched = undefined;
    } finally {
      this.#joining -= 1;
      this.#stopIfIdle();
    }
    return queue;
  }

  end(reason: GatewayError): void {
    for (const { queue } of [...this.#subscribers]) queue.end(reason);
  }

  /** The run that follows the head, between two of its reads. */
  async #joinRun(): Promise<Run> {
    for (;;) {
      this.#run ??= this.#start();
      const run = await this.#run;
      // A read under way began without the new interest: it counts as before "now".
      await run.following;
      // it may have been the last one
      if (run === this.#current) return run;
    }
  }

  async #start(): Promise<Run> {
    const sent = await this.#inSnapshot((scope) => scope.run(sentAtFirst, {}, this.#setting.chainId));
    const run: Run = {
      sent,
      changes: new SentChanges(),
      head: undefined,
      following: Promise.resolve(),
      timer: undefined,
    };
    this.#current = run;
    this.#plan(run);
    return run;
  }

  #stopIfIdle(): void {
    if (this.#subscribers.size > 0 || this.#joining > 0) return;
    clearTimeout(this.#current?.timer);
    this.#current = undefined;
    this.#run = undefined;
  }

  #plan(run: Run): void {
    run.timer = setTimeout(() => {
      run.following = this.#followOnce(run).catch((err: unknown) => {
        // Nothing is lost: what was not sent is still new the next time.
        this.#setting.log.warn({ err, chainId: this.#setting.chainId }, "following the head for subscribers failed");
      });
      void run.following.then(() => {
        if (this.#current === run) this.#plan(run);
      });
    }, this.#setting.followEveryMs).unref();
  }

  async #followOnce(run: Run): Promise<void> {
    const head = await polledHead(this.#setting.service, this.#setting.chainId);
    if (head === undefined || head === run.head) return;
    const present = [...this.#subscribers];
    this.#watched ??= watchedBy(present);
    const sentSince = (number: number) => [
      ...run.changes.walletsAbove(number),
      ...watchedBy(joinedAbove(present, number)).wallets,
    ];
    const input = { sent: run.sent, watched: this.#watched, sentSince };
    const read = await this.#inSnapshot((scope) => scope.run(headMove, input, this.#setting.chainId));
    if (this.#current !== run) return;
    if ("over" in read) {
      // who comes next begins anew, and is refused where nothing more can come
      this.#current = undefined;
      this.#run = undefined;
      this.end(read.over);
      return;
    }
    run.head = read.head;
    const replaced = withJoined(run.changes.replacedBy(read.move), present, read.move);
    run.changes.take(read.move);
    run.sent = run.sent.after(read.move);
    for (const { interest, queue } of present) {
      const { watches } = interest;
      const problem = watches && "token" in watches ? read.move.broken.get(watches.token) : undefined;
      if (problem) queue.end(problem);
      else queue.push(interest.messagesOf(read.move, replaced));
    }
  }

  async #inSnapshot<T>(read: (scope: RequestScope) => Promise<T>): Promise<T> {
    const scope = new RequestScope(this.#setting.service);
    try {
      return await read(scope);
    } finally {
      await scope.close();
    }
  }
}

const joinedAbove = (subscribers: readonly Subscriber[], number: number): Subscriber[] =>
  subscribers.filter(({ joinedAt }) => joinedAt > number);

/** `sent`, and the wallets of subscribers that joined at a block that `move` replaces, as they may have read those. */
function withJoined({ wallets, pools }: Sent, subscribers: readonly Subscriber[], { fresh, replaced }: HeadMove): Sent {
  const [first] = fresh;
  if (first === undefined || replaced.length === 0) return { wallets, pools };
  const watched = watchedBy(joinedAbove(subscribers, first.number - 1));
  return {
    wallets: new Set([...wallets, ...watched.wallets.map(walletKey)]),
    pools: new Set([...pools, ...watched.pools]),
  };
}

function watchedBy(subscribers: readonly Subscriber[]): Watched {
  const watches = subscribers.flatMap(({ interest }) => interest.watches ?? []);
  const wallets = watches.flatMap((one) =>
    "token" in one ? one.accounts.map((account) => ({ token: one.token, account })) : [],
  );
  return {
    wallets: [...new Map(wallets.map((wallet) => [walletKey(wallet), wallet])).values()],
    pools: [...new Set(watches.flatMap((one) => ("pool" in one ? one.pool : [])))],
  };
}
