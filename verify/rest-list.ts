// Balances as REST writes them, against the same question's entries: the same accounts in the same order with the same sources, and
// each number the double that is nearest to the exact one.
import { formatUnits } from "viem";
import { idNameOf } from "../gateway/backing/held-as.ts";
import type { BalanceEntry } from "../gateway/questions/balances.ts";
import type { BalancesText } from "../gateway/questions/balances-text.ts";

/** An entry of REST's JSON. */
interface RestEntry {
  account: string;
  total: number;
  sources: { source: string; value: number; extraData?: Record<string, string> }[];
  expanded: string;
}

export type ExactEntry = Pick<BalanceEntry, "account" | "amount" | "sources">;

/** @returns the first entry that REST writes otherwise; undefined where it writes all of `entries`, in their order, and no other */
export async function writtenOtherwise(
  { pieces }: Pick<BalancesText, "pieces">,
  { entries, decimals }: { entries: readonly ExactEntry[]; decimals: number },
): Promise<string | undefined> {
  let place = 0;
  // all are taken, as the statement behind them must end; a piece begins with a comma, and holds whole entries
  let first: string | undefined;
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
    const text = Buffer.from(piece.value).toString("utf8");
    for (const written of JSON.parse(`[${text.replace(/^,/, "")}]`) as RestEntry[]) {
      const exact = entries[place++];
      first ??= difference(written, exact && wanted(exact, decimals));
    }
  }
  const missing = entries[place];
  return first ?? (missing && `${missing.account}: left out`);
}

const nearest = (amount: bigint, decimals: number): number => Number(formatUnits(amount, decimals));

function wanted({ account, amount, sources }: ExactEntry, decimals: number): RestEntry {
  const values = sources.map((source) => ({ ...source, value: nearest(source.amount, decimals) }));
  return {
    account,
    total: nearest(amount, decimals),
    sources: values.map((source) => {
      const idName = idNameOf(source);
      const extraData = idName === undefined ? {} : { extraData: { [idName]: source.id } };
      return { source: source.kind, value: source.value, ...extraData };
    }),
    expanded: values.map(({ kind, value }) => `${kind}: ${value}`).join(", "),
  };
}

function difference(written: RestEntry, exact: RestEntry | undefined): string | undefined {
  const [got, expected] = [JSON.stringify(written), exact && JSON.stringify(exact)];
  return got === expected ? undefined : `${got}, but ${expected ?? "no such entry"} by GraphQL`;
}
