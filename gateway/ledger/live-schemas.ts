// Which schemas are read: the row of `tidemark.live`. Cached, because LOCK TABLE needs the names before the snapshot
// exists; the snapshot itself compares (see snapshot.ts) and asks again when the row has moved on.
import { isMissingTable, UnavailableError } from "../errors.ts";
import type { Database } from "./database.ts";

export interface LiveSchemas {
  ponder: string;
  fold: string;
}

export class LiveSchemaCache {
  readonly #database: Database;
  readonly #known = new Map<number, LiveSchemas>();

  constructor(database: Database) {
    this.#database = database;
  }

  forget(chainId: number): void {
    this.#known.delete(chainId);
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
