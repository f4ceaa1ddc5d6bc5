// The market's pools, replayed from its logs alone, block by block, by the product's rules.
import { type Address, decodeEventLog, erc20Abi, type Hex, parseAbi } from "viem";
import type { Pool, V2Pool, V3Pool } from "../../core/router/pool.ts";
import { applyFact, type V3World } from "../../core/v3/reducer.ts";
import type { PoolState } from "../../core/v3/state.ts";
import { readFacts } from "../../devnet/fuzz/v3-logs.ts";
import { newWorld } from "../../devnet/fuzz/v3-run.ts";
import type { FuzzPool } from "../../devnet/fuzz/v3-setting.ts";
import type { PlacedPool } from "../../gateway/router/pools-at.ts";
import type { Market } from "../../verify/quotes/questions.ts";
import type { MadeMarket } from "./made-market.ts";

const abi = parseAbi(["event Sync(uint112 reserve0, uint112 reserve1)"]);
const SYNC: Hex = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";

interface SyncLog {
  address: Address;
  topics: [Hex, ...Hex[]];
  data: Hex;
}

export class MarketWatch {
  readonly #made: MadeMarket;
  readonly #world: V3World;
  readonly #pairs = new Map<Address, V2Pool>();
  #next = 0;

  constructor(made: MadeMarket) {
    this.#made = made;
    this.#world = newWorld(made.stage, made.flavour);
  }

  /** The replayed state of a v3 pool. */
  stateOf({ address }: FuzzPool): PoolState {
    const state = this.#world.pools.get(address);
    if (state === undefined) throw new Error(`no state of pool ${address}`);
    return state;
  }

  /** Reads what has happened since the last time. @throws Error when replay and chain differ */
  async advance(): Promise<{ block: number; market: Market }> {
    const { chain } = this.#made.stage;
    const block = Number(await chain.rpc<Hex>("eth_blockNumber", []));
    const facts = await readFacts(this.#made.stage, { from: this.#next, to: block });
    for (const fact of facts[this.#made.flavour]) {
      const mismatch = applyFact(this.#world, fact);
      if (mismatch !== undefined) throw mismatch;
    }
    const range = { fromBlock: `0x${this.#next.toString(16)}`, toBlock: `0x${block.toString(16)}` };
    const address = this.#made.pairs.map((pair) => pair.address);
    const logs = await chain.rpc<SyncLog[]>("eth_getLogs", [{ address, topics: [SYNC], ...range }]);
    for (const log of logs) this.#sync(log);
    this.#next = block + 1;
    await this.#weigh();
    return { block, market: this.#market() };
  }

  #sync({ address: from, topics, data }: SyncLog): void {
    const address = from.toLowerCase() as Address;
    const pair = this.#made.pairs.find((one) => one.address === address);
    if (pair === undefined) throw new Error(`a Sync of an unknown pair: ${address}`);
    const { reserve0, reserve1 } = decodeEventLog({ abi, topics, data }).args;
    this.#pairs.set(address, { kind: "v2", ...pair, fee: 3000, reserve0, reserve1 });
  }

  /** What the pairs hold beyond their reserves. */
  async #weigh(): Promise<void> {
    const { client } = this.#made.stage.chain;
    const held = (token: string, pair: string) =>
      client.readContract({
        address: token as Address,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [pair as Address],
      });
    for (const [address, pair] of this.#pairs) {
      const [held0, held1] = [await held(pair.token0, address), await held(pair.token1, address)];
      const unsynced = { unsynced0: held0 - pair.reserve0, unsynced1: held1 - pair.reserve1 };
      this.#pairs.set(address, { ...pair, ...unsynced });
    }
  }

  #market(): Market {
    const placed = new Map<Address, PlacedPool>();
    const put = (pool: Pool, factory: Address | undefined) => placed.set(pool.address as Address, { pool, factory });
    for (const made of this.#made.stage.pools) put(poolOf(made, this.stateOf(made)), made.factory);
    for (const pair of this.#pairs.values()) put(pair, undefined);
    return { pools: placed, taxed: new Set() };
  }
}

const poolOf = (
  { address, token0, token1, fee, tickSpacing }: FuzzPool,
  { sqrtPriceX96, tick, liquidity, ticks }: PoolState,
): V3Pool => ({
  kind: "v3" as const,
  address,
  token0,
  token1,
  fee,
  tickSpacing,
  sqrtPriceX96,
  tick,
  liquidity,
  ticks: ticks.map(({ tick: at, liquidityNet }) => ({ tick: at, liquidityNet })),
});
