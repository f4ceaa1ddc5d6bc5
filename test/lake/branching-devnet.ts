// A seeded devnet whose newest blocks can be replaced by others: much goes on in each, of every protocol.
import type { Hex } from "viem";
import { acts } from "../../devnet/scenario/acts.ts";
import { openPurse } from "../../devnet/scenario/purse.ts";
import { type Random, seedRandom } from "../../devnet/scenario/random.ts";
import type { SeededDevnet } from "../../devnet/seeded.ts";

const liveActs = acts.filter(({ live }) => live !== undefined);
/** Hours end within a dozen blocks. */
const GAPS_SECONDS = [2, 60, 900];

export class BranchingDevnet {
  readonly #devnet: SeededDevnet;
  readonly #actChance: number;
  /** Anvil's, of the state at the end of each block. */
  readonly #snapshots = new Map<number, Hex>();
  #branch = 0;

  /** `actChance`: of each act in each block. */
  constructor(devnet: SeededDevnet, actChance: number) {
    this.#devnet = devnet;
    this.#actChance = actChance;
  }

  get head(): number {
    return this.#devnet.chain.head().number;
  }

  get headHash(): string {
    return this.#devnet.chain.head().hash;
  }

  async mine(count: number): Promise<void> {
    for (let block = 0; block < count; block += 1) await this.#seal();
  }

  /** As many other blocks take the place of the newest `depth`, and one more. @throws Error for blocks that this one did not mine */
  async replace(depth: number): Promise<void> {
    const fork = this.head - depth;
    const snapshot = this.#snapshots.get(fork);
    if (snapshot === undefined) throw new Error(`there is no snapshot of block ${fork}`);
    await this.#devnet.chain.rpc("evm_revert", [snapshot]);
    for (const above of [...this.#snapshots.keys()].filter((block) => block >= fork)) this.#snapshots.delete(above);
    this.#branch += 1;
    await this.#devnet.chain.resync();
    await this.mine(depth + 1);
  }

  async #seal(): Promise<void> {
    const { chain, world } = this.#devnet;
    const number = this.head + 1;
    this.#snapshots.set(this.head, await chain.rpc<Hex>("evm_snapshot", []));
    const random = seedRandom(`branch ${this.#branch}/${number}`);
    await this.#act(random, { ...world, purse: openPurse(chain, world.at) });
    await chain.sealAt(chain.head().timestamp + random.pick(GAPS_SECONDS));
  }

  async #act(random: Random, world: SeededDevnet["world"]): Promise<void> {
    for (const act of liveActs.filter(() => random.chance(this.#actChance)))
      try {
        await act.run(world, random.fork(act.name), this.head + 1);
      } catch {
        // what it relies on is gone with the branch that it was on
      }
  }
}
