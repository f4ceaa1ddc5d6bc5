// What the contracts of one block log: v3 facts through the reducer's worlds, all others as rows of their tables.
import type { Random } from "../../../devnet/scenario/random.ts";
import { timestampOf } from "../../support/index-fixture.ts";
import { Scribe } from "../random-v3-acts.ts";
import { storedFact } from "../v3-fact-tables.ts";

export type Value = string | number | null | Record<string, string>;

/** A fact as it is in its table. */
export interface FactRow {
  table: string;
  row: Record<string, Value>;
}

export class BlockScribe extends Scribe {
  readonly random: Random;
  readonly #rows: FactRow[] = [];

  constructor(block: number, random: Random) {
    super();
    this.block = block;
    this.random = random;
  }

  nextTransaction(): void {
    this.tx += 1;
  }

  /** One log that is not of v3. */
  tell(table: string, values: Record<string, Value>): void {
    const { block, tx } = this;
    const place = { block, log_index: this.takeLog(), tx_index: tx, timestamp: timestampOf(block) };
    this.#rows.push({ table, row: { ...place, ...values } });
  }

  /** All facts of the block. */
  rows(): FactRow[] {
    const ofV3 = this.facts.map((fact) => {
      const [table, row] = storedFact(fact);
      return { table, row };
    });
    return [...ofV3, ...this.#rows];
  }
}
