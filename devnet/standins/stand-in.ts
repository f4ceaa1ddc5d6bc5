// What all stand-ins for outside swap services share: the form of questions, where prices come from, and the ways in which
// they can fail.
import { type Address, encodeFunctionData, type Hex } from "viem";
import { swapExecutorAbi } from "../artifacts/abis.ts";
import { exactNumber } from "./raw-json.ts";

/** How a stand-in behaves; with `ok` as the real service does when it works. */
export type Mode =
  | "ok"
  | "slow"
  | "hang"
  | "busy"
  | "broken"
  | "malformed"
  | "refusing"
  | "no-route"
  | "partial"
  | "numbers"
  | "wrong-target"
  | "reverting"
  | "underpaying"
  | "spoofing";

export const modes: readonly Mode[] = [
  ...(["ok", "slow", "hang", "busy", "broken", "malformed", "refusing", "no-route", "partial"] as const),
  ...(["numbers", "wrong-target", "reverting", "underpaying", "spoofing"] as const),
];

export interface SwapAsk {
  tokenIn: Address;
  tokenOut: Address;
  /** Amount of tokenIn; with `isExactOut` of tokenOut. */
  amount: bigint;
  isExactOut?: boolean;
}

export interface PricedHop {
  pool: Address;
  tokenIn: Address;
  tokenOut: Address;
  exchange: string;
  fee: number;
}

/** What the pools of the chain give, worked out by our own router. */
export interface Priced {
  /** Output, or with `isExactOut` the input needed. */
  amount: bigint;
  gas: bigint;
  paths: readonly { hops: readonly PricedHop[]; amountIn: bigint; amountOut: bigint }[];
  /** A call that swaps the amount from the executor for the executor. */
  call: { router: Address; data: Hex } | undefined;
}

/** Undefined: no path takes the amount. */
export type Pricer = (ask: SwapAsk) => Promise<Priced | undefined>;

export interface StandInRequest {
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | undefined>>;
  /** The posted body, as it arrived and parsed. */
  text: string;
  body: unknown;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body: unknown;
}

/** Settings for a stand-in's answers. */
export interface Desk {
  mode: Mode;
  /** The contract that its transactions call. */
  executor: Address;
  /** It promises this many hundredths of a percent of our router's output. */
  factorBps: number;
  price: Pricer;
}

/** One service: which paths it has and what it answers there. Undefined: no such path. */
export interface StandIn {
  name: string;
  /** What its URL in the gateway's environment ends with. */
  basePath: string;
  answer(request: StandInRequest, desk: Desk): Promise<Reply | undefined>;
}

const SPOOF_FACTOR = 3n;
const UNDERPAID_PERCENT = 80n;

/** What it says it pays for `amountOut` of the pools. */
export const promised = (amountOut: bigint, { mode, factorBps }: Desk): bigint =>
  ((amountOut * BigInt(factorBps)) / 10_000n) * (mode === "spoofing" ? SPOOF_FACTOR : 1n);

/** What its calldata pays when it promises `amount`. */
const paid = (amount: bigint, { mode }: Desk): bigint =>
  mode === "underpaying" ? (amount * UNDERPAID_PERCENT) / 100n : amount;

/** An amount as JSON: text, or with `numbers` a number of all its digits or in scientific notation. */
export function amountJson(amount: bigint, { mode }: Desk): unknown {
  if (mode !== "numbers") return String(amount);
  const digits = String(amount);
  const zeros = /0*$/.exec(digits)?.[0].length ?? 0;
  if (zeros < 3) return exactNumber(digits);
  const head = digits.slice(0, digits.length - zeros);
  const fraction = head.length > 1 ? `.${head.slice(1)}` : "";
  return exactNumber(`${head.slice(0, 1)}${fraction}e${digits.length - 1}`);
}

/** The target of a transaction: with `wrong-target` the token that is sold. */
export const targetOf = ({ tokenIn }: Pick<SwapAsk, "tokenIn">, { mode, executor }: Desk): Address =>
  mode === "wrong-target" ? tokenIn : executor;

/** Calldata that makes the executor swap for `receiver`. */
export function callData(ask: SwapAsk, priced: Priced, terms: { promise: bigint; receiver: Address; desk: Desk }): Hex {
  const { promise, receiver, desk } = terms;
  // a function that the executor does not have
  if (desk.mode === "reverting" || !priced.call) return "0xdeadbeef";
  const order = {
    tokenIn: ask.tokenIn,
    amountIn: ask.amount,
    router: priced.call.router,
    data: priced.call.data,
    tokenOut: ask.tokenOut,
    amountOut: paid(promise, desk),
    receiver,
  };
  return encodeFunctionData({ abi: swapExecutorAbi, functionName: "execute", args: [order] });
}

/** A query parameter; the service refuses the request without it. */
export class MissingParameterError extends Error {
  override name = "MissingParameterError";
}

export function needed(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null || value === "") throw new MissingParameterError(name);
  return value;
}

export const neededAddress = (query: URLSearchParams, name: string): Address => {
  const value = needed(query, name);
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) throw new MissingParameterError(name);
  return value.toLowerCase() as Address;
};

export const neededAmount = (query: URLSearchParams, name: string): bigint => {
  const value = needed(query, name);
  if (!/^[1-9]\d*$/.test(value)) throw new MissingParameterError(name);
  return BigInt(value);
};
