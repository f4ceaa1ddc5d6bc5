// Imitates a ClickHouse server's HTTP interface (https://clickhouse.com/docs/interfaces/http: the query in the URL or the body,
// `param_…`, settings, status and `X-ClickHouse-Exception-Code` of errors, `/ping`) over the real engine, chdb. A process of its
// own. What chdb cannot do: read a request's body. So `input('…') format Parquet` is read from a file with that body.
// Arguments: the engine's folder, then arguments of its own.
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { openChdb } from "../../bench/lake/chdb.ts";

const [folder = "", ...engineArguments] = process.argv.slice(2);
const session = await openChdb(folder, engineArguments);

/** Parameters of a URL that are no settings. */
const notSettings = new Set(["query", "database", "query_id", "session_id", "default_format", "wait_end_of_query"]);

const INPUT = /from input\('((?:[^']|'')*)'\) format Parquet\s*$/i;

let bodies = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname === "/ping") return void response.end("Ok.\n");
  const given = url.searchParams.get("query");
  const isParquet = given !== null && INPUT.test(given);
  bodies += 1;
  const body = join(folder, `body-${bodies}.parquet`);
  try {
    if (isParquet) await pipeline(request, createWriteStream(body));
    const statement = isParquet
      ? given.replace(INPUT, `from file('${body}', Parquet, '$1')`)
      : [given ?? "", await text(request)].join("\n").trim();
    const result = await run(statement, url.searchParams);
    response.setHeader("content-type", "text/plain; charset=UTF-8");
    response.end(result);
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^Query failed: /, "") : String(error);
    response.statusCode = 500;
    response.setHeader("X-ClickHouse-Exception-Code", /Code: (\d+)/.exec(message)?.[1] ?? "1002");
    response.end(message);
  } finally {
    await rm(body, { force: true });
  }
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other: the engine has one session, whose database and settings are those of the request. */
function run(statement: string, search: URLSearchParams): Promise<string> {
  const mine = last.then(async () => {
    const parameters: Record<string, string> = {};
    const settings: string[] = [];
    for (const [name, value] of search) {
      if (name.startsWith("param_")) parameters[name.slice("param_".length)] = value;
      else if (!notSettings.has(name)) settings.push(name);
    }
    session.query(`use \`${search.get("database") ?? "default"}\``);
    for (const name of settings) session.query(`set ${name} = '${search.get(name)}'`);
    try {
      const result = await session.queryBindAsync(statement, parameters, { format: "TabSeparated" });
      return result.text();
    } finally {
      for (const name of settings) session.query(`set ${name} = default`);
    }
  });
  last = mine.catch(() => {});
  return mine;
}

const server = createServer((request, response) => void answer(request, response));
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
process.once("disconnect", () => process.exit(0));
