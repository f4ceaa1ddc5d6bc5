// What is asked of the aggregator: every parameter checked, and refused by its name. Both skins hand over text.
import type { ChainFile } from "../../chains/chain-file.ts";
import { percentFraction } from "../../core/aggregator/percent.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import { allProtocols, type Protocol, type TradeType } from "../../core/router/request.ts";
import { InvalidInputError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import { tokenChoice } from "../router/native-token.ts";
import { type QuoteRequest, quoteRequestOf } from "../router/quote-request.ts";
import { providerNamed } from "./registry.ts";

/** The parameters there are, in the order in which answers repeat them. */
export const quoteParameters = [
  ...["tokenInAddress", "tokenInChainId", "tokenOutAddress", "tokenOutChainId", "amount", "type", "protocols"],
  ...["refCode", "referrerFeeBps", "recipient", "slippageTolerance", "deadline", "providers", "debug"],
] as const;

/** As sent; what was not sent, or is empty, is undefined. */
export type QuoteParameters = Readonly<Record<string, string | undefined>>;

export interface QuoteInput {
  /** As sent, for the answer's `params`. */
  sent: QuoteParameters;
  /** The part that the own router knows too. */
  request: QuoteRequest;
  tokenIn: Address;
  isNativeIn: boolean;
  tokenOut: Address;
  isNativeOut: boolean;
  amount: bigint;
  type: TradeType;
  /** Of the own router's legs. */
  protocols: readonly Protocol[];
  refCode: number;
  referrerFeeBps: number;
  recipient: Address | undefined;
  slippage: Fraction | undefined;
  deadlineSeconds: number;
  /** Names as the chain file writes them; all of them when the asker names none. */
  providers: readonly string[];
  debug: boolean;
}

/** Names in `providers`; there are far fewer. */
export const MOST_PROVIDERS = 100;
export const MOST_REF_CODE = 65_535;
/** Characters of a wrong name that the refusal repeats. */
const MOST_SHOWN = 60;

/** Codes and their caps are in the chain file. */
function readReferral(
  sent: QuoteParameters,
  { referralCodes }: ChainFile,
): { refCode: number; referrerFeeBps: number } {
  const { refCode: codeText, referrerFeeBps: feeText } = sent;
  if (codeText === undefined) {
    if (feeText !== undefined) throw new InvalidInputError("referrerFeeBps", "needs a refCode");
    return { refCode: 0, referrerFeeBps: 0 };
  }
  const refCode = /^\d{1,5}$/.test(codeText) ? Number(codeText) : MOST_REF_CODE + 1;
  if (refCode > MOST_REF_CODE)
    throw new InvalidInputError("refCode", `must be a whole number from 0 to ${MOST_REF_CODE}`);
  const registered = referralCodes.find(({ code }) => code === refCode);
  if (!registered) {
    const codes = referralCodes.map(({ code }) => code);
    const there = codes.length === 0 ? "no code is" : `there are ${codes.join(", ")}`;
    throw new InvalidInputError("refCode", `${refCode} is not registered; ${there}`, { refCodes: codes });
  }
  if (feeText === undefined) return { refCode, referrerFeeBps: 0 };
  if (!/^\d{1,9}$/.test(feeText)) throw new InvalidInputError("referrerFeeBps", "must be basis points in digits");
  const { maxFeeBps } = registered;
  if (Number(feeText) > maxFeeBps)
    throw new InvalidInputError("referrerFeeBps", `must be at most ${maxFeeBps} with refCode ${refCode}`, {
      maxFeeBps,
    });
  return { refCode, referrerFeeBps: Number(feeText) };
}

function readProviders({ providers: text }: QuoteParameters, chain: ChainFile): string[] {
  const listed = chain.providers.map(({ name }) => name);
  if (text === undefined) return listed;
  const names = text.split(",");
  if (names.length > MOST_PROVIDERS)
    throw new InvalidInputError("providers", `must be at most ${MOST_PROVIDERS} names`);
  const requested = names.map((one) => {
    const wanted = (providerNamed(one)?.name ?? one).trim().toLowerCase();
    const name = listed.find((candidate) => candidate.toLowerCase() === wanted);
    if (name !== undefined) return name;
    const problem = `there is no provider ${JSON.stringify(one.slice(0, MOST_SHOWN))}; there are ${listed.join(", ")}`;
    throw new InvalidInputError("providers", problem, { providers: listed });
  });
  return listed.filter((name) => requested.includes(name));
}

function readDebug({ debug = "false" }: QuoteParameters): boolean {
  if (!/^(?:true|false|1|0)$/i.test(debug)) throw new InvalidInputError("debug", "must be true or false");
  return /^(?:true|1)$/i.test(debug);
}

/** @throws InvalidInputError naming the parameter */
export function readQuoteInput(given: QuoteParameters, chain: ChainFile): QuoteInput {
  const sent = Object.fromEntries(quoteParameters.map((name) => [name, given[name] === "" ? undefined : given[name]]));
  const request = quoteRequestOf(sent);
  const input = tokenChoice(request.tokenInAddress, chain, "tokenInAddress");
  const output = tokenChoice(request.tokenOutAddress, chain, "tokenOutAddress");
  if (input.address === output.address && input.isNative === output.isNative)
    throw new InvalidInputError("tokenOutAddress", "is the token that is paid with; name another one");
  const referral = readReferral(sent, chain);
  if (request.type === "exactOut" && referral.referrerFeeBps > 0)
    throw new InvalidInputError("referrerFeeBps", "is a share of the output, which exactOut fixes; use exactIn");
  const { amount, type, recipient, slippageTolerance } = request;
  return {
    sent,
    request,
    amount,
    type,
    recipient,
    tokenIn: input.address,
    isNativeIn: input.isNative,
    tokenOut: output.address,
    isNativeOut: output.isNative,
    protocols: request.protocols ?? allProtocols,
    ...referral,
    slippage: slippageTolerance === undefined ? undefined : percentFraction(slippageTolerance),
    deadlineSeconds: request.deadline,
    providers: readProviders(sent, chain),
    debug: readDebug(sent),
  };
}
