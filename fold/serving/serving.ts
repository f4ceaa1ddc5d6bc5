// Whether gateways read this fold: it takes over from an older one, and drops what nobody reads any more.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { type FoldIdentity, isLive } from "../fold-schema.ts";
import { dropSuperseded } from "./prune.ts";
import { takeOver } from "./takeover.ts";

const PRUNE_EVERY_MS = 5_000;

export interface ServingSetting {
  identity: FoldIdentity;
  log: Logger;
  /** How long facts and folds that gateways no longer read are kept; undefined: for ever. */
  keepOldSeconds: number | undefined;
}

export class Serving {
  readonly #db: Sql;
  readonly #setting: ServingSetting;
  #wasServed: boolean | undefined;
  #prunedAt = performance.now();

  constructor(db: Sql, setting: ServingSetting) {
    this.#db = db;
    this.#setting = setting;
  }

  /** Moves gateways here where this fold `isComplete`, is newer than theirs and has everything that theirs shows. */
  async offer({ isComplete }: { isComplete: boolean }): Promise<void> {
    const { identity } = this.#setting;
    const isServed = (await isLive(this.#db, identity)) || (isComplete && (await takeOver(this.#db, identity)));
    this.#note(isServed);
    if (isServed && performance.now() - this.#prunedAt > PRUNE_EVERY_MS) await this.#prune();
  }

  #note(isServed: boolean): void {
    const { identity, log } = this.#setting;
    const { foldSchema: schema } = identity;
    if (isServed && this.#wasServed !== true) log.info({ schema }, "gateways read this fold now");
    if (!isServed && this.#wasServed === true) log.info({ schema }, "gateways read a newer index now");
    this.#wasServed = isServed;
  }

  async #prune(): Promise<void> {
    const { identity, keepOldSeconds, log } = this.#setting;
    this.#prunedAt = performance.now();
    for (const schema of await dropSuperseded(this.#db, identity, keepOldSeconds))
      log.info({ schema }, "dropped what no gateway reads any more");
  }
}
