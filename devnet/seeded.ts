// A separate seeded devnet for a test: in a temporary directory, on a port, and nothing is left when it stops.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAnvil, spawnAnvil } from "./anvil.ts";
import { type AnvilChain, connectAnvilChain } from "./anvil-chain.ts";
import { startLive } from "./live.ts";
import { DEFAULT_SEED, runScenario, type Seeded } from "./scenario/scenario.ts";

export interface SeededDevnet extends Seeded {
  rpcUrl: string;
  chain: AnvilChain;
  stop(): Promise<void>;
}

export interface SeededOptions {
  port: number;
  /** A prefix of the scenario, in steps of one block or a little more; absent: all of it. */
  steps?: number;
  seed?: string;
  /** Blocks with activity every two seconds once it is seeded. */
  live?: boolean;
}

/** Seeds a chain that is thrown away on `stop`. */
export async function startSeededDevnet({
  port,
  steps,
  seed = DEFAULT_SEED,
  live = false,
}: SeededOptions): Promise<SeededDevnet> {
  const dir = mkdtempSync(join(tmpdir(), "tidemark-devnet-"));
  const { rpcUrl, pid } = await spawnAnvil({ port, dir });
  const discard = async (): Promise<void> => {
    await endAnvil(pid, 0);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const chain = await connectAnvilChain(rpcUrl);
    const seeded = await runScenario({ chain, seed, ...(steps === undefined ? {} : { steps }) });
    const running = live ? startLive({ chain, world: seeded.world, seed }) : undefined;
    const stop = async (): Promise<void> => {
      await running?.stop();
      await discard();
    };
    return { ...seeded, rpcUrl, chain, stop };
  } catch (error) {
    await discard();
    throw error;
  }
}
