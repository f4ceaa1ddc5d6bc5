// Files of any length: V8 has no string of more than about 512 MB, which the claims of some 380,000 accounts are.

/** In characters. */
const PIECE_LENGTH = 64 * 1024;

/** The same text in pieces of about that length. */
export function* inPieces(texts: Iterable<string>): Generator<string, undefined> {
  let piece = "";
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
  return undefined;
}
