// A text that comes in pieces, gathered while it is short.

/** Longer ones are passed on piece by piece. */
const LONGEST = 64 * 1024;

/** The same pieces; or, where they are few, all of them as `text`. Each begins with a comma, which the first one loses. */
export async function gatherShort(
  pieces: AsyncIterator<Uint8Array>,
): Promise<{ pieces: AsyncIterator<Uint8Array> } | { text: string }> {
  const first: Uint8Array[] = [];
  for (let length = 0; length <= LONGEST; ) {
    const { done, value } = await pieces.next();
    if (done) return { text: Buffer.concat(first).toString("latin1").slice(1) };
    first.push(value);
    length += value.length;
  }
  return { pieces: chained(first, pieces) };
}

async function* chained(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
  return undefined;
}
