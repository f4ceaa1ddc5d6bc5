// One place where two tokens trade: its state, and its last days.
import { formatUnits } from "viem";
import { UsageError } from "../../machine/command-line.ts";
import { type Block, blockText, type Question, symbolOf, tokenText } from "../question.ts";
import { AmbiguousNameError, type Resolving, resolveToken } from "../resolve-token.ts";
import { tableLines } from "../table.ts";
import { type PoolState, STATE_FIELDS, stateLines, type TokenDetail } from "./pool-state.ts";

const DAY = 86_400;
const DAYS = 7;
/** More between two tokens are not listed. */
const MOST_MARKETS = 100;

const FIND = `query Markets($where: MarketFilter!, $block: BlockInput, $chainId: Int) {
  facts(block: $block, chainId: $chainId) {
    markets(where: $where, first: ${MOST_MARKETS}) {
      block { number timestamp }
      nodes { address protocol fee token0Detail { symbol } token1Detail { symbol } }
    }
  }
}`;

const DOCUMENT = `query Pool($pool: Address!, $block: BlockInput!, $from: Timestamp!, $isV3: Boolean!, $isV2: Boolean!, $isCurve: Boolean!, $chainId: Int) {
  facts(block: $block, chainId: $chainId) {
    markets(where: { address: [$pool] }) {
      block { number timestamp }
      nodes {
        address protocol fee islands
        token0Detail { address symbol decimals priceUSD }
        token1Detail { address symbol decimals priceUSD }
        series(interval: day, from: $from) { start trades volume0 volume1 volumeUSD fees0 fees1 tvlUSD }
      }
    }
  }
  ${STATE_FIELDS}
}`;

interface Market {
  address: string;
  protocol: "v2" | "v3" | "curve";
  fee: number | null;
}

interface FoundMarkets {
  block: Block;
  nodes: (Market & Record<"token0Detail" | "token1Detail", { symbol: string | null }>)[];
}

interface Bucket {
  start: number;
  trades: number;
  volume0: string;
  volume1: string;
  volumeUSD: string | null;
  fees0: string | null;
  fees1: string | null;
  tvlUSD: string | null;
}

interface DetailedMarket extends Market {
  islands: string[];
  token0Detail: TokenDetail;
  token1Detail: TokenDetail;
  series: Bucket[];
}

interface Answered extends PoolState {
  facts: { markets: { block: Block; nodes: DetailedMarket[] } };
}

export const pool: Question = {
  shape: { words: ["<pool>"] },
  help: `A v3 pool, v2 pair or launch curve at a block: price, state, and the last ${DAYS} days by the UTC clock with volume, fees and
TVL. Raw amounts become whole tokens exactly; prices and USD are rounded down to 36 decimal places.

  <pool>             address, or two symbols, HONEY/WBERA, where these tokens have one pool only`,

  async answer(ask, { words: [word = ""], block, chainId }) {
    const where = await filterOf({ ask, chainId }, word);
    const found = await ask<{ facts: { markets: FoundMarkets } }>(FIND, { where, block, chainId });
    const { block: at, nodes } = found.data.facts.markets;
    const market = onlyOne(nodes, word);
    const variables = {
      pool: market.address,
      chainId,
      block: { number: at.number },
      from: startOfDay(at.timestamp ?? 0) - (DAYS - 1) * DAY,
      isV3: market.protocol === "v3",
      isV2: market.protocol === "v2",
      isCurve: market.protocol === "curve",
    };
    const { body, data } = await ask<Answered>(DOCUMENT, variables);
    return { body, lines: linesOf(data) };
  },
};

const startOfDay = (timestamp: number): number => timestamp - (timestamp % DAY);

async function filterOf(on: Resolving, word: string): Promise<object> {
  if (/^0x[0-9a-f]{40}$/i.test(word)) return { address: [word.toLowerCase()] };
  const [one, other, ...more] = word.split("/");
  if (!one || !other || more.length > 0)
    throw new UsageError("<pool>: must be an address, 0x and 40 hex digits, or two symbols such as HONEY/WBERA");
  const tokens = [await resolveToken(on, "<pool>", one), await resolveToken(on, "<pool>", other)];
  return { token0: tokens, token1: tokens };
}

function onlyOne(found: FoundMarkets["nodes"], word: string): Market {
  const [only, ...others] = found;
  if (only === undefined)
    throw new UsageError(`<pool>: no pool, pair or curve "${word}" at this block; check address and --block`);
  if (others.length === 0) return only;
  const rows = found.map(({ address, protocol, fee, token0Detail, token1Detail }) => [
    address,
    protocol,
    feeText(fee),
    `${token0Detail.symbol ?? "?"} / ${token1Detail.symbol ?? "?"}`,
  ]);
  const columns = [{ title: "pool" }, { title: "kind" }, { title: "fee" }, { title: "tokens", atMost: 50 }];
  throw new AmbiguousNameError(`<pool>: there are ${found.length} of "${word}"`, tableLines(columns, rows));
}

/** Parts per million as percent: 3000 is `0.3 %`. */
const feeText = (fee: number | null): string => (fee === null ? "" : `${formatUnits(BigInt(fee), 4)} %`);

const KINDS = { v3: "v3 pool", v2: "v2 pair", curve: "launch curve" } as const;

function linesOf({ facts, ...state }: Answered): string[] {
  const [market] = facts.markets.nodes;
  if (market === undefined) return [];
  const { address, protocol, fee, islands, token0Detail: token0, token1Detail: token1 } = market;
  const fees = fee === null ? "" : `, fee ${feeText(fee)}`;
  return [
    `${KINDS[protocol]} ${address}${fees}, at ${blockText(facts.markets.block)}`,
    ...[token0, token1].map(
      (token, at) =>
        `token${at}: ${tokenText(token)}, ${token.priceUSD === null ? "price not known" : `${token.priceUSD} USD`}`,
    ),
    ...stateLines(state, [token0, token1]),
    ...(islands.length > 0 ? [`islands: ${islands.join(", ")}`] : []),
    "",
    ...daysTable(market),
  ];
}

function daysTable({ series, token0Detail: token0, token1Detail: token1 }: DetailedMarket): string[] {
  const of = (raw: string | null, { decimals }: TokenDetail) =>
    raw === null ? "not known" : decimals === null ? `${raw} raw` : formatUnits(BigInt(raw), decimals);
  const right = (title: string) => ({ title, align: "right" }) as const;
  const [name0, name1] = [symbolOf(token0), symbolOf(token1)];
  return tableLines(
    [
      { title: "day" },
      right("trades"),
      ...["volume", "fees"].flatMap((what) => [right(`${what} ${name0}`), right(`${what} ${name1}`)]),
      right("volume USD"),
      right("TVL USD"),
    ],
    series.map((day) => [
      new Date(day.start * 1_000).toISOString().slice(0, 10),
      String(day.trades),
      of(day.volume0, token0),
      of(day.volume1, token1),
      of(day.fees0, token0),
      of(day.fees1, token1),
      day.volumeUSD ?? "not known",
      day.tvlUSD ?? "not known",
    ]),
  );
}
