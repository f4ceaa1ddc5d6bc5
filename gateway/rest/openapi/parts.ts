// What several routes of the OpenAPI document share. Parameters are described by the schemas that parse them.
import { z } from "@hono/zod-openapi";
import { BLOCK_DIGITS } from "../../history/block-choice.ts";
import { addressList } from "../../parameters.ts";
import { MOST_NAMED } from "../incomplete-header.ts";
import { CHAIN_ID_DIGITS, TIMESTAMP_DIGITS } from "../url-parameters.ts";

/** In answers, where nothing is parsed. */
export const addressText = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
export const chainId = z
  .string()
  .regex(CHAIN_ID_DIGITS)
  .optional()
  .describe("Chain id; without it the first chain served");
export const rawAmount = (what: string) =>
  z
    .string()
    .regex(/^-?\d+$/)
    .describe(`${what}, raw units`);
export const integer = (what: string) => z.string().regex(/^\d+$/).describe(what);
export const decimal = (what: string) => z.string().describe(what);
export const decimalAmount = z.string().nullable().describe("The same in whole tokens, exact; null without decimals");

export const blockNumber = (what: string) => z.string().regex(BLOCK_DIGITS).optional().describe(what);
export const timestamp = z
  .string()
  .regex(TIMESTAMP_DIGITS)
  .optional()
  .describe("Instead of the number: the last block at or before this time, Unix seconds");

/** What a body may leave to the URL. */
export const blockOfPost = { blockNumber: blockNumber("Where the body names no block"), timestamp, chainId };

/** The blocks of a range, as `url-parameters.ts` parses them. */
export const blockRange = {
  fromBlock: blockNumber("First block of the range; it or fromTimestamp is needed"),
  fromTimestamp: timestamp,
  toBlock: blockNumber("Last block, included; beyond the chain's head it means the last synced one"),
  toTimestamp: timestamp,
};

/** Several items in one parameter, separated by commas. */
export const commaSeparated = <T extends z.ZodType>(items: T, what: string) =>
  items.describe(what).openapi({ param: { style: "form", explode: false } });

export const users = commaSeparated(addressList, "At most 10,000 addresses; without it everybody").optional();

export const format = z
  .enum(["json", "ndjson", "csv", "parquet"])
  .optional()
  .describe(
    "ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents",
  );

export const failure = z
  .object({
    error: z.object({
      code: z.string().describe("Stable: what programs decide by"),
      message: z.string().describe("What to do, for people"),
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("Data; of INVALID_INPUT the `parameter` that is wrong"),
    }),
  })
  .openapi("Failure");

export const json = <T extends z.ZodType>(schema: T, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

/** The devnet's WBERA and one of its holders. */
export const EXAMPLE_TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
export const EXAMPLE_ACCOUNT = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

/** A JSON body with an example that the devnet answers: one that a page makes up from the schema alone would be refused. */
export const body = <T extends z.ZodType>(schema: T, description: string, example: z.input<T>) => ({
  description,
  required: true,
  content: { "application/json": { schema, example } },
});

/** JSON, and the same rows as lines and as Parquet. */
export const rows = <T extends z.ZodType>(schema: T, description: string) => ({
  description,
  content: {
    "application/json": { schema },
    "application/x-ndjson": { schema: z.string() },
    "text/csv": { schema: z.string() },
    "application/vnd.apache.parquet": { schema: z.string().openapi({ format: "binary" }) },
  },
});

export const validatorHeaders = {
  ETag: z.string().describe("Send it back in If-None-Match: 304 when the answer is still this one"),
  "X-Block-Number": z.string().describe("The block answered; of a range the last one"),
};

export const blockHeader = z.object({ "X-Block-Number": z.string().describe("The block answered") });

export const incompleteHeader = {
  "X-Incomplete": z
    .string()
    .optional()
    .describe(
      `Contracts whose holding of the token cannot be attributed to accounts, separated by commas; ${MOST_NAMED} at most, then how many more, as +290`,
    ),
};

export const notModified = { description: "If-None-Match names this answer" };

const retryAfter = z.object({ "Retry-After": z.string().describe("Seconds after which to ask again") });

export const refusals = {
  400: json(failure, "INVALID_INPUT: a parameter is malformed, missing or out of range; `details.parameter` names it"),
  503: { ...json(failure, "Not answerable now"), headers: retryAfter },
};

/** Answers of the checks before all routes. */
export const keyRefusal = json(failure, "API_KEY_NEEDED: the operator wants a key");
export const rateRefusal = { ...json(failure, "RATE_LIMITED: too many requests of one client"), headers: retryAfter };
export const breakage = json(failure, "INTERNAL: ours; report the X-Request-Id");

export const tokenRefusals = {
  ...refusals,
  404: json(failure, "TOKEN_NOT_TRACKED: no event of the token is recorded"),
  409: json(failure, "TOKEN_NOT_STANDARD: its balances are unknown"),
};

export const tooLarge = json(failure, "BODY_TOO_LARGE");
