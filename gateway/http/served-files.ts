// The files that pages load: a fixed few, read once, under URLs that change with what is in them.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Context } from "hono";
import { IMMUTABLE, isMatch } from "./etags.ts";

export const STYLE = "text/css; charset=utf-8";
export const SCRIPT = "text/javascript; charset=utf-8";

export interface ServedFile {
  /** Path on this server. */
  url: string;
  type: string;
  etag: string;
  body: Uint8Array<ArrayBuffer>;
}

/** `files`: paths, or URLs of files; several are one, in their order. `folder`: where routes serve them. */
export function servedFile(
  { folder, name, type }: { folder: string; name: string; type: string },
  files: readonly (string | URL)[],
): ServedFile {
  const body = new TextEncoder().encode(files.map((file) => readFileSync(file, "utf8")).join("\n"));
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { url: `${folder}/${hash}/${name}`, type, etag: `"${hash}"`, body };
}

export function answerFile(c: Context, { etag, type, body }: ServedFile): Response {
  const headers = { ETag: etag, "Cache-Control": IMMUTABLE, "Content-Type": type };
  return isMatch(c.req.header("if-none-match"), etag) ? c.body(null, 304, headers) : c.body(body, 200, headers);
}
