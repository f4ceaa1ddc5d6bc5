// What this process remembers of each chain between requests. Which schemas are read: the row of `tidemark.live`. Cached, because LOCK TABLE needs the names before the snapshot
// exists; the snapshot itself compares (see snapshot.ts) and asks again when the row has moved on.
import { setTimeout as sleep } from "node:timers/promises";
import { isMissingTable, UnavailableError } from "../errors.ts";
import type { Database } from "./database.ts";
import type { Standing } from "./state.ts";

export interface LiveSchemas {
  ponder: string;
  fold: string;
}

/** What was to be read is no longer what answers. */
export class LiveSchemasMovedError extends UnavailableError {
  override name = "LiveSchemasMovedError";
  readonly to: LiveSchemas | undefined;

  constructor(to: LiveSchemas | undefined) {
    super("INDEX_FOLDING", "The index is being switched. Retry in a few seconds.");
    this.to = to;
  }
}

export class LiveSchemaCache {
  readonly #database: Database;
  readonly #known = new Map<number, LiveSchemas>();
  readonly #highest = new Map<number, number>();
  readonly #since = new Map<number, string>();
  readonly #standing = new Map<number, Standing>();
  readonly #flags = new Map<number, number>();
  readonly #waiting = new Map<number, (() => void)[]>();

  /** For so long a look at the index is as good as a new one, unless somebody has seen more meanwhile. */
  readonly looksLastMs: number;

  constructor(database: Database, { looksLastMs = 0 }: { looksLastMs?: number } = {}) {
    this.#database = database;
    this.looksLastMs = looksLastMs;
  }

  /**
   * The highest head that any request of this process has seen, `head` included. The fold writes it down for all
   * gateways, but half a second later: a block shown and replaced in between must not be answered with an older one.
   */
  highestHead(chainId: number, head: number | undefined): number | undefined {
    const highest = Math.max(this.#highest.get(chainId) ?? -1, head ?? -1);
    if (highest < 0) return undefined;
    this.#highest.set(chainId, highest);
    return highest;
  }

  /**
   * Whether `since`, when gateways were pointed where a server says, is no step back from what was shown. What a primary
   * says holds.
   */
  follows(chainId: number, { since, isReplica }: { since: string | undefined; isReplica: boolean }): boolean {
    const shown = this.#since.get(chainId);
    if (isReplica && shown !== undefined && (since ?? "") < shown) return false;
    if (since !== undefined) this.#since.set(chainId, since);
    return true;
  }

  /** What a server says that is about to be read again. */
  learn(chainId: number, live: LiveSchemas): void {
    this.#known.set(chainId, live);
  }

  forget(chainId: number): void {
    this.#known.delete(chainId);
    this.#standing.delete(chainId);
  }

  /** What the last request saw: a guess at what the next one will. */
  lastStanding(chainId: number): Standing | undefined {
    return this.#standing.get(chainId);
  }

  noteStanding(chainId: number, standing: Standing): void {
    const before = this.#standing.get(chainId);
    this.#standing.set(chainId, standing);
    if (before?.lastSynced === standing.lastSynced && before?.watermark === standing.watermark) return;
    for (const tell of this.#waiting.get(chainId) ?? []) tell();
    this.#waiting.delete(chainId);
  }

  /** How many flags of verification on tokens the last look saw: they change what is told of them. */
  flags(chainId: number): number | undefined {
    return this.#flags.get(chainId);
  }

  noteFlags(chainId: number, flags: number): void {
    this.#flags.set(chainId, flags);
  }

  /** Resolves when a request sees another newest block or watermark than the one before, or after `longestMs`. */
  async nextNews(chainId: number, longestMs: number): Promise<void> {
    const over = new AbortController();
    const told = new Promise<void>((resolve) => {
      this.#waiting.set(chainId, [...(this.#waiting.get(chainId) ?? []), resolve]);
      over.signal.addEventListener("abort", () => {
        const others = this.#waiting.get(chainId)?.filter((one) => one !== resolve) ?? [];
        this.#waiting.set(chainId, others);
      });
    });
    await Promise.race([told, sleep(longestMs, undefined, { ref: false, signal: over.signal }).catch(() => {})]);
    over.abort();
  }

  /** @throws UnavailableError (`STARTING`) while the fold has not pointed gateways anywhere yet */
  async of(chainId: number): Promise<LiveSchemas> {
    const known = this.#known.get(chainId) ?? (await this.#read(chainId));
    if (!known) throw new UnavailableError("STARTING", "The index is being created. Retry in a few seconds.");
    this.#known.set(chainId, known);
    return known;
  }

  async #read(chainId: number): Promise<LiveSchemas | undefined> {
    try {
      const [row] = await this.#database.rows<LiveSchemas>(
        `select ponder_schema as ponder, fold_schema as fold from tidemark.live where chain_id = ${chainId}`,
      );
      return row && { ponder: row.ponder, fold: row.fold };
    } catch (error) {
      if (isMissingTable(error)) return undefined;
      throw error;
    }
  }
}
