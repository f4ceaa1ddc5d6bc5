// What a request relies on before it has a transaction: an answer may come from what is kept of a block alone, and if more
// has to be read after all, it must be read of the same index, at the same watermark, with the same blocks.
import { UnavailableError } from "../errors.ts";
import type { Connection } from "./database.ts";
import type { QuotedSchemas } from "./facts-scope.ts";
import type { Looked } from "./look.ts";
import type { BlockPoint } from "./point.ts";
import type { LedgerState } from "./state.ts";

/** What was assumed is not so any more: to be asked again in a transaction. */
export class AssumptionError extends Error {
  override name = "AssumptionError";
}

interface Opened {
  index: string;
  schemas: QuotedSchemas;
  state: Pick<LedgerState, "watermark">;
}

/** A block of an index that a part of the answer was read of. */
export interface Expected {
  index: string;
  point: BlockPoint;
}

export class Assumptions {
  expected: Expected | undefined;
  #looked: Looked | undefined;
  #points: readonly BlockPoint[] = [];
  #areOver = false;

  get looked(): Looked | undefined {
    return this.#looked;
  }

  get mayGrow(): boolean {
    return !this.#areOver && this.expected === undefined;
  }

  /** All of one request are of one look. */
  add(looked: Looked, point: BlockPoint): void {
    this.#looked = looked;
    this.#points = [...this.#points, point];
  }

  /** Gives what was told last. */
  end(): Expected | undefined {
    const point = this.#points.at(-1);
    const told = this.#looked && point && { index: this.#looked.index, point };
    this.#looked = undefined;
    this.#points = [];
    this.#areOver = true;
    return told;
  }

  /**
   * The transaction must see the same.
   * @throws AssumptionError; UnavailableError (`CATCHING_UP`) when what is expected is not there
   */
  async require(connection: Pick<Connection, "rows">, { index, schemas, state }: Opened): Promise<void> {
    const hasAll = async (points: readonly BlockPoint[]) => {
      const rows = await connection.rows<{ number: number; hash: string }>(
        `select number, hash from ${schemas.ponder}.block where number in (${points.map(({ block }) => block).join(", ")})`,
      );
      const hashes = new Map(rows.map(({ number, hash }) => [number, hash]));
      return points.every(({ block, hash }) => hashes.get(block) === hash);
    };
    const { expected } = this;
    if (expected && (expected.index !== index || !(await hasAll([expected.point]))))
      throw new UnavailableError("CATCHING_UP", "The chain has replaced blocks meanwhile. Ask again.");
    if (!this.#looked) return;
    if (this.#looked.index !== index || this.#looked.state.watermark !== state.watermark) throw new AssumptionError();
    if (!(await hasAll(this.#points))) throw new AssumptionError();
  }
}
