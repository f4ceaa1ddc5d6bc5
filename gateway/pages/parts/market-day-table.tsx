// What was traded in a market, day by day: volume and price as charts, everything as a table.
import { plainDecimal, toExactDecimal } from "../../numbers.ts";
import { USD_DECIMALS } from "../../prices/price.ts";
import { DAYS_SHOWN, type MarketDay } from "../market-days.ts";
import type { ShownMarket } from "../market-shown.ts";
import type { ViewRequest } from "../view.ts";
import { shortAddress } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { LineChart } from "./line-chart.tsx";
import { decimalsOf } from "./position-table.tsx";
import { Amount, Count, ShownNumber, Usd } from "./shown-number.tsx";
import { readable } from "./shown-text.tsx";
import { ShownDay } from "./shown-time.tsx";

const daysWithoutTrades = "Nothing was traded in these days.";

export function MarketDays({ shown }: { request: ViewRequest; shown: ShownMarket }) {
  const { market, tokens, days } = shown;
  const first = days.findIndex(({ trades }) => trades > 0);
  if (first < 0) return <p class="empty">{daysWithoutTrades}</p>;
  // days before the first trade have nothing to show
  const drawn = days.slice(first);
  const symbol = (address: typeof market.token0) => {
    const text = tokens.get(address)?.token.metadata?.symbol?.trim();
    return text ? readable(text, 12) : shortAddress(address);
  };
  const [decimals0, decimals1] = decimalsOf(tokens, market);
  const hasFees = market.fee !== null;
  const usdOf = ({ volumeUsd }: MarketDay) =>
    volumeUsd === undefined ? undefined : toExactDecimal(volumeUsd, USD_DECIMALS);
  const columns = [
    { head: "Day (UTC)" },
    { head: "Trades", isNumber: true },
    { head: "Volume", isNumber: true },
    { head: `Volume ${symbol(market.token0)}`, isNumber: true },
    { head: `Volume ${symbol(market.token1)}`, isNumber: true },
    ...(hasFees
      ? [`Fees ${symbol(market.token0)}`, `Fees ${symbol(market.token1)}`].map((head) => ({ head, isNumber: true }))
      : []),
    { head: "Last price", isNumber: true },
  ];
  const rows = [...drawn]
    .reverse()
    .map(({ start, trades, volumes, volumeUsd, fees, close }) => [
      <ShownDay seconds={start} />,
      <Count count={trades} made="market" />,
      <Usd usd={volumeUsd} made="market" />,
      <Amount raw={volumes[0]} decimals={decimals0} made="market" />,
      <Amount raw={volumes[1]} decimals={decimals1} made="market" />,
      ...(hasFees
        ? [
            <Amount raw={fees[0] ?? undefined} decimals={decimals0} made="market" />,
            <Amount raw={fees[1] ?? undefined} decimals={decimals1} made="market" />,
          ]
        : []),
      close === null ? <span class="quiet">–</span> : <ShownNumber exact={plainDecimal(close)} made="market" />,
    ]);
  return (
    <>
      <div class="columns">
        <LineChart
          title="Volume by day"
          prefix="$"
          lines={[{ label: "Volume", points: drawn.map((day) => ({ time: day.start, value: usdOf(day) })) }]}
          empty="What was traded has no price."
          made="market"
        />
        <LineChart
          title={`Last price of the day, ${symbol(market.token1)} per ${symbol(market.token0)}`}
          lines={[
            {
              label: "Price",
              points: drawn.map(({ start, close }) => ({
                time: start,
                value: close === null ? undefined : plainDecimal(close),
              })),
            },
          ]}
          empty="No trade has made a price."
          made="market"
        />
      </div>
      <details>
        <summary>Every day, with volumes{hasFees ? " and fees" : ""} of both tokens</summary>
        <DataTable columns={columns} rows={rows} caption={`The last ${DAYS_SHOWN} days`} empty={daysWithoutTrades} />
      </details>
    </>
  );
}
