// csv and ndjson files: the same lines as the gateway's exports.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

export interface LineFile {
  /** Resolves when more may be written. */
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

export function openLineFile(path: string): LineFile {
  const stream = createWriteStream(path);
  return {
    async write(text) {
      if (!stream.write(text)) await once(stream, "drain");
    },
    async close() {
      stream.end();
      await finished(stream);
    },
  };
}
