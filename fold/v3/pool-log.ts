// What a batch says about pools themselves: created, initialised, stopped; and which contracts began before all facts.
import type { Sql } from "postgres";
import type { FeeProtocol } from "../../core/concentrated/protocol-fee.ts";
import type { V3PoolCreatedRow } from "../../core/v3/fact-rows.ts";
import type { ReplayMismatchError } from "../../core/v3/replay-mismatch.ts";
import { COPY_NULL, copyBytes, copyRows } from "../history/copy-rows.ts";
import { NOT_STOPPED, type Stop, writeStops } from "../stops.ts";
import type { IndexedPool } from "./worlds.ts";

const COLUMNS = `id, address, factory, token0, token1, fee, tick_spacing, flavour, manager, created_block, created_log,
  initial_fee_protocol0, initial_fee_protocol1`;

/** A fact whose contract or token id came to be before all facts. */
interface LateFact {
  kind: "position-manager" | "v3-pool";
  contract: string;
  block: number;
  logIndex: number;
  reason: string;
}

export class PoolLog {
  readonly #created: string[] = [];
  readonly #initialised: { id: number; fee: FeeProtocol }[] = [];
  readonly #stopped: Stop[] = [];
  readonly #late = new Map<string, LateFact>();

  created(row: V3PoolCreatedRow, { id, deployment }: IndexedPool): void {
    const addresses = [row.pool, row.factory, row.token0, row.token1].map(copyBytes);
    const [flavour, manager] = [deployment.flavour, copyBytes(deployment.manager)];
    // no event announces what a kodiak pool begins with
    const initial = flavour === "uniswap" ? [0, 0] : [COPY_NULL, COPY_NULL];
    const place = [row.block, row.log_index];
    const fields = [id, ...addresses, row.fee, row.tick_spacing, flavour, manager, ...place, ...initial];
    this.#created.push(`${fields.join("\t")}\n`);
  }

  initialised(id: number, fee: FeeProtocol): void {
    this.#initialised.push({ id, fee });
  }

  stopped(id: number, mismatch: ReplayMismatchError): void {
    this.#stopped.push({ id, mismatch });
  }

  /** Only the first fact of a contract is remembered. */
  late(fact: LateFact): void {
    if (!this.#late.has(fact.contract)) this.#late.set(fact.contract, fact);
  }

  /** Writes and forgets everything collected; `s` is the fold's quoted schema. Returns the rows written. */
  async write(db: Sql, s: string): Promise<number> {
    const created = this.#created.splice(0);
    const initialised = this.#initialised.splice(0);
    const stopped = this.#stopped.splice(0);
    await copyRows(db, `${s}.v3_pool (${COLUMNS})`, { count: created.length, pieces: created });
    for (const { id, fee } of initialised) {
      await db.unsafe(`update ${s}.v3_pool set initial_fee_protocol0 = $2, initial_fee_protocol1 = $3 where id = $1`, [
        id,
        fee.feeProtocol0,
        fee.feeProtocol1,
      ]);
    }
    await writeStops(db, `${s}.v3_pool`, stopped);
    for (const { contract, kind, block, logIndex, reason } of this.#late.values()) {
      await db.unsafe(
        `insert into ${s}.missing_history (contract, kind, block, log_index, reason)
         values (decode(substr($1, 3), 'hex'), $2, $3, $4, $5) on conflict do nothing`,
        [contract, kind, block, logIndex, reason],
      );
    }
    this.#late.clear();
    return created.length + initialised.length + stopped.length;
  }

  /** Takes back what was recorded about pools in later blocks; called before the copies of their facts are deleted. */
  async rewind(db: Sql, { s, recent }: { s: string; recent: string }, block: number): Promise<void> {
    await db.unsafe(`
      delete from ${s}.v3_pool where created_block > ${block};
      delete from ${s}.missing_history where block > ${block};
      update ${s}.v3_pool set ${NOT_STOPPED} where stopped_block > ${block};
      update ${s}.v3_pool p set initial_fee_protocol0 = null, initial_fee_protocol1 = null
        from ${recent}.v3_initialize i
       where p.flavour = 'kodiak' and p.address = decode(substr(i.pool, 3), 'hex') and i.block > ${block}`);
  }
}
