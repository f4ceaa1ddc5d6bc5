// One chain's news for all who subscribe to it: one look after the other, shared by all, only while there is anybody.
import type { Logger } from "pino";
import { quoted } from "../../fold/tables.ts";
import { RequestScope, type Service } from "../context.ts";
import { type GatewayError, isMissingTable } from "../errors.ts";
import type { Address } from "../parameters.ts";
import { EventQueue } from "./event-queue.ts";
import type { KnownBlocks } from "./known-blocks.ts";
import { firstLook, type Look, nextLook, type Watched } from "./look.ts";
import type { Told } from "./subscriber.ts";
import { BlocksSkippedError } from "./subscription-ended.ts";
import { ToldLately } from "./told-lately.ts";
import { walletKey } from "./watched-changes.ts";

export interface Interest<T> {
  watches?: { token: Address; accounts: readonly Address[] } | { pool: Address };
  newsOf(look: Look, told: Told): readonly T[];
}

interface Subscriber {
  interest: Interest<unknown>;
  queue: EventQueue<unknown>;
}

export interface FeedSetting {
  service: Service;
  chainId: number;
  log: Logger;
  /** Between the end of a look and the next one. */
  lookEveryMs: number;
}

/** From the first subscriber until the last one has gone. */
interface Run {
  known: KnownBlocks;
  told: ToldLately;
  /** Number and hash of the newest block before the last look. */
  head: string | undefined;
  looking: Promise<void>;
  timer: NodeJS.Timeout | undefined;
}

export class Feed {
  readonly #setting: FeedSetting;
  readonly #subscribers = new Set<Subscriber>();
  #joining = 0;
  #run: Promise<Run> | undefined;
  /** The one that looks: an earlier one may still be busy with its last look. */
  #current: Run | undefined;

  constructor(setting: FeedSetting) {
    this.#setting = setting;
  }

  /**
   * Everything from the first block after now on. `onClose` runs when the subscription is over, whoever ended it.
   * @throws what opening a snapshot throws, when the feed has to be started
   */
  async subscribe<T>(interest: Interest<T>, onClose: () => void): Promise<EventQueue<T>> {
    const queue = new EventQueue<T>(() => {
      this.#subscribers.delete(subscriber);
      this.#stopIfIdle();
      onClose();
    });
    const subscriber: Subscriber = { interest, queue: queue as EventQueue<unknown> };
    this.#joining += 1;
    try {
      this.#run ??= this.#start();
      // A look under way does not know of this interest: what it finds is before "now".
      await (await this.#run).looking;
      this.#subscribers.add(subscriber);
    } finally {
      this.#joining -= 1;
      this.#stopIfIdle();
    }
    return queue;
  }

  end(reason: GatewayError): void {
    for (const { queue } of [...this.#subscribers]) queue.end(reason);
  }

  async #start(): Promise<Run> {
    const known = await this.#inSnapshot((scope) => scope.run(firstLook, {}, this.#setting.chainId));
    const run: Run = { known, told: new ToldLately(), head: undefined, looking: Promise.resolve(), timer: undefined };
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
      run.looking = this.#lookOnce(run).catch((err: unknown) => {
        // Nothing is lost: what is not announced is still news at the next look.
        this.#setting.log.warn({ err, chainId: this.#setting.chainId }, "a look for subscribers failed");
      });
      void run.looking.then(() => {
        if (this.#current === run) this.#plan(run);
      });
    }, this.#setting.lookEveryMs).unref();
  }

  async #lookOnce(run: Run): Promise<void> {
    const head = await this.#readHead();
    if (head === undefined || head === run.head) return;
    const present = [...this.#subscribers];
    const toldSince = (number: number) => run.told.walletsAbove(number);
    const input = { known: run.known, watched: watchedBy(present), toldSince };
    const seen = await this.#inSnapshot((scope) => scope.run(nextLook, input, this.#setting.chainId));
    if (this.#current !== run) return;
    run.head = head;
    if ("skippedTo" in seen) {
      this.end(new BlocksSkippedError({ announced: run.known.highest ?? 0, lastSynced: seen.skippedTo }));
      return;
    }
    const told = run.told.replacedBy(seen.look);
    run.told.take(seen.look);
    run.known = run.known.after(seen.look);
    for (const { interest, queue } of present) for (const news of interest.newsOf(seen.look, told)) queue.push(news);
  }

  /** One row of one table: cheap enough to be asked for ever. Undefined while there is none. */
  async #readHead(): Promise<string | undefined> {
    const { service, chainId } = this.#setting;
    try {
      const { ponder } = await service.live.of(chainId);
      const [row] = await service.database.rows<{ head: string }>(
        `select number || ' ' || hash as head from ${quoted(ponder)}.block order by number desc limit 1`,
      );
      return row?.head;
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      service.live.forget(chainId);
      return undefined;
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
