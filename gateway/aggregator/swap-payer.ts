// Who could pay for a swap that is only tried out: an account of people that holds enough of the input token.
import { createPublicClient, http } from "viem";
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import type { Market } from "./market.ts";
import type { SwapTerms } from "./swap-call.ts";

const CANDIDATES = 20;

/** The largest holders now that have enough, without pools; the largest first. Opens `context`. */
export async function richestHolders(
  { snapshot }: OperationContext,
  { terms, market }: { terms: SwapTerms; market: Market },
): Promise<Address[]> {
  await snapshot.open();
  const { fold } = snapshot;
  const rows = await snapshot.prepared<{ account: Address }>(
    `select '0x' || encode(h.account, 'hex') as account
       from ${fold}.asset a
      cross join lateral (${rowsOfGroup(holdings, {
        fold,
        of: { asset: "a.id" },
        block: "$3::int4",
        select: (row) => `${row}.account, ${row}.amount`,
        where: (row) => `${row}.amount >= $2::numeric`,
      })}) h
      where a.kind = 'erc20' and a.key = decode(substr($1, 3), 'hex')
      order by h.amount desc limit ${CANDIDATES}`,
    [terms.tokenIn, String(terms.amountIn), String(snapshot.state.head)],
  );
  const { pools } = market.place.state;
  return rows.map(({ account }) => account).filter((account) => !pools.has(account) && BigInt(account) > 0n);
}

/** The first that is no contract, since contracts may have a part in the swap themselves; undefined when there is none. */
export async function firstWithoutCode(
  { rpcUrl, timeoutMs }: { rpcUrl: string; timeoutMs: number },
  candidates: readonly Address[],
): Promise<Address | undefined> {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: timeoutMs, retryCount: 0, batch: true }) });
  const codes = await Promise.all(
    candidates.map((address) => client.getCode({ address }).catch(() => "0x01" as const)),
  );
  return candidates.find((_, place) => codes[place] === undefined);
}
