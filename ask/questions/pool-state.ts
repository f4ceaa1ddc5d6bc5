// The state of a pool in lines, by its kind.
import { formatUnits } from "viem";
import { type NamedToken, symbolOf } from "../question.ts";

/** A token as a market names it. */
export type TokenDetail = NamedToken & { decimals: number | null; priceUSD: string | null };

/** Decimal places of prices, as in the product's own answers. */
const PRICE_DECIMALS = 36;

export const STATE_FIELDS = `
  pool(address: $pool, block: $block, chainId: $chainId) @include(if: $isV3) { sqrtPriceX96 tick liquidity }
  reserves: facts(block: $block, chainId: $chainId) @include(if: $isV2) {
    reserves(where: { pool: [$pool] }, first: 1) { nodes { reserve0 reserve1 } }
  }
  launch(address: $pool, block: $block, chainId: $chainId) @include(if: $isCurve) {
    price raisedDecimal totalRaiseDecimal progress graduated dexPair holdersCount
  }`;

export interface PoolState {
  pool?: { sqrtPriceX96: string | null; tick: number | null; liquidity: string | null };
  reserves?: { reserves: { nodes: { reserve0: string; reserve1: string }[] } };
  launch?: {
    price: string | null;
    raisedDecimal: string | null;
    totalRaiseDecimal: string | null;
    progress: number;
    graduated: boolean;
    dexPair: string | null;
    holdersCount: number | null;
  };
}

type Tokens = readonly [TokenDetail, TokenDetail];

export function stateLines({ pool, reserves, launch }: PoolState, tokens: Tokens): string[] {
  if (pool !== undefined) return v3Lines(pool, tokens);
  if (reserves !== undefined) return pairLines(reserves.reserves.nodes[0], tokens);
  return launch === undefined ? [] : curveLines(launch, tokens);
}

function v3Lines({ sqrtPriceX96, tick, liquidity }: NonNullable<PoolState["pool"]>, tokens: Tokens): string[] {
  if (sqrtPriceX96 === null) return ["no price yet: nobody has initialized it"];
  const root = BigInt(sqrtPriceX96);
  return [
    priceLine(priceText({ token1: root * root, token0: 2n ** 192n }, tokens), tokens),
    `tick ${tick}, liquidity ${liquidity}, sqrtPriceX96 ${sqrtPriceX96}`,
  ];
}

function pairLines(held: { reserve0: string; reserve1: string } | undefined, tokens: Tokens): string[] {
  const [reserve0, reserve1] = [BigInt(held?.reserve0 ?? 0), BigInt(held?.reserve1 ?? 0)];
  if (reserve0 === 0n) return ["empty: there is no price"];
  const [token0, token1] = tokens;
  return [
    priceLine(priceText({ token1: reserve1, token0: reserve0 }, tokens), tokens),
    `reserves ${wholeText(reserve0, token0)}, ${wholeText(reserve1, token1)}`,
  ];
}

function curveLines(launch: NonNullable<PoolState["launch"]>, tokens: Tokens): string[] {
  const { price, raisedDecimal, totalRaiseDecimal, progress, graduated, dexPair, holdersCount } = launch;
  const base = symbolOf(tokens[1]);
  return [
    priceLine(price ?? undefined, tokens),
    `raised ${raisedDecimal ?? "?"} of ${totalRaiseDecimal ?? "?"} ${base}, progress ${progress}, ${holdersCount ?? "?"} holders`,
    graduated ? `graduated${dexPair === null ? "" : ` into ${dexPair}`}` : "not graduated",
  ];
}

const wholeText = (raw: bigint, token: TokenDetail): string =>
  `${token.decimals === null ? `${raw} raw` : formatUnits(raw, token.decimals)} ${symbolOf(token)}`;

/** Whole token1 per whole token0 from raw amounts of both, rounded down; undefined without decimals. */
function priceText(raw: { token1: bigint; token0: bigint }, [token0, token1]: Tokens): string | undefined {
  if (token0.decimals === null || token1.decimals === null) return undefined;
  const scaled = raw.token1 * 10n ** BigInt(token0.decimals + PRICE_DECIMALS);
  return formatUnits(scaled / (raw.token0 * 10n ** BigInt(token1.decimals)), PRICE_DECIMALS);
}

const priceLine = (price: string | undefined, [token0, token1]: Tokens): string =>
  price === undefined ? "price not known" : `price ${price} ${symbolOf(token1)} per ${symbolOf(token0)}`;
