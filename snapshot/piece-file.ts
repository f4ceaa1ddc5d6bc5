// A file that is written piece by piece.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

export interface PieceFile {
  /** Resolves when more may be written. */
  write(piece: string | Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export function openPieceFile(path: string): PieceFile {
  const stream = createWriteStream(path);
  return {
    async write(piece) {
      if (!stream.write(piece)) await once(stream, "drain");
    },
    async close() {
      stream.end();
      await finished(stream);
    },
  };
}
