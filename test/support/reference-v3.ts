// Who stands behind v3 pools, worked out from the reducer's memory after all facts up to a block: no rows, no SQL.
import { nftAmounts, positionAmounts } from "../../core/concentrated/position-amounts.ts";
import { applyFact, type V3World as ReducerWorld } from "../../core/v3/reducer.ts";
import { findTick, type PoolState } from "../../core/v3/state.ts";
import { directPositionId } from "../../gateway/concentrated/position-id.ts";
import { worldsOf } from "../fold/random-v3-history.ts";
import { ledgerAt, ZERO } from "./reference-ledger.ts";
import { flowOf, type V3World } from "./v3-index.ts";

export interface ReferencePosition {
  id: bigint;
  manager: string | undefined;
  owner: string;
  pool: string;
  principal: [bigint, bigint];
  fees: [bigint, bigint];
}

const ticksOf = (pool: PoolState, range: { tickLower: number; tickUpper: number }) => ({
  lower: findTick(pool, range.tickLower),
  upper: findTick(pool, range.tickUpper),
});

function directPositions(pool: PoolState, manager: string): ReferencePosition[] {
  const direct = [...pool.positions.values()].filter(({ owner }) => owner !== manager);
  return direct.map((position) => {
    const worth = positionAmounts(pool, { position, ticks: ticksOf(pool, position) });
    const id = directPositionId({ ...position, pool: pool.pool });
    return { id, manager: undefined, owner: position.owner, pool: pool.pool, ...apart(worth) };
  });
}

function tokenPositions({ manager: { manager, nfts } }: ReducerWorld): ReferencePosition[] {
  return [...nfts.values()].map((nft) => {
    const managerPosition = nft.pool.positions.get(`${manager}:${nft.tickLower}:${nft.tickUpper}`)!;
    const worth = nftAmounts(nft.pool, { nft, managerPosition, ticks: ticksOf(nft.pool, nft) });
    return { id: nft.tokenId, manager, owner: nft.owner, pool: nft.pool.pool, ...apart(worth) };
  });
}

/** Every position that is worth anything at the end of `block`; pools by address. */
export function v3At(world: V3World, block: number) {
  const worlds = worldsOf(world.pools);
  const byPool = new Map(world.pools.map(({ constants, deployment }) => [constants.pool, worlds.get(deployment)!]));
  const byManager = new Map([...worlds].map(([{ manager }, one]) => [manager, one]));
  for (const { fact, contract } of world.facts)
    if (fact.block <= block) applyFact("pool" in fact ? byPool.get(fact.pool)! : byManager.get(contract)!, fact);
  const all = [...worlds.values()];
  const states = all.flatMap((one) => [...one.pools.values()].map((pool) => ({ pool, manager: one.manager.manager })));
  return {
    positions: [
      ...states.flatMap(({ pool, manager }) => directPositions(pool, manager)),
      ...all.flatMap(tokenPositions),
    ],
    pools: new Map(states.map(({ pool }) => [pool.pool, pool])),
  };
}

const apart = (worth: ReturnType<typeof positionAmounts>): Pick<ReferencePosition, "principal" | "fees"> => ({
  principal: [worth.principal0, worth.principal1],
  fees: [worth.fees0, worth.fees1],
});

export interface ReferenceAnswer {
  supply: bigint;
  /** Account -> `balance` or `<manager or direct> <id>` -> value and principal. */
  accounts: Map<string, Map<string, { value: bigint; principal: bigint | undefined }>>;
  /** `<contract> <reason>` -> amount. */
  unattributed: Map<string, bigint>;
}

/** One pool's side: what its positions, its protocol fee and its events make of what it holds. */
interface Side {
  pool: string;
  side: 0 | 1;
  held: bigint;
  positions: readonly ReferencePosition[];
  state: PoolState;
}

/** What the pool's events say it holds. */
const expectedIn = ({ facts }: V3World, { pool, side }: Side, block: number): bigint =>
  facts
    .filter(({ fact, contract }) => fact.block <= block && contract === pool)
    .reduce((sum, { fact }) => sum + flowOf(fact)[side], 0n);

class Answer {
  readonly accounts: ReferenceAnswer["accounts"] = new Map();
  readonly unattributed: ReferenceAnswer["unattributed"] = new Map();

  lose(contract: string, reason: string, amount: bigint): void {
    const key = `${contract} ${reason}`;
    if (amount > 0n) this.unattributed.set(key, (this.unattributed.get(key) ?? 0n) + amount);
  }

  give(account: string, source: string, part: { value: bigint; principal: bigint | undefined }): void {
    if (part.value > 0n) this.accounts.set(account, (this.accounts.get(account) ?? new Map()).set(source, part));
  }

  /** Gives out one side of a pool; `isPool`: its position belongs to nobody. */
  share({ pool, side, held, positions, state }: Side, expected: bigint, isPool: ReadonlySet<string>): void {
    const protocol = side === 0 ? state.protocolFees0 : state.protocolFees1;
    let left = expected - protocol;
    for (const { id, manager, owner, principal, fees } of positions) {
      const value = principal[side] + fees[side];
      left -= value;
      if (isPool.has(owner)) this.lose(owner, "stray", value);
      else this.give(owner, `${manager ?? "direct"} ${id}`, { value, principal: principal[side] });
    }
    this.lose(pool, "protocol-fee", protocol);
    this.lose(pool, "stray", held - expected);
    this.lose(pool, "rounding", left);
  }
}

/** The answer about `token` at `block`; positions whose owner is a pool are stray. */
export function answerAt(world: V3World, token: string, block: number): ReferenceAnswer {
  const { positions, pools } = v3At(world, block);
  const { balances, supply } = ledgerAt(world.transfers, token, block);
  const created = world.pools.filter((pool) => pool.created.block <= block);
  const isPool = new Set(created.map(({ constants }) => constants.pool));
  const answer = new Answer();
  for (const [account, amount] of balances) {
    if (account === ZERO) answer.lose(ZERO, "zero-address", amount);
    else if (!isPool.has(account)) answer.give(account, "balance", { value: amount, principal: undefined });
  }
  for (const { created: creation, constants } of created) {
    const { pool } = constants;
    const held = balances.get(pool) ?? 0n;
    const at = [creation.token0, creation.token1].indexOf(token);
    if (at === -1) {
      answer.lose(pool, "stray", held);
      continue;
    }
    const own = positions.filter((one) => one.pool === pool);
    const side: Side = { pool, side: at === 0 ? 0 : 1, held, positions: own, state: pools.get(pool)! };
    answer.share(side, expectedIn(world, side, block), isPool);
  }
  return { supply, accounts: answer.accounts, unattributed: answer.unattributed };
}
