// Whether a client has an answer already.

/** `Cache-Control` of what is never another under the same URL. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** Encodings of one answer have strong tags of their own: see compression.ts. */
const bare = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, "")
    .replace(/-(?:br|gzip)"$/, '"');

/** `header`: the request's `If-None-Match`. */
export function isMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((tag) => bare(tag) === bare(etag));
}
