// An example of the typed client: who holds most of a token at a block, and what it was worth.
// npx node examples/client/largest-holders.ts <token> <block> [http://127.0.0.1:4000]
import { type Client, createClient, RefusedError, UnreachableError } from "./client.ts";

export interface Holding {
  account: string;
  total: number;
  usd: number | null;
  sources: string;
}

/** At most `most`, largest first; `usd` is null where the token had no price at the block. */
export async function largestHolders(
  ask: Client,
  { token, block, most }: { token: string; block: number; most: number },
): Promise<Holding[]> {
  const blockNumber = String(block);
  const { results } = await ask("getBalances", { params: { token }, query: { blockNumber } });
  const [priced] = await ask("getTokens", { query: { addresses: [token], blockNumber } });
  const price = priced === undefined || priced.priceStrategy === "none" ? null : priced.price;
  return results.slice(0, most).map(({ account, total, expanded }) => ({
    account,
    total,
    usd: price === null ? null : total * price,
    sources: expanded,
  }));
}

if (import.meta.main) {
  const [token = "", block = "", url = "http://127.0.0.1:4000"] = process.argv.slice(2);
  try {
    console.table(await largestHolders(createClient({ url }), { token, block: Number(block), most: 10 }));
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof UnreachableError)) throw error;
    console.error(`${error.code}: ${error.message}`);
    process.exitCode = 1;
  }
}
