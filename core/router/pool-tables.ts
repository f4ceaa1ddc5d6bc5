// What quoting works out of pools before their first swap. Questions about the same pools share them.
import { Curve } from "./curve.ts";
import type { Pool, V3Pool } from "./pool.ts";
import { StepTable } from "./v3-steps.ts";

interface Sides<Table> {
  up?: Table;
  down?: Table;
}

/** Each is made when it is first asked for, once for each pool object and direction, and goes with its pool. */
export class PoolTables {
  readonly #curves = new WeakMap<Pool, Sides<Curve>>();
  readonly #steps = new WeakMap<V3Pool, Sides<StepTable>>();

  /** For the search, in double precision. */
  curve(pool: Pool, zeroForOne: boolean): Curve {
    const [sides, side] = [sidesOf(this.#curves, pool), sideOf(zeroForOne)];
    sides[side] ??= new Curve(pool, zeroForOne);
    return sides[side];
  }

  /** As the contract swaps, in integers. */
  steps(pool: V3Pool, zeroForOne: boolean): StepTable {
    const [sides, side] = [sidesOf(this.#steps, pool), sideOf(zeroForOne)];
    sides[side] ??= new StepTable(pool, zeroForOne);
    return sides[side];
  }
}

const sideOf = (zeroForOne: boolean): keyof Sides<unknown> => (zeroForOne ? "down" : "up");

function sidesOf<P extends Pool, Table>(tables: WeakMap<P, Sides<Table>>, pool: P): Sides<Table> {
  let sides = tables.get(pool);
  if (sides === undefined) {
    sides = {};
    tables.set(pool, sides);
  }
  return sides;
}
