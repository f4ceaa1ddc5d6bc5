// Folds Uniswap v3: facts in event order through the reducer, its rows block by block into intervals.
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import {
  toV3Fact,
  type V3FactRow,
  type V3PoolCreatedRow,
  v3FactsText,
  v3FactTables,
  v3PoolsCreatedText,
} from "../../core/v3/fact-rows.ts";
import { UnknownTokenIdError } from "../../core/v3/position-manager.ts";
import { applyFact, restoreStop, takeChanges } from "../../core/v3/reducer.ts";
import { ReplayMismatchError } from "../../core/v3/replay-mismatch.ts";
import { type FactSource, finalFacts, type Schemas } from "../facts/fact-source.ts";
import { cutAt } from "../facts/stage-facts.ts";
import { type Standing, VersionLog } from "../history/version-log.ts";
import type { SequentialStep } from "../sequential-step.ts";
import { v3HistoryTables } from "../tables/v3.ts";
import { quoted, recentSchema } from "../tables.ts";
import type { V3Deployment } from "./deployments.ts";
import { unreadPools } from "./initial-fees.ts";
import { PoolLog } from "./pool-log.ts";
import { restoreWorlds, rewindWorlds } from "./restore-worlds.ts";
import { historyOf, rowKinds, versionFields } from "./row-fields.ts";
import { Worlds } from "./worlds.ts";

/** Facts of one table per locked read: fewer than of others, as v3 has many tables, all read together. */
const READ_V3_FACTS = 10_000;
/** Takes less than a millisecond: that is how long each of the fold's other statements may have to wait. */
const FACTS_AT_ONCE = 50;

interface V3Setting {
  schemas: Schemas;
  deployments: readonly V3Deployment[];
  log: Logger;
}

export class V3Step implements SequentialStep {
  readonly name = "v3";
  readonly tables = v3HistoryTables;
  readonly facts = v3FactTables;
  readonly #db: Sql;
  readonly #schemas: Schemas;
  readonly #deployments: readonly V3Deployment[];
  readonly #log: Logger;
  #worlds = new Worlds([]);
  #versions = new VersionLog(rowKinds.map((kind) => historyOf[kind]));
  #pools = new PoolLog();
  /** Contracts that the log has named already: there may be many such facts. */
  readonly #late = new Set<string>();

  constructor(db: Sql, { schemas, deployments, log }: V3Setting) {
    this.#db = db;
    this.#schemas = schemas;
    this.#deployments = deployments;
    this.#log = log;
  }

  async open(): Promise<void> {
    this.#worlds = await restoreWorlds(this.#db, this.#schemas.fold, this.#deployments);
    this.#versions.clear();
    this.#pools = new PoolLog();
  }

  /** Up to the block before the first kodiak pool whose initial protocol fee has not been read. */
  async readyUpTo({ after, upTo }: BlocksAfter): Promise<{ upTo: number; reason?: string }> {
    const factories = this.#deployments.flatMap(({ flavour, factory }) => (flavour === "kodiak" ? [factory] : []));
    if (factories.length === 0) return { upTo };
    const range = { factories, after, upTo, limit: 1 };
    const facts = finalFacts(this.#db, this.#schemas);
    const [first] = await facts.read(() => unreadPools(this.#db, this.#schemas, range));
    if (first === undefined) return { upTo };
    const why = first.lastError === undefined ? "" : `: ${first.lastError}`;
    const reason = `the initial protocol fee of pool ${first.pool} (block ${first.block}) is not read yet${why}`;
    return { upTo: first.block - 1, reason };
  }

  async take({ after, upTo }: BlocksAfter, source: FactSource): Promise<void> {
    for (let done = after; done < upTo; ) {
      const read = await this.#read({ after: done, upTo }, source);
      await this.#addPools(source.db, read.created);
      await this.#readInitialFees(read.facts, source);
      await this.#apply(read.facts, source.standing);
      done = read.upTo;
    }
  }

  async write(): Promise<number> {
    const s = quoted(this.#schemas.fold);
    return (await this.#pools.write(this.#db, s)) + (await this.#versions.write(this.#db, s));
  }

  async rewind(block: number): Promise<void> {
    await rewindWorlds(this.#db, this.#schemas.fold, { worlds: this.#worlds, block });
    const { fold } = this.#schemas;
    await this.#pools.rewind(this.#db, { s: quoted(fold), recent: quoted(recentSchema(fold)) }, block);
  }

  #read({ after, upTo }: BlocksAfter, { schema, db, read }: FactSource) {
    return read(async () => {
      const cut = await cutAt(db, schema, { after, upTo, limit: READ_V3_FACTS, tables: v3FactTables });
      const range = { after, upTo: cut };
      const created = await db.unsafe<V3PoolCreatedRow[]>(v3PoolsCreatedText(schema, range));
      const facts = await db.unsafe<V3FactRow[]>(v3FactsText(schema, range));
      return { upTo: cut, created: [...created], facts: [...facts] };
    });
  }

  async #addPools(db: Sql, created: readonly V3PoolCreatedRow[]): Promise<void> {
    if (created.length === 0) return;
    const ids = await db.unsafe(
      `select nextval('${quoted(this.#schemas.fold)}.v3_pool_id')::int4 as id from generate_series(1, $1::int4)`,
      [created.length],
    );
    for (const [i, row] of created.entries()) {
      const id = Number(ids[i]?.id);
      const constants = { pool: row.pool, fee: row.fee, tickSpacing: row.tick_spacing };
      this.#pools.created(row, this.#worlds.add({ ...constants, id, factory: row.factory, initialFee: undefined }));
    }
  }

  /** Sets the initial fee of kodiak pools initialised by `facts`; the fold never comes here before it has been read from the chain. */
  async #readInitialFees(facts: readonly V3FactRow[], { schema, db }: FactSource): Promise<void> {
    for (const { contract, block, kind } of facts) {
      // `#refuse` records a pool that no factory created
      if (kind !== "initialize" || !this.#worlds.has(contract)) continue;
      const { address, id, deployment } = this.#worlds.pool(contract);
      if (deployment.flavour !== "kodiak") continue;
      const [row] = await db.unsafe(
        `select f.fee_protocol0, f.fee_protocol1 from ${quoted(this.#schemas.fold)}.v3_pool_fee f
           join ${schema}.block b on b.number = $2 and b.hash = f.block_hash where f.address = decode(substr($1, 3), 'hex')`,
        [address, block],
      );
      if (row === undefined)
        throw new Error(`pool ${address} is initialised, but its initial protocol fee is not read`);
      const fee = { feeProtocol0: Number(row.fee_protocol0), feeProtocol1: Number(row.fee_protocol1) };
      this.#worlds.setInitialFee(address, fee);
      this.#pools.initialised(id, fee);
    }
  }

  async #apply(rows: readonly V3FactRow[], standing: Standing): Promise<void> {
    let block = -1;
    for (const [i, row] of rows.entries()) {
      if (row.block !== block) this.#endBlock(block, standing);
      block = row.block;
      this.#applyOne(row);
      if (i % FACTS_AT_ONCE === FACTS_AT_ONCE - 1) await setImmediate();
    }
    this.#endBlock(block, standing);
  }

  #applyOne(row: V3FactRow): void {
    try {
      const fact = toV3Fact(row);
      const mismatch = applyFact(this.#worlds.ofFact(fact, row.contract), fact);
      if (mismatch) this.#stop(mismatch);
    } catch (error) {
      this.#refuse(row, error);
    }
  }

  /**
   * Whatever is wrong with one pool or token id must not end the fold of all. Where the facts do not show how a token id came to be,
   * it has no owner, and its manager is recorded: facts begin too late, or a node has left some out.
   */
  #refuse({ block, log_index: logIndex, tx_index: txIndex, kind, contract }: V3FactRow, error: unknown): void {
    const replayed = error instanceof Error ? error.message : String(error);
    if (error instanceof UnknownTokenIdError || !this.#worlds.has(contract)) {
      const isTokenId = error instanceof UnknownTokenIdError;
      this.#pools.late({
        kind: isTokenId ? "position-manager" : "v3-pool",
        contract,
        block,
        logIndex,
        reason: replayed,
      });
      const level = this.#late.has(contract) ? "debug" : "error";
      this.#late.add(contract);
      this.#log[level]({ block, logIndex, contract }, replayed);
      return;
    }
    const place = { pool: contract, block, logIndex, txIndex };
    const mismatch = new ReplayMismatchError(place, { field: kind, expected: "accepted", replayed });
    const { world } = this.#worlds.pool(contract);
    if (world.pools.get(contract)?.stopped) return;
    restoreStop(world, mismatch);
    this.#stop(mismatch);
  }

  #stop(mismatch: ReplayMismatchError): void {
    const { pool, block, logIndex, message } = mismatch;
    this.#pools.stopped(this.#worlds.pool(pool).id, mismatch);
    this.#log.error({ pool, block, logIndex }, message);
  }

  #endBlock(block: number, standing: Standing): void {
    for (const [manager, world] of this.#worlds.all) {
      for (const row of takeChanges(world)) {
        const place = { block, poolId: this.#worlds.pool(row.pool).id, manager };
        this.#versions.add(historyOf[row.kind], versionFields(row, place), standing);
      }
    }
  }
}
