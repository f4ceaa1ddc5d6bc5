// Islands that waited catch up alone, once their settings are read: their own facts, from the block for which they waited up
// to the head, go through the same reducer; versions of final blocks are merged into the large tables, newer ones become
// recent rows. Everything is written in one transaction. Final facts are read before that, a little in each turn, so that
// the newest blocks do not wait.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { islands } from "../../core/history/histories.ts";
import { inTransaction } from "../../database/in-transaction.ts";
import { type FactSource, finalFacts, recentFacts, type Schemas } from "../facts/fact-source.ts";
import { cutEntity } from "../history/cut-entity.ts";
import { raiseRevision } from "../revision.ts";
import { BEGIN_DURABLY, type CaughtUp } from "../sequential-step.ts";
import { NOT_STOPPED } from "../stops.ts";
import { quoted } from "../tables.ts";
import { readIslandFacts } from "./read-facts.ts";
import { IslandReplay } from "./replay.ts";
import { restoreWaiting } from "./restore-islands.ts";
import { isOpenSql } from "./settings-reader.ts";

/** An island that need not wait any more, and the block that it waited for. */
interface Waited {
  id: number;
  address: string;
  block: number;
  hash: string;
}

interface Run {
  waited: readonly Waited[];
  replay: IslandReplay;
  /** The facts up to here are taken. */
  done: number;
}

export class IslandCatchUp {
  readonly #db: Sql;
  readonly #schemas: Schemas;
  readonly #log: Logger;
  #run: Run | undefined;

  constructor(db: Sql, { schemas, log }: { schemas: Schemas; log: Logger }) {
    this.#db = db;
    this.#schemas = schemas;
    this.#log = log;
  }

  /** Goes on a little, between two transactions of the fold. */
  async turn(): Promise<CaughtUp> {
    if (this.#run === undefined && (await this.#reopen())) return "caught up";
    const run = this.#run ?? (await this.#begin());
    if (run === undefined) return "nothing to do";
    // a run that fails is begun again
    this.#run = undefined;
    const [meta] = await this.#db.unsafe(`select finalized from ${quoted(this.#schemas.fold)}.meta`);
    const finalized = Number(meta?.finalized);
    if (run.done < finalized) {
      await this.#take(run, { upTo: finalized, source: finalFacts(this.#db, this.#schemas) });
      this.#run = run;
      return "more to do";
    }
    return (await this.#finish(run)) ? "caught up" : "more to do";
  }

  /** What was not determined and has been read since: the island waits for that block, and is replayed from there. */
  async #reopen(): Promise<boolean> {
    const s = quoted(this.#schemas.fold);
    const found = await this.#db.unsafe<{ id: number; address: string; block: number }[]>(`
      select i.id, '0x' || encode(i.address, 'hex') as address, i.undetermined_block as block
        from ${s}.island i
        join ${s}.block b on b.number = i.undetermined_block
        join ${s}.island_settings r on r.address = i.address and r.block = b.number and r.block_hash = b.hash
       where i.undetermined_block is not null and not ${isOpenSql("r")}`);
    if (found.length === 0) return false;
    await inTransaction(this.#db, "begin", async () => {
      for (const { id, block } of found) {
        await cutEntity(this.#db, s, { history: islands, key: { island: id }, before: block });
        await this.#db.unsafe(
          `update ${s}.island set waiting_block = $2, undetermined_block = null, ${NOT_STOPPED} where id = $1`,
          [id, block],
        );
      }
      await raiseRevision(this.#db, s);
    });
    for (const { address: island, block } of found) this.#log.info({ island, block }, "the island is determined now");
    return true;
  }

  async #readWaited(): Promise<Waited[]> {
    const s = quoted(this.#schemas.fold);
    const rows = await this.#db.unsafe<Waited[]>(`
      select i.id, '0x' || encode(i.address, 'hex') as address, i.waiting_block as block, b.hash
        from ${s}.island i
        join ${s}.block b on b.number = i.waiting_block
        join ${s}.island_settings r on r.address = i.address and r.block = i.waiting_block and r.block_hash = b.hash
       where i.waiting_block is not null order by i.id`);
    return rows.map(({ id, address, block, hash }) => ({ id, address, block, hash }));
  }

  async #begin(): Promise<Run | undefined> {
    const waited = await this.#readWaited();
    if (waited.length === 0) return undefined;
    const restored = await restoreWaiting(
      this.#db,
      this.#schemas.fold,
      waited.map(({ id }) => id),
    );
    const done = Math.min(...waited.map(({ block }) => block)) - 1;
    return { waited, replay: new IslandReplay(restored, this.#log), done };
  }

  /** One read's worth of facts. */
  async #take(run: Run, { upTo, source }: { upTo: number; source: FactSource }): Promise<void> {
    const from = new Map(run.waited.map(({ address, block }) => [address, block]));
    const place = { foldSchema: this.#schemas.fold, source, islands: [...from.keys()] };
    const facts = await readIslandFacts(place, { after: run.done, upTo });
    // before it waited an island was folded with all others
    const rows = facts.rows.filter(({ island, block }) => block >= (from.get(island) ?? 0));
    run.replay.apply({ ...facts, rows });
    run.done = facts.upTo;
  }

  /** Takes the facts that are not final, and writes; resolves to whether all of it still holds. */
  async #finish(run: Run): Promise<boolean> {
    const s = quoted(this.#schemas.fold);
    const isDone = await inTransaction(this.#db, BEGIN_DURABLY, async () => {
      const [meta] = await this.#db.unsafe(`select finalized, head from ${s}.meta for update`);
      const [finalized, head] = [Number(meta?.finalized), Number(meta?.head)];
      if (!(await this.#stillHolds(run, finalized))) return false;
      const { changes } = run.replay;
      await this.#db.unsafe(`update ${s}.island set waiting_block = null where id = any($1::int4[])`, [
        run.waited.map(({ id }) => id),
      ]);
      const source = recentFacts(this.#db, this.#schemas);
      while (run.done < head) await this.#take(run, { upTo: head, source });
      await changes.write(this.#db, s);
      await raiseRevision(this.#db, s);
      return true;
    });
    if (!isDone) return false;
    for (const { address: island, block } of run.waited) this.#log.info({ island, block }, "the island has caught up");
    return true;
  }

  /** Nothing more has become final, and no block that was waited for has been replaced. */
  async #stillHolds({ waited, done }: Run, finalized: number): Promise<boolean> {
    if (done < finalized) return false;
    const now = new Set((await this.#readWaited()).map((one) => JSON.stringify(one)));
    return waited.every((one) => now.has(JSON.stringify(one)));
  }
}
