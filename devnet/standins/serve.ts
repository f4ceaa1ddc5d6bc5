// A stand-in as an HTTP server on a loopback port, or several of them behind one port, each below its own path.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenLocally } from "../local-server.ts";
import {
  type Desk,
  MissingParameterError,
  type Mode,
  type Reply,
  type StandIn,
  type StandInRequest,
} from "./stand-in.ts";

export interface Served {
  standIn: StandIn;
  /** Read again for every request: tests change it. */
  desk: Desk;
}

export interface StandInServer {
  /** URL for the gateway's environment. */
  urlOf(standIn: StandIn): string;
  stop(): Promise<void>;
}

const RETRY_AFTER_SECONDS = "2";
/** Delay in mode `slow`. */
const SLOW_MS = 300;
const MOST_BODY_BYTES = 2_000_000;

async function readRequest(request: IncomingMessage, prefix: string): Promise<StandInRequest> {
  const url = new URL(request.url ?? "/", "http://stand-in");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BODY_BYTES) throw new Error("too much was posted");
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { path: url.pathname.slice(prefix.length), query: url.searchParams, headers, text, body };
}

/** Failures before the service even reads the question. */
const outages: Partial<Record<Mode, Reply>> = {
  busy: { status: 429, headers: { "retry-after": RETRY_AFTER_SECONDS }, body: { message: "Too many requests" } },
  broken: { status: 500, body: { message: "secret-internal-detail at 10.0.0.7" } },
};

function send(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function answer({ standIn, desk }: Served, request: StandInRequest): Promise<Reply | "half"> {
  const outage = outages[desk.mode];
  if (outage) return outage;
  if (desk.mode === "slow") await sleep(SLOW_MS);
  if (desk.mode === "malformed") return "half";
  try {
    return (await standIn.answer(request, desk)) ?? { status: 404, body: { message: "Not found" } };
  } catch (error) {
    if (error instanceof MissingParameterError) return { status: 400, body: { code: 400, message: error.message } };
    throw error;
  }
}

/** Where a stand-in is on a server of several. */
export const standInUrl = (port: number, { name, basePath }: StandIn): string =>
  `http://127.0.0.1:${port}/${name.toLowerCase()}${basePath}`;

/** One server; with several stand-ins each lies below `/<its name in lower case>`. Resolves when it listens. */
export async function serveStandIns(services: readonly Served[], port = 0): Promise<StandInServer> {
  const prefixOf = ({ name }: StandIn) => (services.length === 1 ? "" : `/${name.toLowerCase()}`);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const served = services.find(({ standIn }) => `${request.url ?? ""}/`.startsWith(`${prefixOf(standIn)}/`));
    if (!served) return send(response, { status: 404, body: { message: "Not found" } });
    // the connection stays open until the client or the server ends it
    if (served.desk.mode === "hang") return;
    const reply = await answer(served, await readRequest(request, prefixOf(served.standIn)));
    if (reply === "half") response.writeHead(200, { "content-type": "application/json" }).end('{"code":200,"data":{');
    else send(response, reply);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, { status: 500, body: { message: String(error) } });
    });
  });
  const { url, stop } = await listenLocally(server, port);
  return { urlOf: (standIn) => `${url}${prefixOf(standIn)}${standIn.basePath}`, stop };
}
