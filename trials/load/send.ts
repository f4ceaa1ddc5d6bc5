// A client that costs little: kept connections, bodies read and counted but not kept.
import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import type { RelativeRequest } from "../fuzz/sample-values.ts";

export interface Sent {
  /** The status, `none` when no answer came, `200 with errors` for a GraphQL document that was not answered in full. */
  outcome: string;
  /** How the answer begins. */
  start: string;
}

export interface Sender {
  send(request: RelativeRequest): Promise<Sent>;
  close(): void;
}

/** A slower answer counts as none. */
const PATIENCE_MS = 30_000;
const SHOWN_BYTES = 300;

/** One connection for each request under way, kept between requests, at most `connections`; more requests wait for one. */
export function openSender(
  url: string,
  { connections, key }: { connections: number; key?: string | undefined },
): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "lifo" });
  const always = key === undefined ? {} : { "x-api-key": key };
  const answeredAt = new WeakMap<Socket, number>();
  const send = ({ method, path, headers, body }: RelativeRequest): Promise<Sent> =>
    new Promise((resolve) => {
      let socket: Socket | undefined;
      let connection = "no connection";
      const failed = (error: Error) => {
        const start = `${error.message}, ${connection}, ${new Date().toISOString()}`;
        resolve({ outcome: "none", start });
      };
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const options = { agent, method, headers: { ...headers, ...always, ...length }, timeout: PATIENCE_MS };
      const asking = request(url + path, options, (response) => {
        let start = "";
        response.on("data", (piece: Buffer) => {
          if (start.length < SHOWN_BYTES) start += piece.toString("utf8", 0, SHOWN_BYTES);
        });
        response.on("error", failed);
        response.on("end", () => {
          if (socket) answeredAt.set(socket, performance.now());
          resolve({ outcome: outcomeOf(response.statusCode, start), start });
        });
      });
      asking.once("socket", (given) => {
        socket = given;
        const at = answeredAt.get(given);
        connection = at === undefined ? "a new connection" : `at rest for ${(performance.now() - at).toFixed(0)} ms`;
      });
      asking.on("timeout", () => asking.destroy(new Error(`no answer in ${PATIENCE_MS / 1000} s`)));
      asking.on("error", failed);
      asking.end(body);
    });
  return { send, close: () => agent.destroy() };
}

/** GraphQL puts errors first, with status 200. */
const outcomeOf = (status: number | undefined, start: string): string =>
  status === 200 && start.startsWith('{"errors"') ? "200 with errors" : String(status);
