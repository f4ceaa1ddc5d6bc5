// One request on a connection that stays open for the next one, as Node's own agents have it: 5 seconds, or less where the service
// says so. Node's own client takes a third of the time that `fetch` takes, and hundreds of quotes at once are thousands of requests.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ProviderFailure } from "./provider-failure.ts";

/** A route through hundreds of pools is some 100 kB. Nothing else runs while an answer is parsed: of 2 MB that takes a second. */
const MOST_BYTES = 500_000;

export interface Sending {
  headers: Record<string, string>;
  /** Sent by POST; without it the request is a GET. */
  body: string | undefined;
  signal: AbortSignal;
}

interface Received {
  status: number;
  retryAfter: string | null;
  text: string;
}

/** A map, as the service chooses the name: an object's own properties, such as `constructor`, must not be found. */
const unpackers = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** @throws ProviderFailure for a redirect, which would take the key elsewhere, and for too long an answer; Error */
export function sendRequest(target: URL, { headers, body, signal }: Sending): Promise<Received> {
  return new Promise((resolve, reject) => {
    const send = target.protocol === "https:" ? httpsRequest : httpRequest;
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const asking = send(
      target,
      {
        method: body === undefined ? "GET" : "POST",
        signal,
        headers: { ...headers, ...length, "accept-encoding": "gzip, br" },
      },
      (response) => void receive(response).then(resolve, reject),
    );
    asking.on("error", reject);
    // otherwise it would never settle
    asking.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new ProviderFailure("error", "answered 101 with another protocol"));
    });
    asking.end(body);
  });
}

async function receive(response: IncomingMessage): Promise<Received> {
  const { statusCode: status = 0, headers } = response;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new ProviderFailure("error", `answered ${status} with a redirect`);
  }
  const text = await readBounded(unpacked(response));
  return { status, retryAfter: headers["retry-after"] ?? null, text };
}

function unpacked(response: IncomingMessage): Readable {
  const unpacking = unpackers.get(response.headers["content-encoding"]?.toLowerCase() ?? "")?.();
  // if one side fails the other ends, so that no connection stays open; the reader sees the failure
  return unpacking ? pipeline(response, unpacking, () => {}) : response;
}

async function readBounded(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new ProviderFailure("error", `answered more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  // leaves out a byte order mark, which is no JSON
  return new TextDecoder().decode(Buffer.concat(chunks));
}
