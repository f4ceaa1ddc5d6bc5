// Islands from events alone: facts in event order in, what decides the worth of their shares out.
import { ZERO_ADDRESS } from "../zero-address.ts";
import {
  type FeesEarnedFact,
  type IslandCreatedFact,
  type IslandFact,
  type IslandSettings,
  OPEN_SETTINGS,
  type SharesBurnedFact,
  type TransferOutFact,
} from "./facts.ts";
import { IslandMismatchError } from "./island-mismatch.ts";
import { feeOfPart, managerPartRoundingDown } from "./manager-fee.ts";
import {
  createIsland,
  type FoldedIsland,
  type IslandConstants,
  type IslandState,
  type Payout,
  rowOf,
} from "./state.ts";

/** From this block on the island's state is unknown: what no event says about it has not been read. */
interface IslandWait {
  island: string;
  block: number;
}

/** Everything that is known of islands after the facts applied so far. */
export interface IslandWorld {
  readonly islands: Map<string, IslandState>;
  /** Islands that had facts since the last end of a block. */
  readonly touched: Set<IslandState>;
  /** Islands that wait take no facts: once their settings are read, all facts from that block on are replayed. */
  readonly waiting: Set<string>;
  /** Those that began to wait since the last end of a block. */
  waits: IslandWait[];
}

export const createIslandWorld = (): IslandWorld => ({
  islands: new Map(),
  touched: new Set(),
  waiting: new Set(),
  waits: [],
});

/** Puts an island back as it was at the end of some block. */
export function restoreIsland(world: IslandWorld, constants: IslandConstants, row: FoldedIsland): void {
  world.islands.set(constants.island, createIsland(constants, row));
}

/** Restores that an island was stopped: it takes no more facts. */
export function restoreIslandStop(world: IslandWorld, mismatch: IslandMismatchError): void {
  requireIsland(world, mismatch).stopped = mismatch;
}

/**
 * Applies the next fact; facts come ordered by (block, log index), every one of them, and {@link endIslandBlock} after
 * those of each block. Returns the error when this fact stops its island, which ignores all further ones.
 * @throws UnknownIslandError for facts of an island that was never created
 */
export function applyIslandFact(world: IslandWorld, fact: IslandFact): IslandMismatchError | undefined {
  if (world.waiting.has(fact.island)) return undefined;
  if (fact.kind === "created") {
    if (fact.settings) create(world, fact, fact.settings);
    else wait(world, fact);
    return undefined;
  }
  const island = requireIsland(world, fact);
  if (island.stopped) return undefined;
  if (fact.kind === "renounced" && !fact.settings) {
    wait(world, fact);
    return undefined;
  }
  world.touched.add(island);
  return stopping(island, () => {
    if (island.txIndex !== fact.txIndex) beginTransaction(island, fact);
    apply(island, fact);
  });
}

/** The islands that changed in the block just over, each once, those that stopped at its end, and those that wait from it on. */
export function endIslandBlock(world: IslandWorld): {
  rows: FoldedIsland[];
  stops: IslandMismatchError[];
  waits: IslandWait[];
} {
  const rows: FoldedIsland[] = [];
  const stops: IslandMismatchError[] = [];
  for (const island of world.touched) {
    const stop = island.stopped ? undefined : stopping(island, () => settle(island));
    if (stop) stops.push(stop);
    fill(island);
    if (island.hasChanged) rows.push(rowOf(island));
    island.hasChanged = false;
    island.txIndex = -1;
  }
  const { waits } = world;
  world.waits = [];
  world.touched.clear();
  return { rows, stops, waits };
}

/** Nothing is carried from one transaction to the next: an island that is restored between them goes on exactly like this one. */
function beginTransaction(island: IslandState, { txIndex }: IslandFact): void {
  settle(island);
  island.gross = [0n, 0n];
  island.txIndex = txIndex;
}

/** Nothing is recorded of it for the block that it waits for either, so that it can go on from the end of the block before. */
function wait(world: IslandWorld, { island, block }: IslandFact): void {
  const state = world.islands.get(island);
  if (state) world.touched.delete(state);
  world.islands.delete(island);
  world.waiting.add(island);
  world.waits.push({ island, block });
}

/** What the block's events have left open has the values that were read at the block's end. */
function fill(island: IslandState): void {
  const { atEnd } = island;
  island.atEnd = undefined;
  if (!atEnd) return;
  const { tickLower, tickUpper, managerFeeBps, treasury } = atEnd;
  if (island.tickLower === undefined) change(island, { tickLower, tickUpper });
  if (island.managerFeeBps === undefined) change(island, { managerFeeBps });
  if (island.treasury === undefined) change(island, { treasury });
}

function create(world: IslandWorld, fact: IslandCreatedFact, settings: IslandSettings): void {
  const { island, pool, token0, token1, manager } = fact;
  const row = { ...OPEN_SETTINGS, manager, managerBalance0: 0n, managerBalance1: 0n };
  const state = createIsland({ island, pool, token0, token1 }, row);
  state.atEnd = settings;
  state.hasChanged = true;
  world.islands.set(island, state);
  world.touched.add(state);
}

function apply(island: IslandState, fact: Exclude<IslandFact, IslandCreatedFact>): void {
  switch (fact.kind) {
    case "poolBurn":
      island.gross = [island.gross[0] - fact.amount0, island.gross[1] - fact.amount1];
      return;
    case "poolCollect":
      island.gross = [island.gross[0] + fact.amount0, island.gross[1] + fact.amount1];
      return;
    case "fees":
      bookFees(island, fact);
      return;
    case "transferOut":
      payOut(island, fact);
      return;
    case "burned":
      endBurn(island, fact);
      return;
    case "rebalance":
      // its swap pays a router, which may be the treasury
      takeBack(island, ({ amount, balance }) => amount !== balance);
      settle(island);
      change(island, { tickLower: fact.tickLower, tickUpper: fact.tickUpper });
      return;
    case "params":
      // a payout before it was to the treasury before it
      settle(island);
      change(island, { managerFeeBps: fact.managerFeeBps, treasury: fact.treasury });
      return;
    case "newManager":
      change(island, { manager: fact.manager });
      return;
    case "renounced": {
      if (!fact.settings) return;
      settle(island);
      island.atEnd = fact.settings;
      // what had not been paid out now belongs to the holders
      const nothing = { managerBalance0: 0n, managerBalance1: 0n };
      change(island, { manager: ZERO_ADDRESS, managerFeeBps: undefined, treasury: undefined, ...nothing });
    }
  }
}

/** The event leaves the manager's part out: what was collected shows it. A fee that is determined must agree. */
function bookFees(island: IslandState, fact: FeesEarnedFact): void {
  settle(island);
  const parts = [fact.amount0, fact.amount1].map((net, side) => {
    const gross = island.gross[side] ?? 0n;
    const fee = island.managerFeeBps;
    const managers = fee === undefined ? gross - net : managerPartRoundingDown(gross, fee);
    if (gross - managers !== net || managers < 0n)
      throw new IslandMismatchError(fact, {
        ...{ field: `feesEarned${side}`, expected: net },
        replayed: managers < 0n ? gross : gross - managers,
      });
    return { gross, managers };
  });
  for (const [side, { gross, managers }] of parts.entries()) {
    addToManager(island, side === 0 ? 0 : 1, managers);
    if (island.managerFeeBps !== undefined) continue;
    const managerFeeBps = feeOfPart(gross, managers);
    if (managerFeeBps !== undefined) change(island, { managerFeeBps });
  }
  island.gross = [0n, 0n];
}

/**
 * `withdrawManagerBalance` logs nothing of its own: only the transfers to the treasury show it. A burn may pay the treasury too,
 * but is logged afterwards.
 */
function payOut(island: IslandState, fact: TransferOutFact): void {
  const isGuess = island.treasury === undefined;
  const mayBePayout = isGuess ? fact.to !== island.pool : fact.to === island.treasury;
  if (!mayBePayout) return;
  const balance = fact.side === 0 ? island.managerBalance0 : island.managerBalance1;
  // transfers of other amounts may be paid to anybody; a pool, even if it is the treasury, is paid for what is minted in it
  if ((isGuess || fact.to === island.pool) && fact.amount !== balance) return;
  const { side, amount } = fact;
  island.payouts.push({ at: fact, side, amount, balance, isGuess });
  if (amount === balance) addToManager(island, side, -balance);
}

/** What the burn has paid its receiver was no payout of the manager's balance. */
function endBurn(island: IslandState, { receiver }: SharesBurnedFact): void {
  takeBack(island, ({ at }) => at.to === receiver);
  settle(island);
}

function takeBack(island: IslandState, isOther: (payout: Payout) => boolean): void {
  for (const { side, amount, balance } of island.payouts.filter(isOther))
    if (amount === balance) addToManager(island, side, balance);
  island.payouts = island.payouts.filter((payout) => !isOther(payout));
}

/** Transfers that nothing else explains have paid the manager, all of the balance at once; that shows which address the treasury is. */
function settle(island: IslandState): void {
  const [first] = island.payouts;
  if (first?.isGuess === true) {
    const { to } = first.at;
    const isWhole = island.managerBalance0 === 0n && island.managerBalance1 === 0n;
    if (isWhole && island.payouts.every(({ at }) => at.to === to)) change(island, { treasury: to });
    else takeBack(island, () => true);
  }
  const { payouts } = island;
  island.payouts = [];
  for (const { at, side, amount, balance } of payouts)
    if (amount !== balance)
      throw new IslandMismatchError(at, { field: `managerBalance${side}`, expected: amount, replayed: balance });
}

function addToManager(island: IslandState, side: 0 | 1, amount: bigint): void {
  if (amount === 0n) return;
  if (side === 0) change(island, { managerBalance0: island.managerBalance0 + amount });
  else change(island, { managerBalance1: island.managerBalance1 + amount });
}

function change(island: IslandState, fields: Partial<FoldedIsland>): void {
  Object.assign(island, fields);
  island.hasChanged = true;
}

function stopping(island: IslandState, replay: () => void): IslandMismatchError | undefined {
  try {
    replay();
    return undefined;
  } catch (error) {
    if (!(error instanceof IslandMismatchError)) throw error;
    island.stopped = error;
    return error;
  }
}

function requireIsland(world: IslandWorld, { island }: { island: string }): IslandState {
  const state = world.islands.get(island);
  if (state === undefined) throw new UnknownIslandError(island);
  return state;
}

/** A fact or row of an island that was never created. */
export class UnknownIslandError extends Error {
  constructor(island: string) {
    super(`Island ${island} has facts, but no factory created it.`);
    this.name = "UnknownIslandError";
  }
}
