// The devnet after its seeded part: a block every two seconds of real time, with some activity in each.
import type { AnvilChain } from "./anvil-chain.ts";
import { acts } from "./scenario/acts.ts";
import { openPurse } from "./scenario/purse.ts";
import { type Random, seedRandom } from "./scenario/random.ts";
import type { Act, World } from "./scenario/world.ts";

export const BLOCK_MILLISECONDS = 2_000;

export interface LiveOptions {
  chain: AnvilChain;
  world: World;
  seed: string;
  /** Called with everything that kept an act or a block from happening. The chain goes on. */
  onTrouble?(message: string): void;
}

export interface Live {
  /** Resolves when the block under way is sealed; no further block follows. */
  stop(): Promise<void>;
}

/** Starts sealing blocks. Nonces and head are read again for each, so that reorgs and strangers' transactions do no harm. */
export function startLive(options: LiveOptions): Live {
  let stopped = false;
  let wake = (): void => {};
  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async (): Promise<void> => {
    let due = Date.now();
    while (!stopped) {
      await sealLiveBlock(options).catch((error: unknown) => options.onTrouble?.(`no block: ${messageOf(error)}`));
      due = Math.max(due + BLOCK_MILLISECONDS, Date.now());
      if (!stopped) await sleep(due - Date.now());
    }
  };
  const done = run();
  return {
    stop() {
      stopped = true;
      wake();
      return done;
    },
  };
}

/** Queues this block's activity and seals it at the current time, even if the activity failed. */
export async function sealLiveBlock({ chain, world, seed, onTrouble }: LiveOptions): Promise<void> {
  await chain.resync();
  const number = chain.head().number + 1;
  const random = seedRandom(`${seed}/live/${number}`);
  const today: World = { ...world, purse: openPurse(chain, world.at) };
  for (const act of chooseActs(random)) {
    try {
      await act.run(today, random.fork(act.name), number);
    } catch (error) {
      onTrouble?.(`act "${act.name}" at block ${number}: ${messageOf(error)}`);
    }
  }
  await chain.sealAt(Math.floor(Date.now() / 1000));
}

function chooseActs(random: Random): Act[] {
  return acts.filter((act) => act.live !== undefined && random.chance(act.live));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
