// Entries of an answer as bytes, a comma before each, in one buffer.

/** Characters of some ten entries: a call for each of them costs more, and so does one text of a thousand. */
const WRITTEN_TOGETHER = 2_000;

export class EntryBytes {
  readonly #bytes: Buffer;
  #length = 0;
  #text = "";

  /** `most`: bytes of all that will be added, with their commas. */
  constructor(most: number) {
    this.#bytes = Buffer.allocUnsafeSlow(most);
  }

  /** `entry`: Latin-1. */
  add(entry: string): void {
    this.#text += `,${entry}`;
    if (this.#text.length >= WRITTEN_TOGETHER) this.#write();
  }

  all(): Uint8Array {
    this.#write();
    return this.#bytes.subarray(0, this.#length);
  }

  #write(): void {
    this.#length += this.#bytes.write(this.#text, this.#length, "latin1");
    this.#text = "";
  }
}
