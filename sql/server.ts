// The process's HTTP server, for the gateway alone: statements, and how the process is.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "pino";
import { z } from "zod";
import { errorBody, GatewayError, publicError } from "../gateway/errors.ts";
import { CONTENT_TYPES, parseFormat } from "../gateway/rest/answer-format.ts";
import { incompleteText } from "../gateway/rest/incomplete-header.ts";
import { SqlBusyError, SqlInvalidError } from "../gateway/sql/sql-errors.ts";
import { LONGEST_STATEMENT } from "./check-statement.ts";
import { residentMegabytes } from "./limits.ts";
import { runStatement, type StatementRunner } from "./run-statement.ts";
import { isFatal } from "./statement-place.ts";
import { brokenEnd } from "./write-answer.ts";

const body = z.object({ query: z.string(), format: z.string().optional() });

/** Statements under way; each may take the whole memory. */
const MOST_AT_ONCE = 4;

export interface SqlTotals {
  answered: number;
  refused: number;
  rows: number;
  running: number;
}

export interface SqlServer {
  server: Server;
  totals: SqlTotals;
}

/** `onFatal`: the database answers nothing any more, and the process has to end. */
export function createSqlServer(
  runner: StatementRunner,
  { log, onFatal }: { log: Logger; onFatal: () => void },
): SqlServer {
  const totals: SqlTotals = { answered: 0, refused: 0, rows: 0, running: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "GET" && request.url === "/health")
      return sendJson(response, {
        status: 200,
        content: {
          ...totals,
          loaded: runner.engine.loaded ?? null,
          residentMegabytes: Math.round(residentMegabytes()),
        },
      });
    if (request.method !== "POST" || request.url !== "/statement")
      return sendJson(response, { status: 404, content: {} });
    if (totals.running >= MOST_AT_ONCE)
      throw new SqlBusyError("Too many statements are running now. Retry in a second.");
    totals.running += 1;
    try {
      await answerStatement(request, response);
    } finally {
      totals.running -= 1;
    }
  };
  const answerStatement = async (request: IncomingMessage, response: ServerResponse) => {
    const { query, format: wanted } = await readBody(request);
    const format = parseFormat(wanted);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const statement = { query, format, signal: gone.signal };
    const { head, incomplete, pieces, meter, stopped } = await runStatement(runner, statement);
    let next = await pieces.next();
    response.writeHead(200, {
      "content-type": CONTENT_TYPES[format],
      "x-block-number": String(head.block),
      "x-block-hash": head.hash,
      ...(incomplete.length > 0 ? { "x-incomplete": incompleteText(incomplete) } : {}),
    });
    try {
      for (; !next.done; next = await pieces.next()) {
        // rejects when the client has left, and when the statement's time is over: then the next piece says so
        if (!response.write(next.value)) await once(response, "drain", { signal: stopped }).catch(() => {});
        if (gone.signal.aborted) break;
      }
      response.end();
      totals.answered += 1;
    } catch (error) {
      totals.refused += 1;
      const { code, message } = publicError(error);
      log.warn({ code, message }, "an answer broke off");
      // the end of a chunked answer is never sent: nobody takes it for a whole one
      response.write(brokenEnd(format, { code, message }), () => response.destroy());
      destroyUnread(response, runner.limits.seconds);
    } finally {
      totals.rows += meter.rows;
      await pieces.return(undefined);
    }
  };
  const refuse = (response: ServerResponse, error: unknown) => {
    totals.refused += 1;
    const shown = publicError(error);
    if (!(error instanceof GatewayError)) log.error({ err: error }, "a statement failed");
    if (isFatal(error)) onFatal();
    if (response.headersSent) return response.destroy();
    const retry = shown.retryAfterSeconds === undefined ? {} : { "retry-after": String(shown.retryAfterSeconds) };
    return sendJson(response, { status: shown.status, content: errorBody(shown), headers: retry });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  return { server, totals };
}

/** A client that reads nothing any more would keep the rest of its answer in memory: it has as long again as a statement may take. */
function destroyUnread(response: ServerResponse, seconds: number): void {
  const timer = setTimeout(() => response.destroy(), seconds * 1_000);
  response.once("close", () => clearTimeout(timer));
}

interface JsonAnswer {
  status: number;
  content: object;
  headers?: Readonly<Record<string, string>>;
}

function sendJson(response: ServerResponse, { status, content, headers = {} }: JsonAnswer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(content));
}

async function readBody(request: IncomingMessage): Promise<z.infer<typeof body>> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) {
    text += piece as string;
    // JSON writes some characters as six
    if (text.length > 8 * LONGEST_STATEMENT)
      throw new SqlInvalidError(`the statement is longer than ${LONGEST_STATEMENT} bytes`);
  }
  return body.parse(JSON.parse(text));
}
