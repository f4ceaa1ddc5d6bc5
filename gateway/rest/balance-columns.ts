// A balance as a line of a file or an object of its own, in exact numbers.
import { idNameOf, type SourceKind, sourceKinds } from "../backing/held-as.ts";
import type { Source } from "../balances/source.ts";
import { decimalOf } from "../numbers.ts";
import type { BalanceRow } from "../questions/balances-rows.ts";
import type { Column } from "./answer-format.ts";

interface Sourced {
  sources: readonly Source[];
}

const amountOf = ({ sources }: Sourced, kind: SourceKind): bigint =>
  sources.reduce((sum, source) => (source.kind === kind ? sum + source.amount : sum), 0n);

/** The raw total of each kind of source. */
export const kindColumns: readonly Column<Sourced>[] = sourceKinds.map((kind) => ({
  name: kind,
  read: (row) => String(amountOf(row, kind)),
}));

/** Account, total raw and in whole tokens, then the raw total of each kind of source. */
export const balanceColumns = (decimals: number | undefined): Column<BalanceRow>[] => [
  { name: "account", read: ({ account }) => account },
  { name: "amount", read: ({ amount }) => String(amount) },
  { name: "amountDecimal", read: ({ amount }) => decimalOf(amount, decimals) },
  ...kindColumns,
];

/** A source in raw units and whole tokens. */
export function sourceObject(source: Source, decimals: number | undefined): Record<string, unknown> {
  const idName = idNameOf(source);
  return {
    source: source.kind,
    amount: String(source.amount),
    amountDecimal: decimalOf(source.amount, decimals),
    ...(idName === undefined ? {} : { extraData: { [idName]: source.id } }),
  };
}

/** With every source by itself. */
export const balanceObject =
  (decimals: number | undefined) =>
  ({ account, amount, sources }: BalanceRow): Record<string, unknown> => ({
    account,
    amount: String(amount),
    amountDecimal: decimalOf(amount, decimals),
    sources: sources.map((source) => sourceObject(source, decimals)),
  });
