// A file that is written piece by piece.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

export interface PieceFile {
  /** Resolves when more may be written. @throws an error that the disk has reported meanwhile */
  write(piece: string | Uint8Array): Promise<void>;
  /** @throws the disk's error */
  close(): Promise<void>;
}

export function openPieceFile(path: string): PieceFile {
  const stream = createWriteStream(path);
  let failure: Error | undefined;
  // a full disk or a missing folder shows at any time: without a listener it would end the process
  stream.on("error", (error) => {
    failure ??= error;
  });
  return {
    async write(piece) {
      if (failure) throw failure;
      if (!stream.write(piece)) await once(stream, "drain");
    },
    async close() {
      if (failure) throw failure;
      stream.end();
      await finished(stream);
    },
  };
}
