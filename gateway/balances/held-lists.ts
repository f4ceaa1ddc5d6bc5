// Lists of holders that this process has in memory while they are read. A reader may take a minute over each, and a hundred slow ones
// would end the process.
import { UnavailableError } from "../errors.ts";
import { memoPerObject } from "../memo-per-object.ts";

/** Some 3,000,000 holders; lists that are just read from the database, one for each connection at most, come on top. */
const MOST_BYTES = 400_000_000;
/** Shorter lists are always held: they are read at once. */
const FEW_BYTES = 1_000_000;

export class HeldLists {
  readonly #lists = new Set<{ bytes: number; pieces: WeakRef<AsyncIterator<Uint8Array>> }>();

  /** Before a list of `bytes` is made. @throws UnavailableError (`OVERLOADED`) while the others leave no room for it */
  requireRoom(bytes: number): void {
    if (bytes <= FEW_BYTES) return;
    let held = 0;
    for (const list of this.#lists) {
      // a question that is run again drops what it had answered, unread
      if (list.pieces.deref() === undefined) this.#lists.delete(list);
      else held += list.bytes;
    }
    if (held + bytes > MOST_BYTES)
      throw new UnavailableError("OVERLOADED", "Too many long lists are being read. Retry in a few seconds.");
  }

  /** The same pieces, which keep `bytes` in memory until they are taken or given up. */
  hold(pieces: AsyncIterator<Uint8Array>, bytes: number): AsyncIterator<Uint8Array> {
    const list = { bytes, pieces: new WeakRef(pieces) };
    this.#lists.add(list);
    const letGo = () => this.#lists.delete(list);
    return {
      async next() {
        const piece = await pieces.next();
        if (piece.done) letGo();
        return piece;
      },
      async return() {
        letGo();
        await pieces.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}

/** Of a process of the gateway. */
export const heldListsOf = memoPerObject(() => new HeldLists());
