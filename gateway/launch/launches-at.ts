// Every launch curve at a block. What is final is replayed once per process and carried on from there; a block before that
// is replayed from the first launch.
import { type LaunchFactRow, launchFactsText, toLaunchFact } from "../../core/launch/fact-rows.ts";
import { emptyWorld, type LaunchWorld, replay } from "../../core/launch/replay.ts";
import type { OperationContext } from "../context.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";

/** Facts of one statement: Ponder's tables stay locked while it runs. */
const MOST_FACTS = 20_000;
/** Curves and trades of all worlds that are remembered. */
const MOST_KEPT = 500_000;

/** A world and the last block whose facts are in it. */
interface World {
  upTo: number;
  world: LaunchWorld;
}

/** The furthest final world of each chain, of the index it was made from. */
const furthest = new Map<number, World & { index: string }>();

const sizeOf = ({ curves }: LaunchWorld): number =>
  [...curves.values()].reduce((sum, { trades }) => sum + trades.length, curves.size + 1);

const kept = keepAnswers<LaunchWorld>({ most: MOST_KEPT, mostAnswers: 40, weigh: sizeOf });

/** `point` must have been fixed in this request's snapshot; not to be called inside `withFacts`. */
export async function launchesAt({ chain, snapshot }: OperationContext, point: BlockPoint): Promise<LaunchWorld> {
  if (!chain.launch) return emptyWorld;
  return kept.of({ snapshot, point, about: "launches" }, async () => {
    const folded = Math.min(point.block, point.watermark);
    const final = await carryOn(snapshot, startFor(snapshot, { chainId: chain.chainId, folded }), folded);
    remember(snapshot, chain.chainId, final);
    return (await carryOn(snapshot, final, point.block)).world;
  });
}

function startFor(snapshot: Snapshot, { chainId, folded }: { chainId: number; folded: number }): World {
  const known = furthest.get(chainId);
  return known?.index === snapshot.index && known.upTo <= folded ? known : { upTo: -1, world: emptyWorld };
}

function remember(snapshot: Snapshot, chainId: number, { upTo, world }: World): void {
  const known = furthest.get(chainId);
  const { index } = snapshot;
  if (known?.index !== index || known.upTo < upTo) furthest.set(chainId, { index, upTo, world });
}

async function carryOn(snapshot: Snapshot, from: World, upTo: number): Promise<World> {
  let { world } = from;
  let after: readonly [number, number] = [from.upTo, AFTER_ALL_LOGS];
  for (let isMore = from.upTo < upTo; isMore; ) {
    const rows = await snapshot.withFacts((facts) =>
      facts.prepared<LaunchFactRow>(launchFactsText(facts.schemas.ponder, MOST_FACTS), [...after, upTo].map(String)),
    );
    world = replay(world, rows.map(toLaunchFact));
    const last = rows.at(-1);
    isMore = rows.length === MOST_FACTS && last !== undefined;
    if (last) after = [last.block, last.log_index];
  }
  return { upTo, world };
}

/** Behind the last log of any block. */
const AFTER_ALL_LOGS = 2 ** 31 - 1;
