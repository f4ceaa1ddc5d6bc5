// A market's figures at a block: price both ways, what lies in it, what was traded lately.
import { sumIfComplete } from "../../../core/amounts.ts";
import type { Address } from "../../parameters.ts";
import { hasPage } from "../known-tokens.ts";
import type { MarketDay } from "../market-days.ts";
import type { ShownMarket } from "../market-shown.ts";
import { inverse, priceText, type Ratio } from "../tick-price.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { NameLink } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { FactList } from "./fact-list.tsx";
import { decimalsOf } from "./position-table.tsx";
import { Amount, Count, ShownNumber, Unknown, Usd } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";

const DAYS = 7;

interface MarketFactsProps {
  request: ViewRequest;
  at: ShownBlock;
  shown: ShownMarket;
}

export function MarketFacts({ request, at, shown }: MarketFactsProps) {
  const { market, tokens, held, tvl, price, days, pool } = shown;
  const lately = days.slice(-DAYS);
  const slot = pool?.slot;
  const facts = [
    ["Price", <Price shown={shown} price={price} of={market.token0} against={market.token1} />],
    [
      "The other way",
      <Price shown={shown} price={price && inverse(price)} of={market.token1} against={market.token0} />,
    ],
    ["TVL", <Usd usd={tvl} made="market" />],
    [`Volume, ${DAYS} days`, <Lately days={lately} of="volumeUsd" />],
    ...(market.fee === null ? [] : ([[`Fees, ${DAYS} days`, <Lately days={lately} of="feesUsd" />]] as const)),
    [`Trades, ${DAYS} days`, <Count count={lately.reduce((sum, { trades }) => sum + trades, 0)} made="figures" />],
    ...(slot
      ? ([
          ["Tick", <Count count={slot.tick} made="market" />],
          ["Liquidity in range", <ShownNumber exact={String(slot.liquidity)} made="market" />],
        ] as const)
      : []),
  ] as const;
  const sides = [market.token0, market.token1] as const;
  const rows = sides.map((address, i) => {
    const known = tokens.get(address);
    return [
      <NameLink
        request={request}
        at={at}
        subject={hasPage(known?.token) ? "token" : "account"}
        address={address}
        symbol={known?.token.metadata?.symbol}
      />,
      <Usd usd={known?.price?.usd} made="market" />,
      <Amount raw={held[i]} decimals={known?.token.metadata?.decimals} made="market" />,
    ];
  });
  return (
    <>
      <FactList facts={facts} />
      <DataTable
        caption="Both tokens, with what lies at the market's address"
        columns={[{ head: "Token" }, { head: "Price", isNumber: true }, { head: "It holds", isNumber: true }]}
        rows={rows}
        empty=""
      />
    </>
  );
}

interface PriceProps {
  shown: ShownMarket;
  /** Raw `against` per raw `of`. */
  price: Ratio | undefined;
  of: Address;
  against: Address;
}

/** `1 HONEY = 0.2 WBERA` */
function Price({ shown, price, of, against }: PriceProps) {
  const { tokens } = shown;
  const text = price && priceText(price, decimalsOf(tokens, { token0: of, token1: against }));
  if (text === undefined) return <Unknown why={whyNoPrice(shown)} />;
  const symbol = (address: Address) => (
    <ShownText text={tokens.get(address)?.token.metadata?.symbol} most={12} fallback="?" />
  );
  return (
    <>
      <span class="quiet">1 {symbol(of)} = </span>
      <ShownNumber exact={text} made="figures" /> <span class="quiet">{symbol(against)}</span>
    </>
  );
}

/** A pair's price is unknown where what it holds is. */
function whyNoPrice({ market, tokens, price, stopped }: ShownMarket): string {
  if (decimalsOf(tokens, market).includes(undefined)) return "a token's decimals are not known";
  const isKnown = stopped === undefined && (price !== undefined || market.protocol !== "v2");
  return isKnown ? "it has no price at this block" : "its price is not known at this block";
}

function Lately({ days, of }: { days: readonly MarketDay[]; of: "volumeUsd" | "feesUsd" }) {
  if (days.length === 0) return <Unknown why="the block's time is not known" />;
  return <Usd usd={sumIfComplete(days.map((day) => day[of]))} made="figures" />;
}
