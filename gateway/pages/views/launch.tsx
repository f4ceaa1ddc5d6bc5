// One launch at a block: how far its curve has come, what the token costs, how much of it there is, and where it went.
import { toExactDecimal } from "../../numbers.ts";
import { type Address, address, parseInput } from "../../parameters.ts";
import { type LaunchAt, launchAt, marketCap, shownPriceRoundedDown } from "../../questions/launches.ts";
import { AddressLink } from "../parts/address.tsx";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { CurvePicture, ProgressBar } from "../parts/launch-curve.tsx";
import { LaunchVolume } from "../parts/launch-volume.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { Amount, Count, Percent, ShownNumber, Unknown, Usd } from "../parts/shown-number.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { ShownTime } from "../parts/shown-time.tsx";
import type { Subject } from "../place.ts";
import type { View, ViewRequest } from "../view.ts";

/** Digits behind the point of prices, as GraphQL gives them. */
const PRICE_DIGITS = 36;
const MADE = "launch";

export async function launch(request: ViewRequest): Promise<View> {
  const { ask, block, param } = request;
  const id = parseInput(address, param("address"), "address");
  const found = await ask(launchAt, { address: id, block });
  const at = found.point;
  const marks = await readMarks(request);
  const { token, curve } = found;
  const symbol = token.metadata?.symbol;
  const main = (
    <>
      <h1>
        Launch of <ShownText text={symbol} most={24} fallback="a token without symbol" />
      </h1>
      <Where request={request} found={found} />
      <BlockBar request={request} at={at} marks={marks} />

      <h2>Its curve</h2>
      <Progress found={found} />
      <figure>
        <figcaption>What one token costs on the curve, by what has been raised</figcaption>
        <CurvePicture curve={curve} />
      </figure>
      <Numbers found={found} />
      <MadeBy
        id={MADE}
        title="this launch"
        url={request.url}
        rest={request.isNewest ? `/launch/${request.chain.chainId}/tokens/${id}` : undefined}
        graphql={graphqlOf(request, { id, block: at.block })}
        verify={`--token ${token.address} --block ${at.block}`}
        note="REST answers for the newest block alone. The check compares the token's supply and every balance with its contract; price, reserves and progress are the last of the curve's own events."
      />
    </>
  );
  return { title: "Launch", main, at };
}

const graphqlOf = ({ chain }: ViewRequest, { id, block }: { id: Address; block: number }): string =>
  `{ launch(address: "${id}", block: { number: ${block} }, chainId: ${chain.chainId}) {
    token { address symbol totalSupplyDecimal } pool baseToken { address symbol } deployer createdBlock createdAt graduated graduatedBlock
    graduatedAt dexPair price priceUSD marketCapUSD raisedDecimal totalRaiseDecimal progress volumeDecimal volumeUSD unpricedVolume holdersCount
    swapsCount curve { sqrtPa sqrtPb sqrtPrice tokensInPool tokenReserve } } }`;

function Where({ request, found }: { request: ViewRequest; found: LaunchAt }) {
  const { token, base, curve, dexPair } = found;
  const block = request.isNewest ? undefined : found.point.block;
  const link = (subject: Subject, to: string) => (
    <AddressLink address={to} href={request.links.of(subject, to, { block })} />
  );
  const isOwnPool = curve.pool === curve.token;
  return (
    <>
      <p class="lead">
        <span class="badge">{curve.graduated ? "graduated" : "on its curve"}</span>{" "}
        <ShownText text={token.metadata?.name} fallback="A token without name" />, token {link("token", token.address)},{" "}
        {isOwnPool ? "which is its own pool" : <>sold by pool {link("pool", curve.pool)}</>} for{" "}
        <ShownText text={base.metadata?.symbol} most={16} fallback="a token without symbol" />{" "}
        {link("token", base.address)}. Launched by {link("account", curve.deployer)} in block{" "}
        <Count count={curve.created.block} />, <ShownTime seconds={curve.created.timestamp} />.
      </p>
      <p class="lead">
        {curve.graduated === undefined ? (
          "It graduates when all of its curve is sold; nobody knows beforehand when that is."
        ) : (
          <>
            Graduated in block <Count count={curve.graduated.block} />,{" "}
            <ShownTime seconds={curve.graduated.timestamp} />
            {dexPair === undefined ? (
              "; no v2 pair of both tokens is known."
            ) : (
              <>, into the v2 pair {link("pool", dexPair)}.</>
            )}
          </>
        )}{" "}
        <a href={request.links.of("token", token.address, { block })}>Who holds the token</a>
        {isOwnPool && (
          <>
            {" "}
            · <a href={request.links.of("pool", curve.pool, { block })}>its pool</a>
          </>
        )}
      </p>
    </>
  );
}

function Progress({ found: { curve, base, totalRaise, progress } }: { found: LaunchAt }) {
  const decimals = base.metadata?.decimals;
  return (
    <>
      <ProgressBar progress={progress} />
      <p>
        {curve.graduated ? (
          "All of it is sold: "
        ) : (
          <>
            <Percent part={progress.numerator} whole={progress.denominator} made={MADE} /> of the way:{" "}
          </>
        )}
        <Amount raw={curve.baseReserve} decimals={decimals} made={MADE} /> of{" "}
        <Amount raw={totalRaise} decimals={decimals} made={MADE} />{" "}
        <ShownText text={base.metadata?.symbol} most={16} fallback="base tokens" /> raised
        {curve.graduated ? " at its end." : "."}
      </p>
    </>
  );
}

function Numbers({ found }: { found: LaunchAt }) {
  const { token, base, curve, volume } = found;
  const unit = token.metadata?.decimals;
  const baseUnit = base.metadata?.decimals;
  const price = shownPriceRoundedDown(found, PRICE_DIGITS);
  const baseSymbol = <ShownText text={base.metadata?.symbol} most={16} fallback="base tokens" />;
  const facts = [
    [
      "Price",
      price === undefined ? (
        <Unknown why={curve.graduated ? "the pair is empty, or a token has no decimals" : "a token has no decimals"} />
      ) : (
        <>
          <ShownNumber exact={toExactDecimal(price, PRICE_DIGITS)} made={MADE} /> {baseSymbol}
        </>
      ),
    ],
    ["Price in USD", <Usd usd={found.priceUsd?.usd} made={MADE} />],
    ["Worth of all of it", <Usd usd={marketCap(found)} made={MADE} />],
    ["Supply", <Amount raw={found.totalSupply} decimals={unit} made={MADE} />],
    [
      "Left on the curve",
      curve.graduated ? "nothing" : <Amount raw={curve.tokenReserve} decimals={unit} made={MADE} />,
    ],
    ["The whole curve sells", <Amount raw={curve.tokensInPool} decimals={unit} made={MADE} />],
    [
      "Traded on the curve",
      <>
        <Amount raw={volume.base} decimals={baseUnit} made={MADE} /> {baseSymbol}
      </>,
    ],
    ["Of it in USD", <LaunchVolume launch={found} made={MADE} />],
    ["Trades on the curve", <Count count={curve.swapsCount} made={MADE} />],
    ["Holders", <Count count={found.holdersCount} made={MADE} />],
  ] as const;
  return <FactList facts={facts} />;
}
