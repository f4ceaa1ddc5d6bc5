// A line of the status: whether SQL is answered, and up to where.
import type { SqlAccess } from "./sql-access.ts";

interface SqlStatus {
  isAnswering: boolean;
  /** The head of the last statement. */
  block: number | null;
  /** The last block of the history lake. */
  lakeBlock: number | null;
}

/** Null where SQL is not turned on for the chain. */
export async function sqlStatusOf(
  { sql }: { readonly sql?: SqlAccess | undefined },
  chainId: number,
): Promise<SqlStatus | null> {
  if (!sql?.isOn(chainId)) return null;
  const health = await sql.health(chainId);
  return {
    isAnswering: health !== undefined,
    block: health?.loaded?.block ?? null,
    lakeBlock: health?.loaded?.lakeLast ?? null,
  };
}
