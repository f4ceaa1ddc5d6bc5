// The way a swap goes: our own routes as they are, others' as far as their providers show them.
import type { Pool } from "../../core/router/pool.ts";
import type { Leg } from "../../core/router/route.ts";
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import { routeText } from "../router/route-text.ts";
import { routeTokens, storedRouteToken } from "../router/route-tokens.ts";
import type { RouteToken } from "../router/router-state.ts";
import type { Market } from "./market.ts";
import type { Offer } from "./offers.ts";
import { withOwnSnapshot } from "./own-snapshot.ts";
import type { ProviderHop, ProviderPath } from "./provider.ts";
import type { QuoteInput } from "./quote-input.ts";

/** A pool on a provider's way; `pool` where we index it, with its state at the quote's block. */
interface ForeignHop extends ProviderHop {
  indexed: Pool | undefined;
}

export type ShownPath =
  | { kind: "own"; leg: Leg }
  | { kind: "foreign"; hops: readonly ForeignHop[]; amountIn: bigint | undefined; amountOut: bigint | undefined };

export interface ShownRoute {
  /** Empty when the provider shows no paths. */
  paths: readonly ShownPath[];
  tokens: ReadonlyMap<Address, RouteToken>;
  /** One line. */
  text: string;
}

interface Described {
  input: QuoteInput;
  market: Market;
  winner: Offer;
}

export async function describeRoute(context: OperationContext, described: Described): Promise<ShownRoute> {
  const { market, winner } = described;
  const { own } = market;
  if (winner.name === context.chain.ownRouterName && own) {
    const { legs } = own.route;
    return {
      paths: legs.map((leg) => ({ kind: "own", leg })),
      tokens: own.tokens,
      text: routeText(legs, own.tokens),
    };
  }
  const { paths } = winner.answer;
  const isShown = paths.length > 0 && paths.every((path) => isOfSwap(path, described.input));
  if (!isShown) return { paths: [], tokens: new Map(), text: `[${winner.name}]` };
  const { pools } = market.place.state;
  const shown = paths.map(({ hops, amountIn, amountOut }) => ({
    kind: "foreign" as const,
    hops: hops.map((hop) => ({ ...hop, indexed: poolOf(pools.get(hop.pool)?.pool, hop) })),
    amountIn,
    amountOut,
  }));
  const tokens = await tokensOf(context, { market, paths });
  return { paths: shown, tokens, text: foreignText(shown, tokens, described) };
}

/** Whether its pools lead from what is sold to what is bought. */
const isOfSwap = ({ hops }: ProviderPath, { tokenIn, tokenOut }: QuoteInput): boolean =>
  hops.at(-1)?.tokenOut === tokenOut &&
  hops.every((hop, place) => hop.tokenIn === (hops[place - 1]?.tokenOut ?? tokenIn));

/** A provider may name our pool for a swap that it does not make. */
const poolOf = (pool: Pool | undefined, { tokenIn, tokenOut }: ProviderHop): Pool | undefined => {
  const has = (token: Address) => pool !== undefined && (pool.token0 === token || pool.token1 === token);
  return has(tokenIn) && has(tokenOut) ? pool : undefined;
};

/** Mostly known already; the rest is read again. */
async function tokensOf(
  context: OperationContext,
  { market, paths }: { market: Market; paths: readonly ProviderPath[] },
): Promise<ReadonlyMap<Address, RouteToken>> {
  const { place, tokenIn, tokenOut } = market;
  const addresses = [...new Set(paths.flatMap(({ hops }) => hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut])))];
  const tokens = new Map<Address, RouteToken>();
  for (const token of [tokenIn, tokenOut]) if (!token.isUnread) tokens.set(token.address, token);
  for (const address of addresses) {
    const token = tokens.get(address) ?? storedRouteToken(place, address);
    if (token) tokens.set(address, token);
  }
  const missing = addresses.filter((address) => !tokens.has(address));
  if (missing.length === 0) return tokens;
  return withOwnSnapshot(context, async (own) => {
    await own.snapshot.open();
    return new Map([...tokens, ...(await routeTokens(own, place, missing))]);
  });
}

/** `[OogaBooga] 100.00% = A -- 0.3% [0xpool] --> B`; without the fee where it is unknown. */
function foreignText(
  paths: readonly Extract<ShownPath, { kind: "foreign" }>[],
  tokens: ReadonlyMap<Address, RouteToken>,
  { input, winner }: Described,
): string {
  const nameOf = (token: Address) => tokens.get(token)?.symbol ?? token;
  const shares = sharesOf(paths, input);
  return paths
    .map(({ hops }, place) => {
      const start = hops.slice(0, 1).map(({ tokenIn }) => nameOf(tokenIn));
      const steps = hops.map((hop) => ` -- ${feeText(hop)}[${hop.pool}] --> ${nameOf(hop.tokenOut)}`);
      return `[${winner.name}] ${shares[place] ?? ""}${[...start, ...steps].join("")}`;
    })
    .join(", ");
}

/** Hundredths of a percent; the last path takes what rounding left over. Empty where a path's amount is unknown, or they are too much. */
function sharesOf(paths: readonly { amountIn: bigint | undefined }[], { amount, type }: QuoteInput): string[] {
  if (type !== "exactIn" || paths.some(({ amountIn }) => amountIn === undefined)) return [];
  const shares = paths.map(({ amountIn = 0n }) => Number((amountIn * 10_000n) / amount));
  const rest = 10_000 - shares.reduce((sum, share) => sum + share, 0);
  if (rest < 0) return [];
  return shares.map((share, place) => {
    const whole = place === shares.length - 1 ? share + rest : share;
    return `${(whole / 100).toFixed(2)}% = `;
  });
}

const feeText = ({ fee, indexed }: ForeignHop): string => {
  const shownFee = indexed?.fee ?? fee;
  return shownFee === undefined ? "" : `${shownFee / 10_000}% `;
};
