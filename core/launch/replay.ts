// Where every launch curve stands after a list of facts. Worlds are values: replaying more facts makes another one, so that the
// world of what is final stays while the blocks above it come and go.
import type {
  CurveSwap,
  CurveSync,
  LaunchFact,
  LaunchPlace,
  PairCreated,
  PoolGraduated,
  PoolInitialized,
} from "./facts.ts";

/** What was traded on a curve in one block. */
interface CurveTrades {
  block: number;
  /** Unix seconds of the block. */
  timestamp: number;
  /** Raw base units paid in by buyers, fees included, and paid out to sellers, after fees. */
  base: bigint;
}

export interface LaunchCurve {
  pool: string;
  token: string;
  baseToken: string;
  deployer: string;
  /** Its `PoolInitialized`. */
  created: LaunchPlace;
  sqrtPa: bigint;
  sqrtPb: bigint;
  /** Raw units that the whole range sells. */
  tokensInPool: bigint;
  /** Left to sell, raised, and the price; once graduated, as they were just before. */
  tokenReserve: bigint;
  baseReserve: bigint;
  sqrtPrice: bigint;
  graduated: LaunchPlace | undefined;
  swapsCount: number;
  /** By block, ascending. */
  trades: readonly CurveTrades[];
}

export interface LaunchWorld {
  /** By pool, in the order of creation. */
  curves: ReadonlyMap<string, LaunchCurve>;
  /** By {@link pairKey}. */
  pairs: ReadonlyMap<string, string>;
  /** First `Sync`s of pools that have not logged their `PoolInitialized` yet, which comes after it. */
  openings: ReadonlyMap<string, CurveSync>;
}

export const emptyWorld: LaunchWorld = { curves: new Map(), pairs: new Map(), openings: new Map() };

/** Of two tokens in either order. */
const pairKey = (token: string, other: string): string => [token, other].sort().join(" ");

/** The v2 pair of what a curve sells and raises, no matter who made it. */
export const pairOf = (world: LaunchWorld, { token, baseToken }: LaunchCurve): string | undefined =>
  world.pairs.get(pairKey(token, baseToken));

/** `facts` in the order of the chain, all of them later than those of `world`. */
export function replay(world: LaunchWorld, facts: Iterable<LaunchFact>): LaunchWorld {
  const next = new Replay(world);
  for (const fact of facts) next.take(fact);
  return next.world;
}

type Open = Omit<LaunchCurve, "trades"> & { trades: CurveTrades[] };

class Replay {
  readonly #curves: Map<string, LaunchCurve>;
  readonly #pairs: Map<string, string>;
  readonly #openings: Map<string, CurveSync>;
  /** Curves that are this world's own already. */
  readonly #copied = new Map<string, Open>();

  constructor({ curves, pairs, openings }: LaunchWorld) {
    this.#curves = new Map(curves);
    this.#pairs = new Map(pairs);
    this.#openings = new Map(openings);
  }

  get world(): LaunchWorld {
    return { curves: this.#curves, pairs: this.#pairs, openings: this.#openings };
  }

  take(fact: LaunchFact): void {
    if (fact.kind === "pair") this.#pair(fact);
    else if (fact.kind === "initialized") this.#open(fact);
    else this.#move(fact);
  }

  #move(fact: CurveSync | CurveSwap | PoolGraduated): void {
    const curve = this.#own(fact.pool);
    if (!curve) {
      if (fact.kind === "sync") this.#openings.set(fact.pool, fact);
      return;
    }
    // What an implementation logs after graduation, when its reserves are gone, is no state of the curve any more.
    if (curve.graduated) return;
    if (fact.kind === "graduated") curve.graduated = placeOf(fact);
    else if (fact.kind === "sync") sync(curve, fact);
    else trade(curve, fact);
  }

  #pair({ pair, token0, token1 }: PairCreated): void {
    this.#pairs.set(pairKey(token0, token1), pair);
  }

  /** The range is what the first `Sync` has left to sell; a pool that logs it later is empty until then. */
  #open(fact: PoolInitialized): void {
    const { pool, token, baseToken, deployer, sqrtPa, sqrtPb } = fact;
    const opening = this.#openings.get(pool);
    this.#openings.delete(pool);
    const curve: Open = {
      pool,
      token,
      baseToken,
      deployer,
      sqrtPa,
      sqrtPb,
      created: placeOf(fact),
      tokensInPool: opening?.tokenReserve ?? 0n,
      tokenReserve: opening?.tokenReserve ?? 0n,
      baseReserve: opening?.baseReserve ?? 0n,
      sqrtPrice: opening?.sqrtPrice ?? sqrtPa,
      graduated: undefined,
      swapsCount: 0,
      trades: [],
    };
    this.#curves.set(pool, curve);
    this.#copied.set(pool, curve);
  }

  #own(pool: string): Open | undefined {
    const copied = this.#copied.get(pool);
    const shared = this.#curves.get(pool);
    if (copied || !shared) return copied;
    const copy = { ...shared, trades: [...shared.trades] };
    this.#curves.set(pool, copy);
    this.#copied.set(pool, copy);
    return copy;
  }
}

const placeOf = ({ block, logIndex, timestamp }: LaunchPlace): LaunchPlace => ({ block, logIndex, timestamp });

function sync(curve: Open, { tokenReserve, baseReserve, sqrtPrice }: CurveSync): void {
  if (curve.tokensInPool === 0n) curve.tokensInPool = tokenReserve;
  Object.assign(curve, { tokenReserve, baseReserve, sqrtPrice });
}

function trade(curve: Open, { block, timestamp, base }: LaunchPlace & { base: bigint }): void {
  curve.swapsCount += 1;
  const last = curve.trades.at(-1);
  if (last?.block === block) curve.trades[curve.trades.length - 1] = { ...last, base: last.base + base };
  else curve.trades.push({ block, timestamp, base });
}
