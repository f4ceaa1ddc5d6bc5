// A statement that says itself which state of the index its rows are of, so that one alone needs no transaction.
import { GatewayError } from "../errors.ts";
import { fingerprintText, type QuotedSchemas } from "./state.ts";

/**
 * The index is no longer in the state that a request took it to be in: the request is begun again. No UnavailableError:
 * who gets on without what is unavailable must not get on without this.
 */
export class IndexMovedError extends GatewayError {
  override name = "IndexMovedError";

  constructor() {
    const facts = { code: "CATCHING_UP", status: 503, retryAfterSeconds: 1 } as const;
    super("The chain or its index changed while this was answered. Ask again.", facts);
  }
}

interface Proof {
  proof: string;
  /** Null where `text` has no rows. */
  proven: number | null;
}

/** `text` with the state's fingerprint before each of its rows, in their order; one row without any. */
export const provenText = (schemas: QuotedSchemas, text: string): string => `
  select p.fingerprint as proof, r.* from (${fingerprintText(schemas)}) p
    left join lateral (select 1 as proven, t.* from (${text}) t) r on true`;

/** The rows of the text. @throws IndexMovedError unless they are of the state with this fingerprint */
export function provenRows<T extends object>(rows: readonly object[], fingerprint: string): T[] {
  const [first] = rows as readonly Proof[];
  if (first?.proof !== fingerprint) throw new IndexMovedError();
  if (first.proven === null) return [];
  return (rows as readonly (T & Proof)[]).map(({ proof: _, proven: __, ...row }) => row as unknown as T);
}
