// gzip and br for whoever asks, while the answer is being written: nothing is collected, a slow client slows the
// compression and that slows the rows, and a client that leaves ends all of it.
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";

type Encoding = "br" | "gzip";

/** Cheap settings: answers are digits and addresses, and the two cores are needed elsewhere. */
const BROTLI_QUALITY = 3;
const GZIP_LEVEL = 3;
const READ_AHEAD_BYTES = 64 * 1024;

const COMPRESSIBLE = /^(?:text\/|application\/(?:\w+[+-])*(?:json|ndjson))/;

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

function compressed(body: ReadableStream<Uint8Array>, encoding: Encoding): ReadableStream<Uint8Array> {
  const zip =
    encoding === "br"
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : createGzip({ level: GZIP_LEVEL });
  // Whichever side fails or leaves, pipeline ends the other; the web stream tells the reader.
  pipeline(Readable.fromWeb(body as NodeReadableStream<Uint8Array>), zip, () => {});
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES });
  return Readable.toWeb(zip, { strategy }) as ReadableStream<Uint8Array>;
}

/**
 * Compresses what comes back from the routes below it. An answer's body is looked at only when it is to be compressed: as
 * long as nobody does, the server writes it in one piece.
 */
export const compression: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers, status } = c.res;
  const type = headers.get("content-type");
  const isAnswer = status === 304 || (type !== null && COMPRESSIBLE.test(type));
  if (!isAnswer || headers.has("content-encoding")) return;
  headers.append("Vary", "Accept-Encoding");
  const encoding = acceptedEncoding(c.req.header("accept-encoding"));
  if (!encoding) return;
  const etag = headers.get("etag");
  if (etag) headers.set("ETag", tagFor(etag, encoding));
  if (c.req.method === "HEAD" || status === 304) return;
  const { body } = c.res;
  if (body === null) return;
  c.res = new Response(compressed(body, encoding), c.res);
  c.res.headers.delete("Content-Length");
  c.res.headers.set("Content-Encoding", encoding);
};
