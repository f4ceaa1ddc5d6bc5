// What both quote routes have in the OpenAPI document.
import { z } from "@hono/zod-openapi";
import { LONGEST_DEADLINE, quoteRequest } from "../../router/quote-request.ts";
import { CHAIN_ID_DIGITS } from "../url-parameters.ts";
import { addressText, integer } from "./parts.ts";

export const hexText = z.string().regex(/^0x[0-9a-f]*$/);

export const unsynced = integer(
  "Raw units that a v2 pair holds beyond its reserve, where it does: a swap that sells the token counts them as sold",
).optional();

/** A token of a hop, under the name that it has in the document. */
export const hopToken = (name: string) =>
  z
    .object({
      chainId: z.number().int(),
      decimals: z.string().nullable(),
      address: addressText,
      symbol: z.string().nullable(),
    })
    .openapi(name);

export const deadline = (what: string) =>
  z.int().min(1).max(LONGEST_DEADLINE).optional().describe(`${what}; 1800 without it`);

export const quoteFields = quoteRequest.shape;
const tokenText = "An address; for the native coin its symbol, ETH, or the zero address";
const tokenChain = z.string().regex(CHAIN_ID_DIGITS).describe("The same for both tokens");

/** What to swap. */
export const swapQuery = {
  tokenInAddress: quoteFields.tokenInAddress.describe(tokenText),
  tokenInChainId: tokenChain,
  tokenOutAddress: quoteFields.tokenOutAddress.describe(tokenText),
  tokenOutChainId: tokenChain,
  amount: quoteFields.amount.describe("Raw units: sold for exactIn, bought for exactOut"),
  type: quoteFields.type,
};

/** Who gets it, and what may be lost on the way. */
export const receiverQuery = {
  recipient: quoteFields.recipient.describe("Who gets the output"),
  slippageTolerance: quoteFields.slippageTolerance.describe("Percent from 0 to 50, such as 0.5"),
};
