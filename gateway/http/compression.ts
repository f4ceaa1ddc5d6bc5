// gzip and br for clients that accept them. A short answer that is there already is compressed in one call; any other while it is being
// written: nothing is collected, a slow client slows the compression and that slows the rows, and a client that leaves ends
// all of it.
import { pipeline, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import { requestHeader } from "./node-request.ts";

type Encoding = "br" | "gzip";

/** Cheap settings: answers are digits and addresses, and the two cores are needed elsewhere. */
const BROTLI_QUALITY = 3;
const GZIP_LEVEL = 3;
const READ_AHEAD_BYTES = 64 * 1024;
/** Compressed in less than a millisecond. */
const SHORT_BYTES = 64 * 1024;

/**
 * A stream of events must arrive event by event. Parquet is compressed within, by Snappy alone: a fifth to two fifths of it can be
 * spared.
 */
const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:vnd\.apache\.parquet|(?:\w+[+-])*(?:json|ndjson)))/;

/** Whether such an answer is compressed for clients that accept it; 304 stands for one that was. */
export const isCompressible = (status: number, type: unknown): boolean =>
  status === 304 || (typeof type === "string" && COMPRESSIBLE.test(type));

/** The better one of those that the header allows; `q=0` forbids, `*` stands for what is not named. */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(
    header.split(",").map((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get("*") ?? 0;
  const [br, gzip] = [weightOf("br"), weightOf("gzip")];
  if (!(br > 0) && !(gzip > 0)) return undefined;
  return br >= gzip ? "br" : "gzip";
}

/** A strong tag names bytes, and these are others. */
const tagFor = (etag: string, encoding: Encoding): string =>
  etag.startsWith("W/") ? etag : etag.replace(/"$/, `-${encoding}"`);

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
const gzip = { level: GZIP_LEVEL };

type Bytes = Uint8Array<ArrayBuffer>;
type Chunk = ReadableStreamReadResult<Bytes>;

/** A stream of zlib's costs some ten times as much as one call does. */
async function compressed(body: ReadableStream<Bytes>, encoding: Encoding): Promise<BodyInit> {
  const reader = body.getReader();
  const first = await reader.read();
  const bytes = first.value ?? new Uint8Array();
  const second = first.done ? Promise.resolve(first) : reader.read();
  second.catch(() => {}); // thrown where it is read
  const ending = await Promise.race([second.catch(() => undefined), nextTurn(undefined)]);
  if (ending?.done === true && bytes.length <= SHORT_BYTES)
    return encoding === "br" ? brotliCompressSync(bytes, brotli) : gzipSync(bytes, gzip);
  const zip = encoding === "br" ? createBrotliCompress(brotli) : createGzip(gzip);
  // If one side fails or leaves, pipeline ends the other; the reader learns it from the web stream.
  pipeline(Readable.from(chunks(reader, bytes, second), { objectMode: false }), zip, () => {});
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES });
  return Readable.toWeb(zip, { strategy }) as ReadableStream<Bytes>;
}

/** What `reader` gives, its first chunks included. */
async function* chunks(reader: ReadableStreamDefaultReader<Bytes>, first: Bytes, second: Promise<Chunk>) {
  let hasEnded = false;
  try {
    yield first;
    for (let chunk = await second; ; chunk = await reader.read()) {
      hasEnded = chunk.done;
      if (chunk.done) return;
      yield chunk.value;
    }
  } finally {
    if (!hasEnded) await reader.cancel();
  }
}

/**
 * Compresses what comes back from the routes below it. An answer is read only when it will be compressed: as long as
 * nothing reads it, the server writes it in one piece, with the headers that it was given.
 */
export const compression: MiddlewareHandler = async (c, next) => {
  await next();
  const encoding = acceptedEncoding(requestHeader(c, "accept-encoding"));
  if (!encoding) return;
  const { headers, status } = c.res;
  if (!isCompressible(status, headers.get("content-type"))) return;
  const etag = headers.get("etag");
  if (etag) headers.set("ETag", tagFor(etag, encoding));
  if (c.req.method === "HEAD" || status === 304) return;
  const { body } = c.res;
  if (body === null) return;
  c.res = new Response(await compressed(body as ReadableStream<Bytes>, encoding), c.res);
  c.res.headers.delete("Content-Length");
  c.res.headers.set("Content-Encoding", encoding);
};
