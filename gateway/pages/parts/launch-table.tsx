// Launched tokens in a table.
import type { Address } from "../../parameters.ts";
import type { LaunchAt } from "../../questions/launches.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { NameLink } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { Amount, Count, Percent, Usd } from "./shown-number.tsx";
import { ShownDay } from "./shown-time.tsx";

interface LaunchTableProps {
  request: ViewRequest;
  at: ShownBlock;
  caption: string;
  launches: readonly LaunchAt[];
  empty: string;
  made?: string;
}

export function LaunchTable({ request, at, caption, launches, empty, made }: LaunchTableProps) {
  const columns = [
    { head: "Token" },
    { head: "Launched" },
    { head: "Price", isNumber: true },
    { head: "Raised", isNumber: true },
    { head: "Progress", isNumber: true },
    { head: "Holders", isNumber: true },
  ];
  const rows = launches.map(({ token, base, curve, priceUsd, progress, holdersCount }) => [
    <NameLink
      request={request}
      at={at}
      subject="launch"
      address={token.address}
      // a token may be launched in several pools, each with a page of its own
      about={curve.pool as Address}
      symbol={token.metadata?.symbol}
    />,
    <ShownDay seconds={curve.created.timestamp} />,
    <Usd usd={priceUsd?.usd} made={made} />,
    <Amount raw={curve.baseReserve} decimals={base.metadata?.decimals} made={made} />,
    curve.graduated === undefined ? (
      <Percent part={progress.numerator} whole={progress.denominator} made={made} />
    ) : (
      "graduated"
    ),
    <Count count={holdersCount} made={made} />,
  ]);
  return <DataTable caption={caption} columns={columns} rows={rows} empty={empty} />;
}
