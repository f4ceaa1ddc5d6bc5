// The loader's HTTP server, for gateways alone: `POST /load {first, last}` is answered when the blocks are loaded.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { codeOf } from "../../database/error-codes.ts";
import { errorBody, publicError } from "../../gateway/errors.ts";
import type { HistoryLoader } from "./load-history.ts";

const LONGEST_BODY = 1_000;
/** The code that postgres.js gives for connections that this process has ended itself. */
const OWN_END = "CONNECTION_ENDED";
const block = z.number().int();
const body = z.object({ first: block, last: block });

/** `onError` gets an error before it is sent to those who wait. */
export function createLoadServer(loader: Pick<HistoryLoader, "load">, onError: (error: unknown) => void): Server {
  return createServer((request, response) => {
    answer(loader, request, response).catch((error: unknown) => {
      onError(error);
      // the process is about to end: those who wait must find that nobody loads, not that the database is away
      if (codeOf(error) === OWN_END) return void response.destroy();
      const shown = publicError(error);
      send(response, shown.status === 503 ? 503 : 500, errorBody(shown));
    });
  });
}

async function answer(
  loader: Pick<HistoryLoader, "load">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "POST" || request.url !== "/load") return send(response, 404, {});
  const range = body.safeParse(await readBody(request));
  if (!range.success) return send(response, 400, {});
  await loader.load(range.data);
  send(response, 200, {});
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) {
    text += piece as string;
    if (text.length > LONGEST_BODY) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
}
