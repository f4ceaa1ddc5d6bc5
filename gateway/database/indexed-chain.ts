// The chain that a request assumes before it has read anything: the index that it then finds must have the same contracts.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { ChainMemory } from "./chain-memory.ts";
import { IndexMovedError } from "./proven-statement.ts";
import type { IndexState } from "./state.ts";

export class IndexedChain {
  readonly #memory: ChainMemory;
  #given: { file: ChainFile; sources: string | undefined; chain: ChainFile } | undefined;

  constructor(memory: ChainMemory) {
    this.#memory = memory;
  }

  /** The chain of `file` as the index in `state` has it; without one, as the index has it that another request has read last. */
  of(file: ChainFile, state: IndexState | undefined): ChainFile {
    const known = state ?? this.#memory.newest(file.chainId);
    const chain = known === undefined ? file : this.#memory.chain(file, known.sources);
    this.#given = { file, sources: known?.sources, chain };
    return chain;
  }

  /** @throws IndexMovedError where the index in `state` has other contracts than the chain that was given out */
  require({ sources }: IndexState): void {
    const given = this.#given;
    if (given === undefined || given.sources === sources) return;
    if (this.#memory.chain(given.file, sources) !== given.chain) throw new IndexMovedError();
  }
}
