// What several routes of the OpenAPI document share.
import { z } from "@hono/zod-openapi";

export const addressText = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
export const chainId = z.string().optional().describe("Chain id; without it the first chain served.");
export const rawAmount = (what: string) =>
  z
    .string()
    .regex(/^-?\d+$/)
    .describe(`${what}, raw units`);
export const decimalAmount = z.string().nullable().describe("The same in whole tokens, exact; null without decimals");

const seconds = z.string().regex(/^\d+$/).optional();
export const timestamp = seconds.describe("Instead of the number: the last block at or before this time, Unix seconds");

export const format = z
  .enum(["json", "ndjson", "csv"])
  .optional()
  .describe("ndjson: a row's object per line; csv: a header and a row per line. Exact numbers, no exponents");

export const failure = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }),
  })
  .openapi("Error");

export const json = <T extends z.ZodType>(schema: T, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

/** JSON, and the same rows as lines. */
export const rows = <T extends z.ZodType>(schema: T, description: string) => ({
  description,
  content: {
    "application/json": { schema },
    "application/x-ndjson": { schema: z.string() },
    "text/csv": { schema: z.string() },
  },
});

export const validatorHeaders = {
  ETag: z.string().describe("Send it back in If-None-Match: 304 when the answer is still this one"),
  "X-Block-Number": z.string().describe("The block answered; of a range the last one"),
};

export const notModified = { description: "If-None-Match names this answer" };

export const refusals = {
  400: json(failure, "A parameter is malformed, missing or out of range; the message names it"),
  503: json(failure, "Not answerable yet; see Retry-After"),
};

export const tokenRefusals = {
  ...refusals,
  404: json(failure, "TOKEN_NOT_TRACKED: no event of the token is recorded"),
  409: json(failure, "TOKEN_NOT_STANDARD: its balances cannot be told"),
};
