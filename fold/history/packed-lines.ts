// COPY lines, packed now and then to keep them small.
import type { CopyLines } from "./copy-rows.ts";

const AT_ONCE = 4_096;

export class PackedLines {
  #pieces: Buffer[] = [];
  #lines: string[] = [];
  #count = 0;

  /** `line`: fields as COPY writes them, with tabs between them. */
  add(line: string): void {
    this.#count += 1;
    if (this.#lines.push(`${line}\n`) === AT_ONCE) this.#pack();
  }

  take(): CopyLines {
    this.#pack();
    const taken = { count: this.#count, pieces: this.#pieces };
    this.#pieces = [];
    this.#count = 0;
    return taken;
  }

  #pack(): void {
    if (this.#lines.length > 0) this.#pieces.push(Buffer.from(this.#lines.join("")));
    this.#lines = [];
  }
}
