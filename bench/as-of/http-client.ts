// A client that costs little: bodies are kept as they arrive.
import { Agent, request } from "node:http";

export interface Answer {
  status: number;
  /** X-Block-Number */
  block: number;
  body: Buffer;
  /** From the request to the last byte. */
  ms: number;
}

export const keepAlive = (sockets: number): Agent => new Agent({ keepAlive: true, maxSockets: sockets });

export function get(url: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const asking = request(url, agent ? { agent } : {}, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          block: Number(response.headers["x-block-number"] ?? -1),
          body: Buffer.concat(pieces),
          ms: performance.now() - started,
        }),
      );
    });
    asking.on("error", reject);
    asking.end();
  });
}

export interface Entry {
  account: string;
  total: number;
  sources: { source: string; value: number }[];
  expanded: string;
}

/** @throws Error when the answer is not 200 */
export function entriesOf({ status, body }: Answer): Entry[] {
  if (status !== 200) throw new Error(`the gateway answered ${status}: ${body.toString("utf8", 0, 300)}`);
  return (JSON.parse(body.toString("utf8")) as { results: Entry[] }).results;
}
