// Who has how much of a token, and in which ways: one row for each holder.
import type { Address } from "../../parameters.ts";
import { type TokenPrice, usdValue } from "../../prices/price.ts";
import type { BalancesPage } from "../../questions/balances.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { AddressLink } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { type SharePart, StackedBar } from "./nested-shares.tsx";
import { Amount, Count, Percent, Usd } from "./shown-number.tsx";
import { type SourceKind, waysOfHolding } from "./source-kinds.ts";

type Holder = BalancesPage["entries"][number];

interface HolderTableProps {
  request: Pick<ViewRequest, "links" | "isNewest">;
  at: ShownBlock;
  page: BalancesPage;
  price: TokenPrice | undefined;
  empty: string;
  made: string;
}

export function HolderTable({ request, at, page, price, empty, made }: HolderTableProps) {
  const { located, supply, entries } = page;
  const decimals = located.token.metadata?.decimals;
  const block = request.isNewest ? undefined : at.block;
  const hrefOf = (account: Address) => request.links.of("account", account, { block });
  const columns = [
    { head: "Holder" },
    { head: "Rank", isNumber: true },
    { head: "Amount", isNumber: true },
    { head: "Share", isNumber: true },
    { head: "USD", isNumber: true },
    { head: "Sits in" },
  ];
  const rows = entries.map(({ account, rank, amount, sources }) => [
    <AddressLink address={account} href={hrefOf(account)} />,
    rank === undefined ? "–" : <Count count={rank} made={made} />,
    <Amount raw={amount} decimals={decimals} made={made} />,
    <Percent part={amount} whole={supply} made={made} />,
    <Usd usd={price && decimals !== undefined ? usdValue(price, amount, decimals) : undefined} made={made} />,
    <Sources amount={amount} sources={sources} />,
  ]);
  return <DataTable caption="Holders, largest first" columns={columns} rows={rows} empty={empty} />;
}

/** Of a holder's own total, to a hundredth: the account's page has it exactly. */
function briefPercent(part: bigint, whole: bigint): string {
  const hundredths = Number((part * 10_000n) / whole);
  return hundredths === 0 ? "< 0.01%" : `${hundredths / 100}%`;
}

/** A small bar with the same in words. */
function Sources({ amount, sources }: Pick<Holder, "amount" | "sources">) {
  const kinds = new Map<SourceKind, bigint>();
  for (const source of sources) kinds.set(source.kind, (kinds.get(source.kind) ?? 0n) + source.amount);
  const parts = [...kinds].map(([kind, ofKind]): SharePart & { words: string } => {
    const { name, colour } = waysOfHolding[kind];
    return { kind: colour, label: name, amount: ofKind, shown: null, words: `${name} ${briefPercent(ofKind, amount)}` };
  });
  parts.sort((a, b) => (a.amount < b.amount ? 1 : -1));
  const [only] = parts;
  return (
    <div class="sits">
      <StackedBar whole={amount} parts={parts} />
      <span class="quiet">{only && parts.length === 1 ? only.label : parts.map(({ words }) => words).join(" · ")}</span>
    </div>
  );
}
