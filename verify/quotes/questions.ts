// Random questions to the router: every pool in both directions, amounts from a wei to half of what a pool holds.
import type { Address } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { Pool, Step } from "../../core/router/pool.ts";
import { tokenOutOf } from "../../core/router/pool.ts";
import type { TradeType } from "../../core/router/request.ts";
import type { QuoteRequest } from "../../gateway/router/quote-request.ts";
import type { RouterState } from "../../gateway/router/router-state.ts";
import type { PathQuestion } from "./quoters.ts";

export type Random = () => number;

/** What questions can be about. */
export type Market = Pick<RouterState, "pools" | "taxed">;

export const pickOne = <T>(random: Random, list: readonly T[]): T | undefined =>
  list[Math.floor(random() * list.length)];

/** About what a pool holds of a token, near its price. */
export function depthOf(pool: Pool, token: string): bigint {
  const isZero = pool.token0 === token;
  if (pool.kind === "v2") return isZero ? pool.reserve0 : pool.reserve1;
  if (pool.sqrtPriceX96 === 0n) return 0n;
  return isZero ? (pool.liquidity << 96n) / pool.sqrtPriceX96 : (pool.liquidity * pool.sqrtPriceX96) >> 96n;
}

/** Log-uniform from 10^-9 of the depth to `most` of it; sometimes a few wei. */
export function amountOf(random: Random, depth: bigint, most: number): bigint {
  if (random() < 0.05) return BigInt(1 + Math.floor(random() * 1_000));
  const part = most * 10 ** (-9 * random() ** 2);
  const amount = (depth * BigInt(Math.round(part * 1e15))) / 10n ** 15n;
  return amount > 0n ? amount : 1n;
}

/** Which network's pools a path may pass: v3 pools of one factory, and pairs. */
const reachable = ({ pools, taxed }: Market, factory: Address): Pool[] =>
  [...pools.values()]
    .filter((placed) => placed.factory === undefined || placed.factory === factory)
    .map(({ pool }) => pool)
    .filter(({ token0, token1 }) => !taxed.has(token0 as Address) && !taxed.has(token1 as Address));

/** One to three pools in a row, no token twice. */
export function randomPath(random: Random, state: Market, { v3 }: Pick<ChainFile, "v3">): PathQuestion | undefined {
  const deployment = pickOne(random, v3?.deployments ?? []);
  if (!deployment) return undefined;
  const factory = deployment.factory.address;
  const pools = reachable(state, factory);
  const wanted = pickOne(random, [1, 1, 2, 2, 3]) ?? 1;
  const path: Step[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < wanted; i++) {
    const last = path.at(-1);
    const step = nextStep(random, pools, { from: last && tokenOutOf(last), seen });
    if (!step) break;
    seen.add(step.tokenIn);
    path.push(step);
  }
  const [first, last] = [path[0], path.at(-1)];
  if (!first || !last) return undefined;
  const kinds = new Set(path.map(({ pool }) => pool.kind));
  const type: TradeType = kinds.size === 1 && random() < 0.5 ? "exactOut" : "exactIn";
  const amount =
    type === "exactIn"
      ? amountOf(random, depthOf(first.pool, first.tokenIn), 0.5)
      : amountOf(random, depthOf(last.pool, tokenOutOf(last)), 0.3);
  return { path, amount, type, factory };
}

function nextStep(
  random: Random,
  pools: readonly Pool[],
  { from, seen }: { from: string | undefined; seen: ReadonlySet<string> },
): Step | undefined {
  const steps = pools
    .flatMap((pool) => [pool.token0, pool.token1].map((tokenIn): Step => ({ pool, tokenIn })))
    .filter((step) => (from === undefined || step.tokenIn === from) && !seen.has(tokenOutOf(step)));
  return pickOne(random, steps);
}

export const PROTOCOLS: readonly (QuoteRequest["protocols"] | undefined)[] = [
  undefined,
  undefined,
  ["v2", "v3", "mixed"],
  ["v2"],
  ["v3"],
  ["v2", "v3"],
  ["mixed"],
];

/** A question as a client asks it, with a recipient: tokens of random pools, the native coin now and then. */
export function randomRequest(
  random: Random,
  state: RouterState,
  { chain, recipient }: { chain: ChainFile; recipient: Address },
): QuoteRequest | undefined {
  const pools = [...state.pools.values()].map(({ pool }) => pool);
  const [sold, bought] = [pickOne(random, pools), pickOne(random, pools)];
  if (!sold || !bought) return undefined;
  const tokenIn = random() < 0.5 ? sold.token0 : sold.token1;
  const others = [bought.token0, bought.token1].filter((token) => token !== tokenIn || random() < 0.02);
  const tokenOut = pickOne(random, others) ?? bought.token0;
  const type: TradeType = random() < 0.35 ? "exactOut" : "exactIn";
  const protocols = pickOne(random, PROTOCOLS);
  const isMixed = protocols?.length === 1 && protocols[0] === "mixed";
  const native = chain.wrappedNative.address;
  const named = (token: string) => (token === native && random() < 0.5 ? chain.nativeSymbol : token);
  return {
    tokenInAddress: named(tokenIn),
    tokenOutAddress: named(tokenOut),
    amount:
      type === "exactIn"
        ? amountOf(random, depthOf(sold, tokenIn), 0.6)
        : amountOf(random, depthOf(bought, tokenOut), 0.4),
    type,
    ...(protocols && !(isMixed && type === "exactOut") ? { protocols } : {}),
    recipient,
    slippageTolerance: pickOne(random, ["0", "0.1", "0.5", "1", "5"]) ?? "1",
    deadline: 86_400,
  };
}
