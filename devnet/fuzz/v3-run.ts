// One randomised world from seed to verdict: act, seal, replay, compare, block after block.

import { unpackFeeProtocol, type V3Flavour } from "../../core/concentrated/protocol-fee.ts";
import type { V3Fact } from "../../core/v3/facts.ts";
import { addPool, applyFact, createWorld, restoreRow, takeChanges, type V3World } from "../../core/v3/reducer.ts";
import type { DevChain } from "../chain.ts";
import { seedRandom } from "../scenario/random.ts";
import { actAtRandom, actFirst, type Scene } from "./v3-actions.ts";
import { compareAverages, RowHistory } from "./v3-averages.ts";
import { type Comparison, compareLeaving, compareState, type Difference } from "./v3-compare.ts";
import { readFacts } from "./v3-logs.ts";
import { RowStore } from "./v3-rows.ts";
import { type FuzzPool, type Setting, type Stage, setStage } from "./v3-setting.ts";

export interface Verdict {
  seed: string;
  blocks: number;
  facts: Record<string, number>;
  /** Numbers compared with the chain. */
  compared: number;
  /** Averages of positions over ranges, compared with those from every single block. */
  averages: number;
  /** Differing numbers, and pools that the replay stopped. Both must be empty. */
  differences: (Difference & { block: number })[];
  stopped: string[];
}

export interface FuzzOptions {
  /** Fresh, with at least five funded accounts. */
  chain: DevChain;
  seed: string;
  actions: number;
}

/** The kodiak factory's default: 35 % of the fee for both tokens. */
const KODIAK_DEFAULT = 229_379_500;
/** After this many blocks all pools are compared, not only those with events, and the worlds are restarted from rows. */
const WHOLE_EVERY = 20;

/** Plays one world on a fresh chain and compares it with the chain after every block. */
export async function fuzzV3({ chain, seed, actions }: FuzzOptions): Promise<Verdict> {
  const random = seedRandom(`v3/${seed}`);
  const setting = await setStage(chain, random.fork("stage"));
  const worlds = { uniswap: newWorld(setting, "uniswap"), kodiak: newWorld(setting, "kodiak") };
  const scene: Scene = { setting, worlds, random: random.fork("acts") };
  const store = new RowStore();
  const history = new RowHistory();
  const verdict: Verdict = { seed, blocks: 0, facts: {}, compared: 0, averages: 0, differences: [], stopped: [] };
  let from = 0;
  for (let acted = 0; acted < actions; ) {
    const { number: to } = await setting.chain.seal();
    const touched = await replay(scene, { store, history, from, to, verdict });
    from = to + 1;
    verdict.blocks += 1;
    if (verdict.blocks === 1) actFirst(scene);
    const isWhole = verdict.blocks % WHOLE_EVERY === 0 || verdict.blocks === 1;
    const pools = setting.pools.filter(({ address }) => isWhole || touched.has(address));
    await compare(setting, { store, pools, block: to, verdict });
    if (isWhole) restart(scene, store);
    if (verdict.differences.length > 0 || verdict.stopped.length > 0) return verdict;
    const count = Math.min(random.pick([1, 1, 1, 2, 3]), actions - acted);
    for (let index = 0; index < count; index += 1) await actAtRandom(scene);
    acted += count;
  }
  const { number: to } = await setting.chain.seal();
  await replay(scene, { store, history, from, to, verdict });
  await compare(setting, { store, pools: setting.pools, block: to, verdict });
  const averages = compareAverages(history, { first: to + 1 - verdict.blocks, last: to }, random.fork("averages"));
  verdict.averages = averages.compared;
  verdict.differences.push(...averages.differences.map((difference) => ({ ...difference, block: to })));
  return verdict;
}

/** Knows all pools of the flavour, before their first fact. */
export function newWorld({ pools, managers }: Stage, flavour: V3Flavour): V3World {
  const world = createWorld({ manager: managers[flavour] });
  const initial = unpackFeeProtocol(flavour, flavour === "kodiak" ? KODIAK_DEFAULT : 0);
  for (const { address, fee, tickSpacing } of pools.filter((pool) => pool.flavour === flavour)) {
    addPool(world, {
      pool: address,
      fee,
      tickSpacing,
      flavour,
      initialFeeProtocol0: initial.feeProtocol0,
      initialFeeProtocol1: initial.feeProtocol1,
    });
  }
  return world;
}

interface Blocks {
  store: RowStore;
  history: RowHistory;
  from: number;
  to: number;
  verdict: Verdict;
}

/** Feeds new facts to the reducer and its rows to the store; names the pools with facts. */
async function replay(scene: Scene, { store, history, from, to, verdict }: Blocks): Promise<Set<string>> {
  const facts = await readFacts(scene.setting, { from, to });
  const touched = new Set<string>();
  for (const flavour of ["uniswap", "kodiak"] as const) {
    const world = scene.worlds[flavour];
    for (const fact of facts[flavour]) {
      verdict.facts[fact.kind] = (verdict.facts[fact.kind] ?? 0) + 1;
      touched.add(poolOf(world, fact));
      const mismatch = applyFact(world, fact);
      if (mismatch !== undefined) verdict.stopped.push(mismatch.message);
    }
    for (const row of takeChanges(world)) {
      store.put(row);
      history.put(to, row);
      touched.add(row.pool);
    }
  }
  return touched;
}

function poolOf(world: V3World, fact: V3Fact): string {
  return "pool" in fact ? fact.pool : (world.manager.nfts.get(fact.tokenId)?.pool.pool ?? "");
}

interface Place {
  store: RowStore;
  pools: readonly FuzzPool[];
  block: number;
  verdict: Verdict;
}

async function compare(setting: Setting, { store, pools, block, verdict }: Place): Promise<void> {
  if (pools.length === 0) return;
  const comparisons: Comparison[] = [
    await compareState(setting, { store, pools, block }),
    await compareLeaving(setting, { store, pools, block }),
  ];
  for (const { compared, differences } of comparisons) {
    verdict.compared += compared;
    verdict.differences.push(...differences.map((difference) => ({ ...difference, block })));
  }
}

/** What a fold does after a stop: makes a new world from the rows. */
function restart(scene: Scene, store: RowStore): void {
  const rows = store.all();
  for (const flavour of ["uniswap", "kodiak"] as const) {
    const world = newWorld(scene.setting, flavour);
    for (const row of rows) if (world.pools.has(row.pool)) restoreRow(world, row);
    scene.worlds[flavour] = world;
  }
}
