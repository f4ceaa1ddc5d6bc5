// The router benchmark's made-up market as facts: every pool with exactly the ticks that it has in memory.
import type { Sql } from "postgres";
import type { Pool, V2Pool, V3Pool } from "../../core/router/pool.ts";
import { ForwardPool } from "../index/v3/forward-pool.ts";
import type { World } from "../router/world.ts";

const addressOf = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "a")}`;
export const [FACTORY_V2, FACTORY_V3, MANAGER] = [addressOf(2), addressOf(3), addressOf(4)];
const [OWNER, ZERO] = [addressOf(1), `0x${"0".repeat(40)}`];

const FIRST_BLOCK = 10;
const LOGS_PER_BLOCK = 1_000;
const ROWS_AT_ONCE = 2_000;

type Values = Record<string, string | number>;

/** Numbers logs in the order in which they are added. */
class FactRows {
  readonly tables = new Map<string, Values[]>();
  #logs = 0;

  tell(table: string, values: Values): void {
    const block = FIRST_BLOCK + Math.floor(this.#logs / LOGS_PER_BLOCK);
    const place = { block, log_index: this.#logs % LOGS_PER_BLOCK, tx_index: 0, timestamp: 1_700_000_000 + 2 * block };
    this.#logs += 1;
    const rows = this.tables.get(table) ?? [];
    this.tables.set(table, rows);
    rows.push({ ...place, ...values });
  }
}

/** Writes all pools, and an account that holds some of every token. */
export async function writePools(db: Sql, schema: string, { pools, tokens }: World): Promise<void> {
  const facts = new FactRows();
  for (const { address, decimals } of tokens)
    facts.tell("erc20_transfer", {
      token: address,
      from: ZERO,
      to: OWNER,
      amount: String(10n ** BigInt(decimals + 9)),
    });
  for (const pool of pools) tellPool(facts, pool);
  for (const [table, rows] of facts.tables)
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE)
      await db`insert into ${db(schema)}.${db(table)} ${db(rows.slice(i, i + ROWS_AT_ONCE))}`;
}

const tellPool = (facts: FactRows, pool: Pool): void =>
  pool.kind === "v3" ? tellV3(facts, pool) : tellV2(facts, pool);

function tellV2(facts: FactRows, { address: pair, token0, token1, reserve0, reserve1 }: V2Pool): void {
  facts.tell("v2_pair_created", { factory: FACTORY_V2, pair, token0, token1, ordinal: 1 });
  facts.tell("v2_sync", { pair, reserve0: String(reserve0), reserve1: String(reserve1) });
}

/** One position for each stretch between two ticks, with all the liquidity there. */
function tellV3(facts: FactRows, { address: pool, token0, token1, fee, tickSpacing, ...at }: V3Pool): void {
  facts.tell("v3_pool_created", { factory: FACTORY_V3, pool, token0, token1, fee, tick_spacing: tickSpacing });
  facts.tell("v3_initialize", { pool, sqrt_price_x96: String(at.sqrtPriceX96), tick: at.tick });
  const forward = new ForwardPool({ fee, tickSpacing, price: at.sqrtPriceX96 });
  let liquidity = 0n;
  for (const [i, { tick, liquidityNet }] of at.ticks.entries()) {
    liquidity += liquidityNet;
    const upper = at.ticks[i + 1]?.tick;
    if (liquidity === 0n || upper === undefined) continue;
    const { amount0, amount1 } = forward.mint(tick, upper, liquidity);
    facts.tell("v3_liquidity", {
      pool,
      kind: "mint",
      sender: MANAGER,
      owner: MANAGER,
      tick_lower: tick,
      tick_upper: upper,
      liquidity: String(liquidity),
      amount0: String(amount0),
      amount1: String(amount1),
    });
  }
}
