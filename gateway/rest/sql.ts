// POST /sql: a statement in, rows out, by the process that answers SQL. No rules here.

import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { chainOf, type Service } from "../context.ts";
import { InvalidInputError, publicError } from "../errors.ts";
import { CLIENT } from "../http/guard.ts";
import { clientGone } from "../http/node-request.ts";
import { sqlSeconds } from "../instruments.ts";
import { parseInput } from "../parameters.ts";
import { SqlOffError } from "../sql/sql-errors.ts";
import { type AnswerFormat, NO_FORMAT, parseFormat } from "./answer-format.ts";
import { jsonBody } from "./json-body.ts";
import { chainIdOf } from "./url-parameters.ts";

const NO_STATEMENT = 'must be one SELECT as text, e.g. "select 1"';
const NO_CHAIN = "must be a chain id in digits";

/** The body as JSON. */
export const sqlBody = z.object({
  query: z.string(NO_STATEMENT).min(1, NO_STATEMENT).describe("One SELECT"),
  format: z.enum(["json", "ndjson", "csv", "parquet"], NO_FORMAT).optional().describe("json unless given"),
  chainId: z
    .union([z.int(NO_CHAIN), z.string()], NO_CHAIN)
    .optional()
    .describe("Without it the first chain served"),
});

interface Statement {
  query: string;
  format: AnswerFormat;
  chainId: number | undefined;
}

/** No statement begins with a brace: such a body is JSON, and DuckDB's error about it would mislead. */
async function plainStatement(c: Context): Promise<string> {
  const query = await c.req.text();
  if (!query.trimStart().startsWith("{")) return query;
  throw new InvalidInputError(
    "content-type",
    "must be application/json where the body is JSON; a body of any other type is taken for the statement itself",
  );
}

async function statementOf(c: Context): Promise<Statement> {
  const [format, chainId] = [c.req.query("format"), c.req.query("chainId")];
  const isJson = /^application\/json\s*(?:;|$)/i.test(c.req.header("content-type") ?? "");
  if (!isJson) return { query: await plainStatement(c), format: parseFormat(format), chainId: chainIdOf(chainId) };
  const json = await jsonBody(c, 'must be JSON, e.g. {"query": "select 1"}, or the statement itself as text/sql');
  const data = parseInput(sqlBody, json, "body");
  const chain = data.chainId === undefined ? chainId : String(data.chainId);
  return { query: data.query, format: parseFormat(data.format ?? format), chainId: chainIdOf(chain) };
}

export const postSql = (service: Service) => async (c: Context) => {
  const { query, format, chainId } = await statementOf(c);
  const chain = chainOf(service, chainId);
  const { sql } = service;
  if (!sql) throw new SqlOffError();
  const started = performance.now();
  let outcome = "ok";
  try {
    const client = String(c.get(CLIENT) ?? "");
    const { headers, body } = await sql.answer({
      chainId: chain.chainId,
      query,
      format,
      client,
      signal: clientGone(c),
    });
    // chunked from the first byte: what fails later breaks the transfer instead of ending a shorter answer
    return c.body(body, 200, { ...headers, "transfer-encoding": "chunked" });
  } catch (error) {
    outcome = publicError(error).code;
    throw error;
  } finally {
    sqlSeconds.observe({ chain: chain.name, outcome }, (performance.now() - started) / 1_000);
  }
};
