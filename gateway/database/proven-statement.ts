// A statement that says itself which state of the index its rows are of, so that it needs no transaction.
import { GatewayError } from "../errors.ts";
import type { Connection } from "./database.ts";
import { type IndexState, proofText } from "./state.ts";

/**
 * The index is no longer in the state that a request took it to be in: the request begins again. Not an UnavailableError:
 * code that goes on without what is unavailable must not go on here.
 */
export class IndexMovedError extends GatewayError {
  override name = "IndexMovedError";

  constructor() {
    const facts = { code: "CATCHING_UP", status: 503, retryAfterSeconds: 1 } as const;
    super("The chain or its index changed while this was answered. Ask again.", facts);
  }
}

interface Proof {
  proven_head: number;
  proof: string;
  /** Null where the text has no rows. */
  proven: number | null;
}

/** SELECT text of the rows of `text` in their order, each with a proof; if there are none, of one row with only a proof. */
export const provenText = (fold: string, text: string, number: string): string => `
  select p.head as proven_head, p.proof, r.* from (${proofText(fold, number)}) p
    left join lateral (select 1 as proven, t.* from (${text}) t) r on true`;

/**
 * The rows of the text, from rows with proofs with regard to the head of `state`. `isNewest`: that must be the head still.
 * @throws IndexMovedError unless they are of that state
 */
export function provenRows<T extends object>(
  rows: readonly object[],
  { state, isNewest }: { state: Pick<IndexState, "head" | "proof">; isNewest: boolean },
): T[] {
  const [first] = rows as readonly Proof[];
  if (first?.proof !== state.proof) throw new IndexMovedError();
  if (isNewest && first.proven_head !== state.head) throw new IndexMovedError();
  if (first.proven === null) return [];
  return (rows as readonly (T & Proof)[]).map(
    ({ proven_head: _, proof: __, proven: ___, ...row }) => row as unknown as T,
  );
}

/** @throws IndexMovedError unless the fold still has the blocks up to the head of `state` as they were in it */
export async function requireProven(
  connection: Pick<Connection, "rows">,
  fold: string,
  state: IndexState,
): Promise<void> {
  const rows = await connection.rows(provenText(fold, "select", String(state.head)));
  provenRows(rows, { state, isNewest: false });
}
