// A client that costs little: kept connections, bodies read and counted but not kept.
import { Agent, request } from "node:http";
import type { Asked } from "../fuzz/known-values.ts";

export interface Sent {
  /** 0 when no answer came. */
  status: number;
  /** Of an answer that is not 200 the first of it, else empty. */
  start: string;
  bytes: number;
}

export interface Sender {
  send(asked: Asked): Promise<Sent>;
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
  const send = ({ method, path, headers, body }: Asked): Promise<Sent> =>
    new Promise((resolve) => {
      const failed = (error: Error) => resolve({ status: 0, start: error.message, bytes: 0 });
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const options = { agent, method, headers: { ...headers, ...always, ...length }, timeout: PATIENCE_MS };
      const asking = request(url + path, options, (response) => {
        const status = response.statusCode ?? 0;
        let bytes = 0;
        let start = "";
        response.on("data", (piece: Buffer) => {
          if (status !== 200 && start.length < SHOWN_BYTES) start += piece.toString("utf8", 0, SHOWN_BYTES);
          bytes += piece.length;
        });
        response.on("error", failed);
        response.on("end", () => resolve({ status, start, bytes }));
      });
      asking.on("timeout", () => asking.destroy(new Error(`no answer in ${PATIENCE_MS / 1000} s`)));
      asking.on("error", failed);
      asking.end(body);
    });
  return { send, close: () => agent.destroy() };
}
