// The reducer's worlds, one per position manager, and how facts and rows find theirs.

import type { FeeProtocol } from "../../core/concentrated/protocol-fee.ts";
import type { V3Fact } from "../../core/v3/facts.ts";
import { addPool, createWorld, setInitialFeeProtocol, type V3World } from "../../core/v3/reducer.ts";
import type { PoolConstants } from "../../core/v3/state.ts";
import type { V3Deployment } from "./deployments.ts";

export interface IndexedPool {
  /** Its number in the tables. */
  id: number;
  address: string;
  deployment: V3Deployment;
  world: V3World;
}

/** What a factory announced about a pool, and its initial protocol fee as far as it is known. */
interface NewPool extends Omit<PoolConstants, "flavour" | "initialFeeProtocol0" | "initialFeeProtocol1"> {
  id: number;
  factory: string;
  initialFee: FeeProtocol | undefined;
}

export class Worlds {
  readonly #pools = new Map<string, IndexedPool>();
  readonly #byId = new Map<number, IndexedPool>();
  readonly #byManager = new Map<string, V3World>();
  readonly #deployments: ReadonlyMap<string, V3Deployment>;

  constructor(deployments: readonly V3Deployment[]) {
    this.#deployments = new Map(deployments.map((deployment) => [deployment.factory, deployment]));
    for (const { manager } of deployments) this.#byManager.set(manager, createWorld({ manager }));
  }

  /** Every world with its position manager. */
  get all(): Iterable<[manager: string, world: V3World]> {
    return this.#byManager;
  }

  /** The pool with this number in the tables. */
  numbered(id: number): IndexedPool {
    const pool = this.#byId.get(id);
    if (pool === undefined) throw new Error(`no pool has the number ${id}`);
    return pool;
  }

  /** Pools that stopped in a later block. */
  stoppedAfter(block: number): IndexedPool[] {
    return [...this.#pools.values()].filter(
      ({ world, address }) => (world.pools.get(address)?.stopped?.block ?? -1) > block,
    );
  }

  /** The pool's creation is taken back. */
  remove(address: string): void {
    const { id, world } = this.pool(address);
    world.pools.delete(address);
    this.#pools.delete(address);
    this.#byId.delete(id);
  }

  add({ id, factory, initialFee, ...constants }: NewPool): IndexedPool {
    const deployment = this.#deployments.get(factory);
    if (deployment === undefined)
      throw new Error(`pool ${constants.pool} is of factory ${factory}, which the chain file does not name`);
    const world = this.ofManager(deployment.manager);
    // the uniswap flavour begins with nothing for the protocol; a kodiak pool's fee is set before its first fact
    const { feeProtocol0, feeProtocol1 } = initialFee ?? { feeProtocol0: 0, feeProtocol1: 0 };
    const { flavour } = deployment;
    addPool(world, { ...constants, flavour, initialFeeProtocol0: feeProtocol0, initialFeeProtocol1: feeProtocol1 });
    const pool = { id, address: constants.pool, deployment, world };
    this.#pools.set(constants.pool, pool);
    this.#byId.set(id, pool);
    return pool;
  }

  setInitialFee(pool: string, fee: FeeProtocol): void {
    setInitialFeeProtocol(this.pool(pool).world, { pool, ...fee });
  }

  has(address: string): boolean {
    return this.#pools.has(address);
  }

  pool(address: string): IndexedPool {
    const pool = this.#pools.get(address);
    if (pool === undefined) throw new Error(`pool ${address} has facts, but no factory created it`);
    return pool;
  }

  ofManager(manager: string): V3World {
    const world = this.#byManager.get(manager);
    if (world === undefined) throw new Error(`${manager} is no position manager of the chain file`);
    return world;
  }

  /** `contract`: the pool, or the position manager for facts of token ids. */
  ofFact(fact: V3Fact, contract: string): V3World {
    return "pool" in fact ? this.pool(fact.pool).world : this.ofManager(contract);
  }
}
