// A token over time, up to a block: how many held it, what it was worth, how much the largest had, and where it sat.

import type { Child } from "hono/jsx";
import { totalOf } from "../../../core/amounts.ts";
import { toExactDecimal } from "../../numbers.ts";
import { address as addressShape, parseInput } from "../../parameters.ts";
import { USD_DECIMALS } from "../../prices/price.ts";
import { type Distribution, distributionHistory } from "../../questions/distribution.ts";
import { holdersCount } from "../../questions/holders-count.ts";
import { priceHistory } from "../../questions/price-history.ts";
import { tokenAt } from "../../questions/tokens.ts";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { Empty } from "../parts/data-table.tsx";
import { TakenPart } from "../parts/later-part.tsx";
import { type ChartPoint, LineChart } from "../parts/line-chart.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { percentOf } from "../parts/shown-number.tsx";
import { placesOfTokens } from "../parts/source-kinds.ts";
import { TokenTitle, titleOf } from "../parts/token-head.tsx";
import { atBlock, type View, type ViewRequest } from "../view.ts";

/** Blocks that prices are shown for. */
const PRICES = 24;
/** Blocks that holders are shown for: each is looked through, of many holders fewer, so that the page is there in time. */
const POINTS = 10;
const POINTS_OF_MANY = 6;
const MANY_HOLDERS = 20_000;

export async function tokenHistory(request: ViewRequest): Promise<View> {
  const { ask, block, links, param, url } = request;
  const token = parseInput(addressShape, param("address"), "address");
  const shown = await ask(tokenAt, { token, block });
  const at = shown.point;
  const marks = await readMarks(request);
  const { startBlock } = request.chain;
  const first = Math.max(startBlock, shown.token.firstBlock ?? startBlock);
  const frame = (content: Child): View => ({
    title: `${titleOf(shown)} over time`,
    at,
    main: (
      <>
        <TokenTitle shown={shown} />
        <p>
          <a href={links.of("token", token, { block: at.block })}>Holders and where it sat at this block</a>
        </p>
        <BlockBar request={request} at={at} marks={marks} />
        <h2>Over time</h2>
        <TakenPart>{content}</TakenPart>
      </>
    ),
  });
  if (first > at.block) return frame(<Empty>{`Its first event is in block ${first}, after this one.`}</Empty>);

  const range = { token, from: atBlock({ block: first }), to: atBlock(at) };
  const { holders } = await ask(holdersCount, { token, block: atBlock(at) });
  const points = holders > MANY_HOLDERS ? POINTS_OF_MANY : POINTS;
  const sat = await ask(distributionHistory, { ...range, points });
  const { entries: prices } = await ask(priceHistory, { ...range, points: PRICES });
  const over = (read: (one: Distribution) => string | undefined): ChartPoint[] =>
    sat.map((one) => ({ time: one.located.point.timestamp ?? 0, value: read(one) }));
  const priced = prices.map(
    ({ point, price }): ChartPoint => ({
      time: point.timestamp ?? 0,
      value: price && toExactDecimal(price.usd, USD_DECIMALS),
    }),
  );
  const places = placesOfTokens
    .map(({ name, kinds }) => ({
      label: name,
      points: over((one) => percentOf(totalOf(one.sources.filter(({ kind }) => kinds.includes(kind))), one.supply)),
    }))
    .filter(({ points: ofPlace }) => ofPlace.some(({ value }) => value !== undefined && value !== "0"));
  const nobodys = { label: "Unattributed", points: over((one) => percentOf(totalOf(one.unattributed), one.supply)) };
  const arguments_ = `token: "${token}", from: { number: ${first} }, to: { number: ${at.block} }, chainId: ${request.chain.chainId}`;
  return frame(
    <>
      <div class="columns">
        <LineChart
          title="Holders"
          lines={[{ label: "Holders", points: over((one) => String(one.holders)) }]}
          empty="Nobody has held it yet."
          made="history"
        />
        <LineChart
          title="Price of one, USD"
          prefix="$"
          lines={[{ label: "Price", points: priced }]}
          empty="It has had no price: no pool leads from it to a token with one."
          made="prices"
        />
        <LineChart
          title="Concentration: what the largest holders have of the supply"
          suffix="%"
          lines={[
            { label: "10 largest", points: over((one) => percentOf(one.top10, one.supply)) },
            { label: "100 largest", points: over((one) => percentOf(one.top100, one.supply)) },
          ]}
          empty="There has been none of it yet."
          made="history"
        />
        <LineChart
          title="Where it sat, of the supply"
          suffix="%"
          lines={[...places, nobodys]}
          empty="There has been none of it yet."
          made="history"
        />
      </div>
      <p class="quiet">
        {`Blocks evenly spaced from the token's first one, ${first.toLocaleString("en")}, to the one shown: `}
        {`${sat.length} for holders, ${prices.length} for prices. Each is exact; between them lines are straight.`}
      </p>
      <MadeBy
        id="history"
        title="holders, concentration and places over time"
        url={url}
        graphql={`{ distributionHistory(${arguments_}, points: ${points}) { block { number timestamp } holders supply top10 top100 sources { source amount } unattributed { reason amount } } }`}
        verify={`--token ${token} --block ${at.block}`}
      />
      <MadeBy
        id="prices"
        title="prices over time"
        url={url}
        graphql={`{ priceHistory(${arguments_}, points: ${PRICES}) { nodes { block { number timestamp } price { usd } } } }`}
      />
    </>,
  );
}
