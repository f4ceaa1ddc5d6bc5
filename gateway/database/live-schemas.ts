// What this process remembers of each chain between requests. Above all which schemas are read: the row of `tidemark.live`, whose
// names are needed before a snapshot exists; the snapshot compares, and reads the row again when it has changed.
import type { ChainFile } from "../../chains/chain-file.ts";
import { withSources } from "../../chains/sources.ts";
import { isMissingTable } from "../../database/error-codes.ts";
import { UnavailableError } from "../errors.ts";
import type { Database } from "./database.ts";
import type { RecentChanges } from "./recent-changes.ts";
import type { IndexState, LiveSchemas } from "./state.ts";

/** Gateways have been pointed at other schemas than those that were to be read. */
export class LiveSchemasMovedError extends UnavailableError {
  override name = "LiveSchemasMovedError";
  readonly to: LiveSchemas | undefined;

  constructor(to: LiveSchemas | undefined) {
    super("INDEX_FOLDING", "The index is being switched. Retry in a few seconds.");
    this.to = to;
  }
}

/** @throws LiveSchemasMovedError */
export function requireSame(found: LiveSchemas | undefined, { ponder, fold }: LiveSchemas): void {
  if (found?.ponder !== ponder || found.fold !== fold) throw new LiveSchemasMovedError(found);
}

export class LiveSchemaCache {
  readonly #database: Database;
  readonly #stored = new Map<number, LiveSchemas>();
  readonly #highest = new Map<number, number>();
  readonly #instances = new Map<number, string>();
  readonly #since = new Map<number, string>();
  readonly #newest = new Map<number, IndexState>();
  readonly #chains = new Map<number, { file: ChainFile; sources: string | undefined; chain: ChainFile }>();
  readonly #changes = new Map<number, { index: string; changes: RecentChanges }>();

  constructor(database: Database) {
    this.#database = database;
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

  /** Forgets the heads of an earlier chain with the same id, such as a devnet that was made anew: they are not of this chain. */
  noteInstance(chainId: number, instance: string | null | undefined): void {
    if (instance === null || instance === undefined) return;
    const before = this.#instances.get(chainId);
    if (before !== undefined && before !== instance) this.#highest.delete(chainId);
    this.#instances.set(chainId, instance);
  }

  /**
   * Whether `since`, the time at which gateways were pointed where a server says, is no step back from what was shown. What a
   * primary says always counts.
   */
  follows(chainId: number, { since, isReplica }: { since: string | undefined; isReplica: boolean }): boolean {
    const shown = this.#since.get(chainId);
    if (isReplica && shown !== undefined && (since ?? "") < shown) return false;
    if (since !== undefined) this.#since.set(chainId, since);
    return true;
  }

  /** What a server says that is about to be read again. */
  replace(chainId: number, live: LiveSchemas): void {
    this.#stored.set(chainId, live);
  }

  forget(chainId: number): void {
    this.#stored.delete(chainId);
    this.#newest.delete(chainId);
  }

  /** The state that a request read last: the next one finds the same, except for a moment after a new block. */
  newest(chainId: number): IndexState | undefined {
    return this.#newest.get(chainId);
  }

  /** A request has read `state`. */
  noteState(chainId: number, state: IndexState): void {
    this.#newest.set(chainId, state);
  }

  /** A request has found `state` to be past. */
  dropState(chainId: number, state: IndexState): void {
    if (this.#newest.get(chainId) === state) this.#newest.delete(chainId);
  }

  /** The chain of `file` as an index has it that was made of `sources`; the same object until either is another. */
  chain(file: ChainFile, sources: string | undefined): ChainFile {
    const known = this.#chains.get(file.chainId);
    if (known?.file === file && known.sources === sources) return known.chain;
    const chain = withSources(file, sources);
    this.#chains.set(file.chainId, { file, sources, chain });
    return chain;
  }

  /** What blocks have changed, as far as this process has followed `index`. */
  changes(chainId: number, index: string): RecentChanges | undefined {
    const followed = this.#changes.get(chainId);
    return followed?.index === index ? followed.changes : undefined;
  }

  follow(chainId: number, index: string, changes: RecentChanges): void {
    this.#changes.set(chainId, { index, changes });
  }

  /** @throws UnavailableError (`STARTING`) while the fold has not pointed gateways anywhere yet */
  async of(chainId: number): Promise<LiveSchemas> {
    const schemas = this.#stored.get(chainId) ?? (await this.#read(chainId));
    if (!schemas) throw new UnavailableError("STARTING", "The index is being created. Retry in a few seconds.");
    this.#stored.set(chainId, schemas);
    return schemas;
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
