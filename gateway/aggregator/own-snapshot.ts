// A transaction apart from the request's own, so that none is held while others are waited for.
import { chainOf, type OperationContext } from "../context.ts";
import { Snapshot } from "../database/snapshot.ts";

/** Runs `use` on it and ends it. */
export async function withOwnSnapshot<T>(
  { service, chain: { chainId } }: Pick<OperationContext, "service" | "chain">,
  use: (context: OperationContext) => Promise<T>,
): Promise<T> {
  const { database, live, cache } = service;
  const file = chainOf(service, chainId);
  const snapshot = new Snapshot({ database, live, cache, chainId });
  try {
    return await use({ service, chain: snapshot.chainOf(file), snapshot });
  } finally {
    await snapshot.close();
  }
}
