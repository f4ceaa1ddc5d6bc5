// Folds states that contracts tell whole, in sets: the last telling of every block ends what was told before.
import type { Sql } from "postgres";
import { durationClassSql } from "../../core/history/duration-class.ts";
import { type ToldState, toldColumns, toldText } from "../../core/told/told-state.ts";
import { withFacts } from "../facts-reader.ts";
import type { FoldRange, SequentialStep } from "../sequential-step.ts";
import { cutAt } from "../stage-facts.ts";
import { quoted } from "../tables.ts";
import { toldHistoryTables } from "./tables.ts";

/** Facts per locked read. */
const READ_FACTS = 50_000;

export class ToldStep implements SequentialStep {
  readonly name: string;
  readonly tables: readonly string[];
  readonly #db: Sql;
  readonly #schemas: { ponder: string; fold: string };
  readonly #state: ToldState;
  /** Temporary table of the session: (contract, block, columns). */
  readonly #staged: string;

  constructor(db: Sql, { schemas, state }: { schemas: { ponder: string; fold: string }; state: ToldState }) {
    this.name = state.name;
    this.tables = toldHistoryTables(state);
    this.#db = db;
    this.#schemas = schemas;
    this.#state = state;
    this.#staged = `told_${state.table}`;
  }

  async open(): Promise<void> {
    const values = this.#state.columns.map((column) => `${column} numeric not null`).join(", ");
    await this.#db.unsafe(
      `create temp table if not exists ${this.#staged} (contract bytea not null, block int4 not null, ${values})`,
    );
  }

  async readyUpTo({ upTo }: FoldRange): Promise<{ upTo: number }> {
    return { upTo };
  }

  async take({ after, upTo }: FoldRange): Promise<void> {
    await this.#db.unsafe(`truncate ${this.#staged}`);
    for (let done = after; done < upTo; ) done = await this.#stage({ after: done, upTo });
  }

  #stage({ after, upTo }: FoldRange): Promise<number> {
    const [db, state, { ponder }] = [this.#db, this.#state, this.#schemas];
    return withFacts(db, ponder, async () => {
      const cut = await cutAt(db, ponder, { after, upTo, limit: READ_FACTS, tables: [state.fact] });
      const bounds = { after: String(after), upTo: String(cut) };
      await db.unsafe(`
        insert into ${this.#staged}
        select decode(substr(t.contract, 3), 'hex'), t.block, ${toldColumns(state, "t")}
          from (${toldText(state, quoted(ponder), bounds)}) t`);
      return cut;
    });
  }

  async write(): Promise<number> {
    const { contract, columns } = this.#state;
    const [current, interval] = toldHistoryTables(this.#state).map((name) => `${quoted(this.#schemas.fold)}.${name}`);
    const told = toldColumns(this.#state);
    const runs = `
      select contract, block, ${told}, lead(block) over by_block as next_block, row_number() over by_block as nth
        from ${this.#staged} window by_block as (partition by contract order by block)`;
    const ended = await this.#db.unsafe(`
      with runs as (${runs})
      insert into ${interval} (${contract}, from_block, to_block, lvl, ${told})
      select r.contract, c.since, r.block, ${durationClassSql("r.block - c.since")}, ${toldColumns(this.#state, "c")}
        from runs r join ${current} c on c.${contract} = r.contract where r.nth = 1
      union all
      select contract, block, next_block, ${durationClassSql("next_block - block")}, ${told}
        from runs where next_block is not null`);
    const renewed = ["since", ...columns].map((column) => `${column} = excluded.${column}`).join(", ");
    const latest = await this.#db.unsafe(`
      with runs as (${runs})
      insert into ${current} (${contract}, since, ${told})
      select contract, block, ${told} from runs where next_block is null
      on conflict (${contract}) do update set ${renewed}`);
    return ended.count + latest.count;
  }
}
