// `/vaults` has no peer: requests a second of a gateway that runs already, over whatever its chain has. A list is made once
// for a block; what is measured is a block that has been asked about, and one that nobody has.
import { setTimeout as sleep } from "node:timers/promises";
import { type Ask, answerOf, ratePerSecond } from "./load.ts";

interface Settings {
  rounds: number;
  ms: number;
  askers: number;
}

export interface VaultsRun {
  vaults: number;
  perSecond: number[];
  /** Milliseconds of single answers, each about a block of its own. */
  firstMs: number[];
}

const FRESH_BLOCKS = 10;

interface Listed {
  count: number;
}
interface Status {
  chainId: number;
  lastSyncedBlock: number;
}

/** @throws Error when the gateway has no vaults or answers otherwise than before */
export async function measureVaults(gateway: string, settings: Settings): Promise<VaultsRun> {
  const read = async <T>(ask: Ask) => JSON.parse(await answerOf(ask)) as T;
  const { chainId, lastSyncedBlock } = await read<Status>({ url: `${gateway}/status` });
  const at = (block: number): Ask => ({ url: `${gateway}/vaults?chainId=${chainId}&limit=100&blockNumber=${block}` });
  const firstMs: number[] = [];
  for (let i = 1; i <= FRESH_BLOCKS; i++) {
    const started = performance.now();
    await answerOf(at(lastSyncedBlock - 7 * i));
    firstMs.push(performance.now() - started);
    await sleep(50);
  }
  const ask = at(lastSyncedBlock);
  const expected = await answerOf(ask);
  const { count } = JSON.parse(expected) as Listed;
  if (!(count > 0)) throw new Error(`${gateway} has no vaults`);
  const perSecond: number[] = [];
  for (let round = 0; round < settings.rounds; round++)
    perSecond.push(await ratePerSecond(ask, { ...settings, expected }));
  return { vaults: count, perSecond, firstMs };
}
