// A JSON answer written while its rows arrive. The database is read a few megabytes ahead of the client and no further;
// a client that still has not taken its answer after a minute loses it, since its snapshot keeps vacuum from working.

const READ_AHEAD_BYTES = 4 * 1024 * 1024;
const LONGEST_ANSWER_MS = 60_000;

export interface RowStream {
  opening: string;
  closing: string;
  batches: AsyncIterator<{ entry: string }[]>;
  /** Called once, when the rows are all read or nobody wants them any more. */
  release: () => Promise<void>;
}

/**
 * `opening` + entries joined by commas + `closing`, as bytes. The first batch is read before this resolves, so that a
 * failing query is an error answer and not a broken one.
 */
export async function streamEntries(stream: RowStream): Promise<ReadableStream<Uint8Array>> {
  const { batches, opening, closing } = stream;
  const text = new TextEncoder();
  let reading = batches.next();
  let isReleased = false;
  let timer: NodeJS.Timeout | undefined;

  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    clearTimeout(timer);
    await reading.catch(() => {});
    await batches.return?.();
    await stream.release();
  };

  let separator = opening;
  let first: Awaited<typeof reading> | undefined = await reading.catch(async (error: unknown) => {
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
          if (!first) reading = batches.next();
          const batch = first ?? (await reading);
          first = undefined;
          if (batch.done) {
            controller.enqueue(text.encode((separator === opening ? opening : "") + closing));
            controller.close();
            await release();
            return;
          }
          controller.enqueue(text.encode(separator + batch.value.map((row) => row.entry).join(",")));
          separator = ",";
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
