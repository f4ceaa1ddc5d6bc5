// What this process remembers of each chain between requests.
import type { ChainFile } from "../../chains/chain-file.ts";
import { withSources } from "../../chains/sources.ts";
import { isMissingTable } from "../../database/error-codes.ts";
import { type LiveSchemas, liveText } from "../../fold/tables.ts";
import { UnavailableError } from "../errors.ts";
import type { Database } from "./database.ts";
import type { RecentChanges } from "./recent-changes.ts";
import type { IndexState } from "./state.ts";

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
export function requireSame(found: LiveSchemas | undefined, wanted: LiveSchemas): void {
  if (found?.facts !== wanted.facts || found.fold !== wanted.fold) throw new LiveSchemasMovedError(found);
}

interface Remembered {
  /** The row of `tidemark.live`: a snapshot compares, and the row is read again when it has changed. */
  live?: LiveSchemas | undefined;
  highestHead?: number | undefined;
  instance?: string;
  /** When gateways were pointed to what was shown last. */
  shownSince?: string;
  newest?: IndexState | undefined;
  chain?: { file: ChainFile; sources: string | undefined; chain: ChainFile };
  changes?: { index: string; changes: RecentChanges };
}

export class ChainMemory {
  readonly #database: Database;
  readonly #chains = new Map<number, Remembered>();

  constructor(database: Database) {
    this.#database = database;
  }

  #about(chainId: number): Remembered {
    const known = this.#chains.get(chainId) ?? {};
    this.#chains.set(chainId, known);
    return known;
  }

  /**
   * The highest head that any request of this process has seen, `head` included. The fold writes it down for all
   * gateways, but half a second later: a block shown and replaced in between must not be answered with an older one.
   */
  highestHead(chainId: number, head: number | undefined): number | undefined {
    const about = this.#about(chainId);
    const highest = Math.max(about.highestHead ?? -1, head ?? -1);
    if (highest < 0) return undefined;
    about.highestHead = highest;
    return highest;
  }

  /** Forgets the heads of an earlier chain with the same id, such as a devnet that was made anew: they are not of this chain. */
  noteInstance(chainId: number, instance: string | null | undefined): void {
    if (instance === null || instance === undefined) return;
    const about = this.#about(chainId);
    if (about.instance !== undefined && about.instance !== instance) about.highestHead = undefined;
    about.instance = instance;
  }

  /**
   * Whether `since`, the time at which gateways were pointed where a server says, is no step back from what was shown. What a
   * primary says always counts.
   */
  follows(chainId: number, { since, isReplica }: { since: string | undefined; isReplica: boolean }): boolean {
    const about = this.#about(chainId);
    if (isReplica && about.shownSince !== undefined && (since ?? "") < about.shownSince) return false;
    if (since !== undefined) about.shownSince = since;
    return true;
  }

  /** What a server says that is about to be read again. */
  replace(chainId: number, live: LiveSchemas): void {
    this.#about(chainId).live = live;
  }

  /** Schemas and state are read again. */
  forget(chainId: number): void {
    const about = this.#about(chainId);
    about.live = undefined;
    about.newest = undefined;
  }

  /** The state that a request read last: the next one finds the same, except for a moment after a new block. */
  newest(chainId: number): IndexState | undefined {
    return this.#chains.get(chainId)?.newest;
  }

  /** A request has read `state`. */
  noteState(chainId: number, state: IndexState): void {
    this.#about(chainId).newest = state;
  }

  /** A request has found `state` to be past. */
  dropState(chainId: number, state: IndexState): void {
    const about = this.#about(chainId);
    if (about.newest === state) about.newest = undefined;
  }

  /** The chain of `file` as an index has it that was made of `sources`; the same object until either is another. */
  chain(file: ChainFile, sources: string | undefined): ChainFile {
    const about = this.#about(file.chainId);
    if (about.chain?.file !== file || about.chain.sources !== sources)
      about.chain = { file, sources, chain: withSources(file, sources) };
    return about.chain.chain;
  }

  /** What blocks have changed, as far as this process has followed `index`. */
  changes(chainId: number, index: string): RecentChanges | undefined {
    const followed = this.#chains.get(chainId)?.changes;
    return followed?.index === index ? followed.changes : undefined;
  }

  follow(chainId: number, index: string, changes: RecentChanges): void {
    this.#about(chainId).changes = { index, changes };
  }

  /** @throws UnavailableError (`STARTING`) while the fold has not pointed gateways anywhere yet */
  async schemas(chainId: number): Promise<LiveSchemas> {
    const schemas = this.#chains.get(chainId)?.live ?? (await this.#read(chainId));
    if (!schemas) throw new UnavailableError("STARTING", "The index is being created. Retry in a few seconds.");
    this.#about(chainId).live = schemas;
    return schemas;
  }

  async #read(chainId: number): Promise<LiveSchemas | undefined> {
    try {
      const [row] = await this.#database.rows<LiveSchemas>(liveText(chainId));
      return row && { ...row };
    } catch (error) {
      if (isMissingTable(error)) return undefined;
      throw error;
    }
  }
}
