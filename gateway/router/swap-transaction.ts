// The transaction that executes a route: one multicall of SwapRouter02, legs in the order in which they were quoted.
import { concatHex, type Hex, numberToHex, size } from "viem";
import type { Hop, Leg, Route } from "../../core/router/route.ts";
import type { Address } from "../parameters.ts";
import { callEncoder } from "./encode-call.ts";
import { swapRouterAbi } from "./swap-router-abi.ts";

const encodeCall = callEncoder(swapRouterAbi);

export interface SwapTransaction {
  calldata: Hex;
  /** Native coin to send along, a hex quantity. */
  value: Hex;
  to: Address;
}

export interface SwapTerms {
  recipient: Address;
  /** What the whole swap must pay at least (`exactIn`), or may take at most (`exactOut`). */
  limit: bigint;
  /** Unix seconds; a later block refuses the transaction. */
  deadline: bigint;
  /** The native coin is sent along in place of the route's first token, which is the wrapped one. */
  isNativeIn?: boolean;
  /** The recipient gets the native coin in place of the route's last token, which is the wrapped one. */
  isNativeOut?: boolean;
}

/** SwapRouter02 reads this recipient as itself. */
const ROUTER_ITSELF: Address = "0x0000000000000000000000000000000000000002";
/** SwapRouter02 reads this amount as all that it holds of the token. */
const ALL_IT_HOLDS = 0n;
const NO_PRICE_LIMIT = 0n;

export function swapTransaction(route: Route, router: Address, terms: SwapTerms): SwapTransaction {
  const calls = route.type === "exactIn" ? exactInCalls(route, terms) : exactOutCalls(route, terms);
  if (terms.isNativeIn) calls.push(encodeCall("refundETH", []));
  const spent = route.type === "exactIn" ? route.amountIn : terms.limit;
  return multicall(calls, { router, deadline: terms.deadline, value: terms.isNativeIn ? spent : 0n });
}

/** Wraps or unwraps one for one, for any recipient. */
export function wrapTransaction(
  { wrapped, amount, isWrapping }: { wrapped: Address; amount: bigint; isWrapping: boolean },
  router: Address,
  terms: Pick<SwapTerms, "recipient" | "deadline">,
): SwapTransaction {
  const take = isWrapping ? encodeCall("wrapETH", [amount]) : encodeCall("pull", [wrapped, amount]);
  const pay = isWrapping
    ? sweep(wrapped, { ...terms, limit: amount })
    : payOut(wrapped, { ...terms, limit: amount, isNativeOut: true });
  return multicall([take, pay], { router, deadline: terms.deadline, value: isWrapping ? amount : 0n });
}

function multicall(
  calls: readonly Hex[],
  { router, deadline, value }: { router: Address; deadline: bigint; value: bigint },
): SwapTransaction {
  const calldata = encodeCall("multicall", [deadline, calls]);
  return { calldata, value: numberToHex(value), to: router };
}

/** The minimum applies to the whole: several legs pay into the router, which pays out once. */
function exactInCalls({ legs }: Route, terms: SwapTerms): Hex[] {
  const [only] = legs;
  if (only && legs.length === 1 && !terms.isNativeOut)
    return legCalls(only, { recipient: terms.recipient, minimum: terms.limit, finder: terms.recipient });
  const gathered = legs.flatMap((leg) =>
    legCalls(leg, { recipient: ROUTER_ITSELF, minimum: 0n, finder: terms.recipient }),
  );
  return [...gathered, payOut(lastToken(legs), terms)];
}

interface LegTerms {
  recipient: Address;
  minimum: bigint;
  /** Receives the router's leftover of tokens that the leg passes there. */
  finder: Address;
}

/**
 * Runs of v3 pools and of v2 pairs take turns; between them the router holds what came out, and sells all that it holds.
 * Tokens that lay there before are swept first: sold along, they would move pools away from the state that the next leg was
 * quoted at.
 */
function legCalls(leg: Leg, { recipient, minimum, finder }: LegTerms): Hex[] {
  const sections = sectionsOf(leg.hops);
  const cleared = sections.slice(1).map(([{ tokenIn }]) => sweep(tokenIn as Address, { limit: 0n, recipient: finder }));
  const swaps = sections.map((hops, i) => {
    const isLast = i === sections.length - 1;
    return sectionCall(hops, {
      amountIn: i === 0 ? leg.amountIn : ALL_IT_HOLDS,
      minimum: isLast ? minimum : 0n,
      recipient: isLast ? recipient : ROUTER_ITSELF,
    });
  });
  return [...cleared, ...swaps];
}

function sectionsOf(hops: readonly Hop[]): [Hop, ...Hop[]][] {
  const sections: [Hop, ...Hop[]][] = [];
  for (const hop of hops) {
    const open = sections.at(-1);
    if (open && open[0].pool.kind === hop.pool.kind) open.push(hop);
    else sections.push([hop]);
  }
  return sections;
}

function sectionCall(
  hops: readonly [Hop, ...Hop[]],
  { amountIn, minimum, recipient }: { amountIn: bigint; minimum: bigint; recipient: Address },
): Hex {
  const [first] = hops;
  if (first.pool.kind === "v2")
    return encodeCall("swapExactTokensForTokens", [amountIn, minimum, tokensOf(hops), recipient]);
  if (hops.length > 1)
    return encodeCall("exactInput", [{ path: pathOf(hops), recipient, amountIn, amountOutMinimum: minimum }]);
  return encodeCall("exactInputSingle", [
    { ...ends(first), recipient, amountIn, amountOutMinimum: minimum, sqrtPriceLimitX96: NO_PRICE_LIMIT },
  ]);
}

/** Each leg may take its part of the whole maximum, the last one what is left: together never more. */
function exactOutCalls(route: Route, terms: SwapTerms): Hex[] {
  const { legs } = route;
  const recipient = terms.isNativeOut ? ROUTER_ITSELF : terms.recipient;
  let rest = terms.limit;
  const calls = legs.map((leg, i) => {
    const part = (leg.amountIn * terms.limit) / route.amountIn;
    const maximum = i === legs.length - 1 ? rest : part;
    rest -= maximum;
    return exactOutCall(leg, { recipient, maximum });
  });
  return terms.isNativeOut ? [...calls, payOut(lastToken(legs), { ...terms, limit: route.amountOut })] : calls;
}

function exactOutCall(leg: Leg, { recipient, maximum }: { recipient: Address; maximum: bigint }): Hex {
  const { hops, amountOut } = leg;
  const [first] = hops;
  if (!first || sectionsOf(hops).length > 1) throw new Error("a leg for a fixed output passes pools of one kind");
  if (first.pool.kind === "v2")
    return encodeCall("swapTokensForExactTokens", [amountOut, maximum, tokensOf(hops), recipient]);
  if (hops.length > 1)
    return encodeCall("exactOutput", [{ path: backwardPathOf(hops), recipient, amountOut, amountInMaximum: maximum }]);
  return encodeCall("exactOutputSingle", [
    { ...ends(first), recipient, amountOut, amountInMaximum: maximum, sqrtPriceLimitX96: NO_PRICE_LIMIT },
  ]);
}

function payOut(token: Address, terms: Pick<SwapTerms, "recipient" | "limit" | "isNativeOut">): Hex {
  if (!terms.isNativeOut) return sweep(token, terms);
  return encodeCall("unwrapWETH9", [terms.limit, terms.recipient]);
}

const sweep = (token: Address, { limit, recipient }: Pick<SwapTerms, "recipient" | "limit">): Hex =>
  encodeCall("sweepToken", [token, limit, recipient]);

function lastToken(legs: readonly Leg[]): Address {
  const last = legs[0]?.hops.at(-1);
  if (!last) throw new Error("a route has at least one leg of at least one hop");
  return last.tokenOut as Address;
}

const ends = ({ pool, tokenIn, tokenOut }: Hop) => ({
  tokenIn: tokenIn as Address,
  tokenOut: tokenOut as Address,
  fee: pool.fee,
});

const tokensOf = (hops: readonly [Hop, ...Hop[]] | readonly Hop[]): Address[] => [
  ...hops.slice(0, 1).map(({ tokenIn }) => tokenIn as Address),
  ...hops.map(({ tokenOut }) => tokenOut as Address),
];

const feeBytes = ({ pool }: Hop): Hex => numberToHex(pool.fee, { size: 3 });

/** Token, fee, token, … */
const pathOf = (hops: readonly Hop[]): Hex =>
  hops.reduce<Hex>(
    (path, hop) => concatHex([size(path) === 0 ? (hop.tokenIn as Hex) : path, feeBytes(hop), hop.tokenOut as Hex]),
    "0x",
  );

/** The same from the last token to the first, as `exactOutput` takes it. */
const backwardPathOf = (hops: readonly Hop[]): Hex =>
  [...hops]
    .reverse()
    .reduce<Hex>(
      (path, hop) => concatHex([size(path) === 0 ? (hop.tokenOut as Hex) : path, feeBytes(hop), hop.tokenIn as Hex]),
      "0x",
    );
