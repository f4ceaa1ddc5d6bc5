// An answer written while its rows arrive. The database is read a few megabytes ahead of the client and no further;
// a client that still has not taken its answer after a minute loses it, since its snapshot keeps vacuum from working.

import { mapWhole } from "../database/batches.ts";

const READ_AHEAD_BYTES = 4 * 1024 * 1024;
const LONGEST_ANSWER_MS = 60_000;

interface Framed {
  opening: string;
  closing: string;
  /** Between entries; a comma unless given. */
  separator?: string;
  /** Called once, when the rows are all read or nobody wants them any more. */
  release: () => Promise<void>;
}

export interface RowStream extends Framed {
  batches: AsyncIterator<string[]>;
}

interface PieceStream extends Framed {
  /** Entries as bytes, the separator before each of them. */
  pieces: AsyncIterator<Uint8Array>;
}

/** {@link streamPieces} of entries that are texts of this process. */
export function streamEntries({ batches, ...framed }: RowStream): Promise<ReadableStream<Uint8Array>> {
  const { separator = "," } = framed;
  const text = new TextEncoder();
  const pieces = mapWhole(batches, (batch) => text.encode(batch.map((entry) => separator + entry).join("")));
  return streamPieces({ ...framed, pieces });
}

/**
 * `opening` + entries joined by `separator` + `closing`, as bytes. The first piece is read before this resolves, so that a
 * failing query becomes an error answer instead of an answer that breaks off.
 */
export async function streamPieces(stream: PieceStream): Promise<ReadableStream<Uint8Array>> {
  const { pieces, opening, closing, separator = "," } = stream;
  const text = new TextEncoder();
  let reading = pieces.next();
  let hasBegun = false;
  let isReleased = false;
  let timer: NodeJS.Timeout | undefined;

  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    clearTimeout(timer);
    await reading.catch(() => {});
    await pieces.return?.();
    await stream.release();
  };

  await reading.catch(async (error: unknown) => {
    await release();
    throw error;
  });

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setTimeout(() => {
          controller.error(new Error("the client took too long to read its answer"));
          release().catch(() => {});
        }, LONGEST_ANSWER_MS);
      },
      async pull(controller) {
        try {
          const piece = await reading;
          // After that nothing may be asked of the database any more: it would be left in the middle of an answer.
          if (isReleased) return;
          if (piece.done) {
            controller.enqueue(text.encode(hasBegun ? closing : opening + closing));
            controller.close();
            await release();
            return;
          }
          // The database writes the next piece while this one is on its way.
          reading = pieces.next();
          reading.catch(() => {});
          if (!hasBegun) controller.enqueue(text.encode(opening));
          controller.enqueue(hasBegun ? piece.value : piece.value.subarray(text.encode(separator).length));
          hasBegun = true;
        } catch (error) {
          await release();
          throw error;
        }
      },
      cancel: release,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES }),
  );
}
