// A transaction apart from the request's own, so that none is held while others are waited for.
import { chainOf, type OperationContext } from "../context.ts";
import { Snapshot } from "../database/snapshot.ts";
import { mayPassElsewhere } from "../database/transaction.ts";

const ATTEMPTS = 3;

/**
 * Runs `use` on it and ends it. `use` runs again, in another transaction, where another server may answer, or the same one a moment
 * later: what it changes outside must bear that.
 */
export async function withOwnSnapshot<T>(
  { service, chain: { chainId } }: Pick<OperationContext, "service" | "chain">,
  use: (context: OperationContext) => Promise<T>,
): Promise<T> {
  const { database, memory, cache } = service;
  const file = chainOf(service, chainId);
  const parts = { database, memory, cache, chainId };
  let snapshot = new Snapshot(parts);
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await use({ service, chain: snapshot.chainOf(file), snapshot });
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        const next = await snapshot.successor(error);
        if (next === undefined) {
          if (!mayPassElsewhere(error)) throw error;
          await snapshot.close();
        }
        snapshot = next ?? new Snapshot(parts);
      }
    }
  } finally {
    await snapshot.close();
  }
}
