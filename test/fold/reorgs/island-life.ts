// Islands over v3 pools: created, rebalanced, managed, renounced; their managers' part of fees booked and paid out.
import { managerPartRoundingDown } from "../../../core/island/manager-fee.ts";
import type { AnsweredSettings } from "../../support/island-script.ts";
import { accountOf, ZERO } from "../../support/reference-ledger.ts";
import { mintFor, range, type Stage, say } from "../random-v3-acts.ts";
import type { BlockScribe } from "./block-scribe.ts";
import { move, pay, someAccount, type TokenLife } from "./token-life.ts";
import type { V3Life } from "./v3-life.ts";

interface LivingIsland {
  island: string;
  pool: number;
  settings: AnsweredSettings;
  /** Held for the manager. */
  owed: [bigint, bigint];
  /** Something that no event shows has happened in this block. */
  isToBeRead: boolean;
}

export type IslandLife = LivingIsland[];

/** What an island says of itself at the end of a block, where no event shows it. */
export interface ReadSettings extends AnsweredSettings {
  island: string;
}

export interface IslandGround {
  tokens: TokenLife;
  v3: V3Life;
  stage(pool: V3Life["pools"][number]): Stage;
}

const MOST_ISLANDS = 5;
const FEES = [0, 100, 1_000, 2_500];

function create(life: IslandLife, scribe: BlockScribe, { pools }: V3Life): void {
  const { random } = scribe;
  const index = random.between(0, pools.length - 1);
  const island = accountOf(500 + life.length);
  const ticks = { tickLower: -600, tickUpper: 600 };
  const settings = { ...ticks, managerFeeBps: random.pick(FEES), treasury: someAccount(scribe) };
  life.push({ island, pool: index, settings, owed: [0n, 0n], isToBeRead: true });
  const more = { manager: someAccount(scribe), factory: accountOf(90), implementation: accountOf(91) };
  scribe.tell("island_created", { island, pool: pools[index]!.address, ...more });
}

/** Takes what a position of the island has earned; sometimes the event says something else. */
function harvest(island: LivingIsland, scribe: BlockScribe, stage: Stage): void {
  const owner = island.island;
  const position = [...stage.pool.positions.values()].find((one) => one.owner === owner && one.liquidity > 0n);
  if (position === undefined) {
    mintFor(stage, owner, range(stage));
    return;
  }
  const { tickLower, tickUpper, liquidity } = position;
  const burnt = stage.forward.burn(tickLower, tickUpper, scribe.random.chance(0.5) ? 0n : liquidity / 2n);
  if (burnt.kind !== "burn") throw new Error("a burn is a burn");
  say(stage, { ...burnt, owner });
  const collected = { amount0: position.tokensOwed0, amount1: position.tokensOwed1 };
  const place = { pool: stage.pool.pool, owner, tickLower, tickUpper };
  stage.scribe.log(stage.world, stage.pool.pool, { kind: "collect", ...place, ...collected });
  const gross = [collected.amount0 - burnt.amount0, collected.amount1 - burnt.amount1] as const;
  const parts = gross.map((fees) => managerPartRoundingDown(fees, island.settings.managerFeeBps));
  const lie = scribe.random.chance(0.03) ? 1n : 0n;
  const [amount0, amount1] = [gross[0] - parts[0]! + lie, gross[1] - parts[1]!];
  scribe.tell("island_flow", { island: owner, kind: "fees", amount0: `${amount0}`, amount1: `${amount1}` });
  island.owed = [island.owed[0] + parts[0]!, island.owed[1] + parts[1]!];
}

/** Pays the manager, or somebody who burns shares and happens to be the treasury. */
function payOut(island: LivingIsland, scribe: BlockScribe, { tokens, v3 }: IslandGround): void {
  const { token0, token1 } = v3.pools[island.pool]!;
  const { treasury } = island.settings;
  if (scribe.random.chance(0.3)) {
    pay(tokens, scribe, { token: token0, from: island.island, to: treasury, amount: 77n });
    const burnt = { receiver: treasury, shares: "5", amount0: "77", amount1: "0", liquidity: "1" };
    scribe.tell("island_flow", { island: island.island, kind: "burn", ...burnt });
    return;
  }
  for (const [side, token] of [token0, token1].entries()) {
    const amount = island.owed[side]!;
    if (amount > 0n) pay(tokens, scribe, { token, from: island.island, to: treasury, amount });
  }
  island.owed = [0n, 0n];
}

function manage(island: LivingIsland, scribe: BlockScribe): void {
  const { random } = scribe;
  const none = { fee_bps: null, treasury: null, new_manager: null };
  if (random.chance(0.5)) {
    const [fee_bps, treasury] = [random.pick(FEES), someAccount(scribe)];
    Object.assign(island.settings, { managerFeeBps: fee_bps, treasury });
    scribe.tell("island_manager", { ...none, island: island.island, kind: "params", fee_bps, treasury });
    return;
  }
  const isRenounced = random.chance(0.4);
  const new_manager = isRenounced ? ZERO : someAccount(scribe);
  scribe.tell("island_manager", { ...none, island: island.island, kind: "owner", new_manager });
  if (!isRenounced) return;
  Object.assign(island.settings, { managerFeeBps: random.pick(FEES), treasury: someAccount(scribe) });
  island.owed = [0n, 0n];
  island.isToBeRead = true;
}

function rebalance(island: LivingIsland, scribe: BlockScribe): void {
  const tick = scribe.random.between(-50, 50) * 60;
  Object.assign(island.settings, { tickLower: tick, tickUpper: tick + 600 });
  const range = { tick_lower: tick, tick_upper: tick + 600, liquidity_before: "1", liquidity_after: "2" };
  scribe.tell("island_rebalance", { island: island.island, compounder: accountOf(92), ...range });
}

function act(island: LivingIsland, scribe: BlockScribe, ground: IslandGround): void {
  const pool = ground.v3.pools[island.pool]!;
  const draw = scribe.random.between(0, 9);
  if (draw < 4 && pool.isInitialized) harvest(island, scribe, ground.stage(pool));
  else if (draw < 6) payOut(island, scribe, ground);
  else if (draw < 8) manage(island, scribe);
  else if (draw < 9) rebalance(island, scribe);
  else move(ground.tokens, scribe, { token: pool.token0, from: ZERO, to: island.island, amount: 50n });
}

/** Some acts or none; resolves to what must be read of islands at the end of the block. */
export function actOnIslands(life: IslandLife, scribe: BlockScribe, ground: IslandGround): ReadSettings[] {
  const { random } = scribe;
  const { v3 } = ground;
  if (v3.pools.length > 0 && life.length < MOST_ISLANDS && random.chance(0.12)) create(life, scribe, v3);
  for (let acts = life.length === 0 ? 0 : random.between(0, 2); acts > 0; acts -= 1) {
    scribe.nextTransaction();
    act(random.pick(life), scribe, ground);
  }
  const read = life.filter(({ isToBeRead }) => isToBeRead);
  for (const island of read) island.isToBeRead = false;
  return read.map(({ island, settings }) => ({ island, ...settings }));
}
