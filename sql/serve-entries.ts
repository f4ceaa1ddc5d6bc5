// POST /entries of the process: whole lists of holders, for the gateway alone. 404 where another source has to answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { SqlBusyError } from "../gateway/sql/sql-errors.ts";
import { entriesBody, HolderEntries } from "./holder-entries.ts";
import type { StatementRunner } from "./run-statement.ts";

/** A list of 180,000 holders takes about 150 MB while it is made. */
const MOST_AT_ONCE = 2;

export function serveEntries(runner: StatementRunner): (from: IncomingMessage, to: ServerResponse) => Promise<void> {
  const entries = new HolderEntries(runner);
  let running = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = entriesBody.parse(await json(request));
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const pieces = await entries.pieces(body, gone.signal);
    if (pieces === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": "application/octet-stream" });
    // where it breaks off the connection ends without the answer's end, and the gateway knows what to do
    await pipeline(Readable.from(pieces), response).catch(() => {});
  };
  return async (request, response) => {
    if (running >= MOST_AT_ONCE) throw new SqlBusyError("Too many lists of holders are written by now.");
    running += 1;
    try {
      await answer(request, response);
    } finally {
      running -= 1;
    }
  };
}
