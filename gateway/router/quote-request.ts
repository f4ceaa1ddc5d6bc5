// The parameters of a router quote, as both skins name them.
import { maxUint256 } from "viem";
import { z } from "zod";
import { allProtocols } from "../../core/router/request.ts";
import { address, orMissing, parseInput } from "../parameters.ts";

const AMOUNT = "must be a whole number of the token's smallest unit in digits, from 1 to 2^256 - 1";
const TYPE = "must be exactIn or exactOut";
const SLIPPAGE = "must be percent from 0 to 50, e.g. 0.5";
const DEADLINE = "must be a whole number of seconds from 1 to 86400";
export const LONGEST_DEADLINE = 86_400;
const USUAL_DEADLINE = 1_800;
const PROTOCOLS = `must be some of ${allProtocols.join(", ")}`;

const tokenText = z
  .string("is missing; give a token's address, or the native coin's symbol")
  .min(1, "is missing; give a token's address, or the native coin's symbol")
  .max(100, "is too long for a token's address");

/** SwapRouter02 reads the first two addresses as the sender and itself; the zero address would lose what it is sent. */
const recipient = address.refine((value) => BigInt(value) > 2n, "must be an account: tokens sent there would be lost");

/** A number would round 50.000000000000000001 to 50. */
const slippage = z.string(SLIPPAGE).regex(/^([0-4]?\d(\.\d{1,18})?|50(\.0{1,18})?)$/, SLIPPAGE);

export const quoteRequest = z.object({
  tokenInAddress: tokenText,
  tokenOutAddress: tokenText,
  amount: z
    .string(orMissing(AMOUNT))
    .regex(/^\d{1,78}$/, AMOUNT)
    .transform(BigInt)
    .refine((amount) => amount > 0n && amount <= maxUint256, AMOUNT),
  type: z.enum(["exactIn", "exactOut"], orMissing(TYPE)),
  protocols: z
    .array(z.enum(allProtocols, PROTOCOLS), PROTOCOLS)
    .min(1, PROTOCOLS)
    .transform((protocols) => [...new Set(protocols)])
    .optional(),
  recipient: recipient.optional(),
  slippageTolerance: slippage.optional(),
  /** Seconds. */
  deadline: z
    .union([z.number(), z.string().regex(/^\d{1,5}$/, DEADLINE)], DEADLINE)
    .transform(Number)
    .pipe(z.int(DEADLINE).min(1, DEADLINE).max(LONGEST_DEADLINE, DEADLINE))
    .default(USUAL_DEADLINE),
});

export type QuoteRequest = z.output<typeof quoteRequest>;

/**
 * A request of texts, as a URL has them: an empty one was not sent, protocols stand between commas, in any case.
 * @throws InvalidInputError naming the parameter
 */
export function quoteRequestOf(texts: Readonly<Record<string, string | undefined>>): QuoteRequest {
  const sent = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
  const protocols = sent.protocols?.split(",").map((one) => one.trim().toLowerCase());
  return parseInput(quoteRequest, { ...sent, protocols });
}
