// The seeded part of the devnet: deploys everything, then runs every act step by step. The same seed repeats it to the block hash.
import type { AnvilChain } from "../anvil-chain.ts";
import type { SealedBlock } from "../chain.ts";
import { type Deployment, deployAll } from "../deploy/all.ts";
import { acts } from "./acts.ts";
import { gapBefore, STEPS } from "./calendar.ts";
import { seedRandom } from "./random.ts";
import { type Act, openWorld, type World } from "./world.ts";

export const DEFAULT_SEED = "tidemark";

export interface ScenarioOptions {
  chain: AnvilChain;
  seed: string;
  /** Stop after this many steps: a prefix of the same chain. Absent: all steps. */
  steps?: number;
  onProgress?(fraction: number): void;
}

export interface Seeded {
  at: Deployment;
  world: World;
  head: SealedBlock;
}

/**
 * Deploys and runs `steps` steps on an empty chain, at least one block each.
 * @throws SealError when an act's transaction fails
 */
export async function runScenario({ chain, seed, steps = STEPS, onProgress }: ScenarioOptions): Promise<Seeded> {
  const at = await deployAll(chain);
  const world = openWorld(chain, at);
  const random = seedRandom(seed);
  await chain.seal();
  const last = Math.min(steps, STEPS) - 1;
  for (let step = 0; step <= last; step++) {
    for (const act of acts) {
      const draw = random.fork(`${act.name}/${step}`);
      if (isDue(act, step) && (act.chance === undefined || draw.chance(act.chance)))
        await perform(act, { world, draw, step });
    }
    const gap = gapBefore(step, random.fork(`gap/${step}`));
    await (step === last ? chain.seal(gap) : chain.sealAhead(gap));
    if (step % 16 === 0) onProgress?.(step / steps);
  }
  onProgress?.(1);
  return { at, world, head: chain.head() };
}

function isDue(act: Act, step: number): boolean {
  return step >= act.first && step <= (act.last ?? act.first);
}

async function perform(
  act: Act,
  { world, draw, step }: { world: World; draw: ReturnType<typeof seedRandom>; step: number },
): Promise<void> {
  try {
    await act.run(world, draw, step);
  } catch (error) {
    throw new Error(`act "${act.name}" in step ${step}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
