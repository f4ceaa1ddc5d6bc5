// What POST /sql takes as JSON.
import { z } from "@hono/zod-openapi";

export const sqlBody = z.object({
  query: z.string().min(1).describe("One SELECT"),
  format: z.enum(["json", "ndjson", "csv", "parquet"]).optional().describe("json unless given"),
  chainId: z.union([z.number().int(), z.string()]).optional().describe("Without it the first chain served"),
});
