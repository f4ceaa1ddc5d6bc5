// Home: what a chain has at its newest block, at a glance.
import { launchesPage } from "../../questions/launches.ts";
import { tokensPage } from "../../questions/tokens.ts";
import { FactList } from "../parts/fact-list.tsx";
import { LaunchTable } from "../parts/launch-table.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { PoolTable } from "../parts/pool-table.tsx";
import { Count } from "../parts/shown-number.tsx";
import { ShownTime } from "../parts/shown-time.tsx";
import { holdersOf, TokenTable, tokensPath, type WorthyToken, withPrices } from "../parts/token-table.tsx";
import { MOST_POOLS, topPools } from "../top-pools.ts";
import { atBlock, type View, type ViewRequest } from "../view.ts";

/** The oldest ones, of which the most valuable are shown. */
const TOKENS_READ = 200;
/** With their holders no more than one document may ask: 10 questions. */
const TOKENS_SHOWN = 9;
const POOLS_SHOWN = 8;
const LAUNCHES_SHOWN = 6;

const byValue = (a: WorthyToken, b: WorthyToken): number => {
  const [left, right] = [a.value ?? -1n, b.value ?? -1n];
  return left < right ? 1 : left > right ? -1 : 0;
};

/** Of each token shown its supply, price and holders, in one document. */
function tokensQuery(tokens: readonly WorthyToken[], block: number, chainId: number): string | undefined {
  if (tokens.length === 0) return undefined;
  const place = `block: { number: ${block} }, chainId: ${chainId}`;
  const addresses = JSON.stringify(tokens.map(({ token }) => token.address));
  const fields = tokens.map(
    ({ token: { address } }, i) => `
  h${i}: holdersCount(token: "${address}", ${place}) { token { address } holders }`,
  );
  return `{
  tokenPrices(addresses: ${addresses}, ${place}) { address symbol totalSupply totalSupplyDecimal price { usd } }${fields.join("")}
}`;
}

export async function home(request: ViewRequest): Promise<View> {
  const { ask, block, chain, links, url } = request;
  const page = await ask(tokensPage, { block, first: TOKENS_READ });
  const at = page.point;
  const tokens = (await withPrices(request, at, page.entries)).sort(byValue).slice(0, TOKENS_SHOWN);
  const addresses = tokens.map(({ token }) => token.address);
  const holders = await holdersOf(request, at, addresses);
  const top = await topPools(request, at, POOLS_SHOWN);
  const v3Pool = top.pools.find(({ protocol }) => protocol === "v3");
  const launches = await ask(launchesPage, { block: atBlock(at), first: LAUNCHES_SHOWN });
  const pinned = request.isNewest ? undefined : at.block;
  const blockArgument = `block: { number: ${at.block} }`;
  const main = (
    <>
      <h1>Who held how much of a token, wherever it sat</h1>
      <FactList
        facts={[
          [
            "Head of the index",
            <output data-head={at.lastSynced}>
              <Count count={at.lastSynced} />
            </output>,
          ],
          ["Shown at", <ShownTime seconds={at.timestamp} />],
          [
            "Tokens",
            <a href={links.to("tokens", { block: pinned })}>
              <Count count={page.totalCount} />
            </a>,
          ],
          ["Pools", <Count count={top.count} />],
          [
            "Launches",
            <a href={links.to("launches", { block: pinned })}>
              <Count count={launches.totalCount} />
            </a>,
          ],
        ]}
      />

      <h2>Tokens</h2>
      <TokenTable
        request={request}
        at={at}
        tokens={tokens}
        holders={holders}
        caption="Tokens by value"
        made="tokens"
        empty="No token has moved yet."
      />
      <p class="quiet">
        {page.hasNextPage
          ? `The most valuable of the first ${TOKENS_READ} tokens. `
          : "The most valuable ones, by price times supply. "}
        <a href={links.to("tokens", { block: pinned })}>All tokens</a>
      </p>
      <MadeBy
        id="tokens"
        title="tokens"
        url={url}
        rest={tokensPath(request, at, tokens)}
        graphql={tokensQuery(tokens, at.block, chain.chainId)}
        verify={tokens[0] && `--token ${tokens[0].token.address} --block ${at.block}`}
      />

      <div class="columns">
        <section>
          <h2>Top pools</h2>
          <PoolTable
            request={request}
            at={at}
            pools={top.pools}
            tokens={top.tokens}
            caption="Pools by TVL"
            made="pools"
          />
          {top.hasMore && <p class="quiet">{`Of v3 pools the first ${MOST_POOLS} are considered.`}</p>}
          <MadeBy
            id="pools"
            title="pools"
            url={url}
            rest={`/vaults?chainId=${chain.chainId}&blockNumber=${at.block}&limit=1000`}
            graphql={`{ pools(first: 200, ${blockArgument}, chainId: ${chain.chainId}) { nodes { address token0 token1 fee } } }`}
            verify={v3Pool ? `--pool ${v3Pool.address} --block ${at.block}` : "--vaults --samples 1"}
            note="A v3 pool's TVL is what its address holds of both tokens, times their prices; a v2 pair's is the one of /vaults."
          />
        </section>
        <section>
          <h2>Newest launches</h2>
          <LaunchTable
            request={request}
            at={at}
            launches={launches.entries}
            caption="Newest launches"
            empty="Nothing has been launched on this chain yet."
            made="launches"
          />
          <MadeBy
            id="launches"
            title="launches"
            url={url}
            rest={request.isNewest ? `/launch/${chain.chainId}/tokens` : undefined}
            graphql={`{ launches(first: ${LAUNCHES_SHOWN}, ${blockArgument}, chainId: ${chain.chainId}) { nodes { pool token { address symbol } priceUSD raisedDecimal progress holdersCount } } }`}
          />
        </section>
      </div>
    </>
  );
  return { title: "Home", main, at };
}
