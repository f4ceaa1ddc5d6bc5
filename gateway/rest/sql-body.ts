// What POST /sql takes as JSON.
import { z } from "@hono/zod-openapi";
import { NO_FORMAT } from "./answer-format.ts";

const NO_STATEMENT = 'must be one SELECT as text, e.g. "select 1"';
const NO_CHAIN = "must be a chain id in digits";

export const sqlBody = z.object({
  query: z.string(NO_STATEMENT).min(1, NO_STATEMENT).describe("One SELECT"),
  format: z.enum(["json", "ndjson", "csv", "parquet"], NO_FORMAT).optional().describe("json unless given"),
  chainId: z
    .union([z.int(NO_CHAIN), z.string()], NO_CHAIN)
    .optional()
    .describe("Without it the first chain served"),
});
