// Requests one page as a browser does, and counts the bytes that came over the wire.
import { request } from "node:http";
import { gunzipSync } from "node:zlib";

/** As a browser that takes no newer compression. */
export const PAGE_HEADERS = { accept: "text/html", "accept-encoding": "gzip" } as const;

export interface ReadPage {
  status: number;
  /** Of a redirect. */
  location: string | undefined;
  /** Size of the body as it was sent, compressed. */
  bytes: number;
  text: string;
}

export type PageReader = (path: string) => Promise<ReadPage>;

const PATIENCE_MS = 30_000;

/** Reads pages of the product at `url`; redirects are not followed. The reader throws when no answer comes in 30 s. */
export const openPageReader =
  (url: string, keyHeader: Readonly<Record<string, string>> = {}): PageReader =>
  (path) =>
    new Promise((resolve, reject) => {
      const options = { headers: { ...PAGE_HEADERS, ...keyHeader }, timeout: PATIENCE_MS };
      const asking = request(url + path, options, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const body = Buffer.concat(pieces);
          const plain = response.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
          const { statusCode: status = 0 } = response;
          resolve({ status, location: response.headers.location, bytes: body.length, text: plain.toString("utf8") });
        });
      });
      asking.on("timeout", () => asking.destroy(new Error(`${path}: no answer in ${PATIENCE_MS / 1_000} s`)));
      asking.on("error", reject);
      asking.end();
    });
