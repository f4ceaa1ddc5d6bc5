// v3 pools over a range of blocks, and what they hold of a token for whom.
import type { ClaimSpan, PoolBacking } from "../../core/averages/backing-over.ts";
import { FRACTION_BITS } from "../../core/averages/cumulative.ts";
import { type Step, type Steps, withoutRepeats } from "../../core/averages/steps.ts";
import { claimSteps, type ExactClaim } from "../../core/averages/v3/claim-steps.ts";
import type { LiquiditySpan, PoolHistory, TickSpan } from "../../core/averages/v3/pool-history.ts";
import { weighClaims } from "../../core/averages/v3/weigh-claims.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import type { HeldAs } from "../backing/held-as.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import { directPositionId, positionAsset } from "../concentrated/position-id.ts";
import { positionKey } from "../concentrated/state-at.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { asOf } from "../history/as-of.ts";
import type { Address } from "../parameters.ts";
import type { PointRange } from "./ledger-over.ts";
import { ownerlessSpans } from "./ownerless-over.ts";
import { type OwnedSpan, type SlotSpan, V3Rows } from "./v3-rows.ts";

/** A position's claims while nothing of it changes. */
export interface PositionSpan extends OwnedSpan {
  id: bigint;
  manager: Address | undefined;
}

export interface PoolOver {
  pool: V3Pool;
  history: PoolHistory;
  protocolFees: readonly [Steps<bigint>, Steps<bigint>];
  /** Token ids and direct positions; of everybody, or of the owners that are meant. */
  positions: readonly PositionSpan[];
  /** Of the manager's account in the pool: what no token id has a claim to. */
  ownerless: readonly LiquiditySpan[];
  ticksAt: ReadonlyMap<number, readonly TickSpan[]>;
}

export class V3Over {
  readonly #rows: V3Rows;
  readonly #range: BlockSpan;
  readonly #pools = new Map<string, Promise<PoolOver>>();

  constructor(snapshot: Snapshot, { from, to }: PointRange) {
    this.#range = { from: from.block, to: to.block };
    this.#rows = new V3Rows(asOf(snapshot, to), this.#range);
  }

  /** In the order of `pools`; with `owners` only what they have there. */
  async poolsOver(pools: readonly V3Pool[], owners?: readonly Address[]): Promise<PoolOver[]> {
    const keyOf = ({ id }: V3Pool) => `${id} ${owners ? owners.join(" ") : "all"}`;
    const unread = pools.filter((pool) => !this.#pools.has(keyOf(pool)));
    if (unread.length > 0) {
      const read = this.#read(unread, owners);
      for (const [i, pool] of unread.entries())
        this.#pools.set(
          keyOf(pool),
          read.then((all) => all[i] as PoolOver),
        );
    }
    return Promise.all(pools.map((pool) => this.#pools.get(keyOf(pool)) as Promise<PoolOver>));
  }

  async #read(pools: readonly V3Pool[], owners: readonly Address[] | undefined): Promise<PoolOver[]> {
    const ids = pools.map(({ id }) => id);
    const positions = await this.#rows.positions(ids, owners);
    const withPositions = owners ? ids.filter((id) => positions.has(id)) : ids;
    const slots = await this.#rows.slots(withPositions);
    const ticks = owners ? await this.#rows.ticks(ticksOf(positions)) : await this.#rows.everyTick(ids);
    return pools.map((pool) =>
      poolOver(pool, {
        ...{ first: this.#range.from, slots: slots.get(pool.id) ?? [], ticks: ticks.get(pool.id) ?? [] },
        positions: positions.get(pool.id) ?? [],
      }),
    );
  }
}

function ticksOf(positions: ReadonlyMap<number, readonly OwnedSpan[]>): { pool: number; tick: number }[] {
  return [...positions].flatMap(([pool, spans]) => {
    const ticks = new Set(spans.flatMap(({ tickLower, tickUpper }) => [tickLower, tickUpper]));
    return [...ticks].map((tick) => ({ pool, tick }));
  });
}

interface Read {
  first: number;
  slots: readonly SlotSpan[];
  ticks: readonly TickSpan[];
  positions: readonly OwnedSpan[];
}

function poolOver(pool: V3Pool, { first, slots, ticks, positions }: Read): PoolOver {
  const stop = pool.stopped?.block ?? Number.POSITIVE_INFINITY;
  const running = positions
    .filter(({ from }) => from < stop)
    .map((span) => (span.until > stop ? { ...span, until: stop } : span));
  const ticksAt = new Map<number, TickSpan[]>();
  for (const span of ticks) {
    const spans = ticksAt.get(span.tick);
    if (spans) spans.push(span);
    else ticksAt.set(span.tick, [span]);
  }
  for (const spans of ticksAt.values()) spans.sort((a, b) => a.from - b.from);
  const isManagers = ({ owner, tokenId }: OwnedSpan) => tokenId === undefined && owner === pool.manager;
  return {
    ...{ pool, ticksAt, protocolFees: [feesOf(first, slots, 0), feesOf(first, slots, 1)] },
    history: { slots: slotSteps(first, slots), ticks },
    positions: named(
      pool,
      running.filter((span) => !isManagers(span)),
    ),
    ownerless: ownerlessSpans(running.filter(isManagers), running),
  };
}

/** Nothing before the first of `slots`. */
const slotSteps = (first: number, slots: readonly SlotSpan[]): PoolHistory["slots"] => [
  ...(slots[0]?.from === first ? [] : [{ from: first, value: undefined }]),
  ...slots.map(({ from, slot }) => ({ from, value: slot })),
];

const feesOf = (first: number, slots: readonly SlotSpan[], side: 0 | 1): Steps<bigint> =>
  withoutRepeats([
    ...(slots[0]?.from === first ? [] : [{ from: first, value: 0n }]),
    ...slots.map(({ from, protocolFees }) => ({ from, value: protocolFees[side] })),
  ]);

function named(pool: V3Pool, positions: readonly OwnedSpan[]): PositionSpan[] {
  const ids = new Map<string, bigint>();
  return positions.map((span) => {
    const { tokenId } = span;
    if (tokenId !== undefined) return { ...span, id: tokenId, manager: pool.manager };
    const key = positionKey(span);
    const id = ids.get(key) ?? directPositionId({ ...span, pool: pool.address });
    ids.set(key, id);
    return { ...span, id, manager: undefined };
  });
}

/** What one position may claim at each block at which that changes. */
export const exactSteps = ({ history, ticksAt }: PoolOver, span: LiquiditySpan): Steps<ExactClaim> =>
  claimSteps(
    history.slots,
    { lower: ticksAt.get(span.tickLower) ?? [], upper: ticksAt.get(span.tickUpper) ?? [] },
    span,
  );

const fixedPoint = ({ numerator, denominator }: Fraction): bigint => (numerator << FRACTION_BITS) / denominator;

/** Principal and fees of one side, with `FRACTION_BITS` behind the point. */
export const sideOf = (claim: ExactClaim, side: 0 | 1): { principal: bigint; fees: bigint } => ({
  principal: fixedPoint(side === 0 ? claim.principal0 : claim.principal1),
  fees: fixedPoint(side === 0 ? claim.fees0 : claim.fees1),
});

export const assetOf = ({ pool }: PoolOver, { id, manager }: PositionSpan, token: Address): string =>
  positionAsset({ pool: pool.address, manager, id, token });

/** One token of a pool; `expected`: what its events say it holds. Without it only some positions are meant. */
export function backingOver(over: PoolOver, token: Address, expected: Steps<bigint> | undefined): PoolBacking {
  const { pool, history, positions, protocolFees } = over;
  const side = pool.token0 === token ? 0 : 1;
  const spans: readonly LiquiditySpan[] = [...positions, ...over.ownerless];
  const claims = [
    ...positions.map(
      (span): ClaimSpan => ({
        asset: assetOf(over, span, token),
        owner: span.owner,
        from: span.from,
        until: span.until,
      }),
    ),
    ...over.ownerless.map(({ from, until }): ClaimSpan => ({ asset: undefined, owner: pool.manager, from, until })),
  ];
  return {
    ...{ claims, expected: expected ?? [], isPartial: expected === undefined, protocolFees: protocolFees[side] },
    stoppedFrom: pool.stopped?.block ?? Number.POSITIVE_INFINITY,
    weigh: (weight) => weighClaims(history, spans, weight).map((sum) => (side === 0 ? sum.amount0 : sum.amount1)),
    claimSteps: (index) =>
      exactSteps(over, spans[index] as LiquiditySpan).map(({ from, value }): Step<bigint> => {
        const { principal, fees } = sideOf(value, side);
        return { from, value: principal + fees };
      }),
  };
}

/** What each position of a pool is to its holder, by asset. */
export const positionsHeldAs = (over: PoolOver, token: Address): [string, HeldAs][] =>
  over.positions.map((span) => [
    assetOf(over, span, token),
    {
      ...{ kind: "v3-position", id: String(span.id), contract: over.pool.address },
      ...(span.manager ? { manager: span.manager } : {}),
    },
  ]);
