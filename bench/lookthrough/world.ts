// The made-up facts: one token in many wallets; one in a v2 pair with as many holders of shares; one in a v3 pool with as many
// owners of token ids; one in both, with half of the holders each.
import type { Sql } from "postgres";
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import { quoted } from "../../fold/tables.ts";
import { ForwardPool } from "../index/v3/forward-pool.ts";

const addressOf = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "b")}`;
const [zero, deployer] = [`0x${"0".repeat(40)}`, addressOf(1)];

export const [FACTORY_V2, FACTORY_V3, MANAGER] = [addressOf(2), addressOf(3), addressOf(4)];
/** The other token of every pool, above all others, so that it is token1. */
const OTHER = `0x${"f".repeat(40)}`;

export const cases = ["wallets", "pair", "positions", "both"] as const;
export type Case = (typeof cases)[number];
export const tokenOf = (one: Case): `0x${string}` => addressOf(16 + cases.indexOf(one));
const pairOf = (one: Case): string => addressOf(32 + cases.indexOf(one));
const poolOf = (one: Case): string => addressOf(48 + cases.indexOf(one));

/** Blocks with facts end well before those that are asked about. */
export const HEAD = 3_000;
const FIRST = 10;
const HISTORY_BLOCKS = 1_500;
const RANGES = 400;
const FEE = 3_000;
const TICK_SPACING = 60;

interface Holders {
  from: number;
  to: number;
}

/** Which accounts, by number, hold in which way. */
export function holdersOf(one: Case, holders: number): { wallets: Holders; shares: Holders; positions: Holders } {
  const [none, all] = [
    { from: 1, to: 0 },
    { from: 1, to: holders },
  ];
  const half = Math.floor(holders / 2);
  return {
    wallets: one === "wallets" ? all : none,
    shares: one === "pair" ? all : one === "both" ? { from: 1, to: half } : none,
    positions: one === "positions" ? all : one === "both" ? { from: half + 1, to: holders } : none,
  };
}

/** SQL of the n-th account's address, and of an amount that only it has. */
const account = (n: string): string => `'0x' || md5(${n}::text) || substr(md5('x' || ${n}), 1, 8)`;
const amount = (n: string): string => `(1000000000000000000 + ${n}::numeric * 1234567890123457)`;

class Facts {
  readonly #db: Sql;
  readonly #schema: string;
  #logs = 0;

  constructor(db: Sql, schema: string) {
    this.#db = db;
    this.#schema = quoted(schema);
  }

  /** Rows of (n, columns…) over a range of numbers, spread over the blocks of the history, `logs` logs apart. */
  async tellMany(table: string, input: { columns: string; values: string; over: string; log?: number }): Promise<void> {
    const { columns, values, over, log = 0 } = input;
    await this.#db.unsafe(`
      insert into ${this.#schema}.${table} (block, log_index, tx_index, timestamp, ${columns})
      select block, 10 * n + ${log}, n, 1700000000 + 2 * block, ${values}
        from ${over}, lateral (select ${FIRST} + 1 + n % ${HISTORY_BLOCKS} as block) place`);
  }

  /** One row, in the block before all of the many. */
  async tell(table: string, values: Record<string, string | number>): Promise<void> {
    const names = Object.keys(values).map((name) => `"${name}"`);
    await this.#db.unsafe(
      `insert into ${this.#schema}.${table} (block, log_index, tx_index, timestamp, ${names.join(", ")})
       values (${FIRST}, ${this.#logs++}, 0, ${1_700_000_000 + 2 * FIRST}, ${names.map((_, i) => `$${i + 1}`).join(", ")})`,
      Object.values(values).map(String),
    );
  }
}

const over = ({ from, to }: Holders): string => `generate_series(${from}, ${to}) n`;

/** All facts of the four tokens. */
export async function writeWorld(db: Sql, schema: string, holders: number): Promise<void> {
  const facts = new Facts(db, schema);
  for (const one of cases) {
    const { wallets, shares, positions } = holdersOf(one, holders);
    // shifts log indexes, so that those of different cases do not collide
    const shift = cases.indexOf(one) * holders;
    await mintMany(facts, { token: tokenOf(one), to: wallets, shift });
    if (shares.to >= shares.from) await tellPair(facts, { one, shares, shift });
    if (positions.to >= positions.from) await tellPool(db, facts, { schema, one, positions, shift });
  }
}

const mint = (facts: Facts, { token, to, amount: value }: { token: string; to: string; amount: bigint }) =>
  facts.tell("erc20_transfer", { token, from: zero, to, amount: String(value) });

async function mintMany(facts: Facts, { token, to, shift }: { token: string; to: Holders; shift: number }) {
  await facts.tellMany("erc20_transfer", {
    columns: `token, "from", "to", amount`,
    values: `'${token}', '${zero}', ${account(`(n - ${shift})`)}, ${amount(`(n - ${shift})`)}`,
    over: over({ from: to.from + shift, to: to.to + shift }),
  });
}

async function tellPair(facts: Facts, { one, shares, shift }: { one: Case; shares: Holders; shift: number }) {
  const pair = pairOf(one);
  const created = { factory: FACTORY_V2, pair, token0: tokenOf(one), token1: OTHER, ordinal: 1 };
  await facts.tell("v2_pair_created", created);
  await mint(facts, { token: tokenOf(one), to: pair, amount: 10n ** 24n + 7n });
  await mint(facts, { token: OTHER, to: pair, amount: 10n ** 24n });
  await mint(facts, { token: pair, to: zero, amount: 1_000n });
  await mintMany(facts, { token: pair, to: shares, shift });
}

interface PoolOrder {
  schema: string;
  one: Case;
  positions: Holders;
  shift: number;
}

/** Token ids of one pool over many ranges, half of them in range, with fees from a flash loan. */
async function tellPool(db: Sql, facts: Facts, { schema, one, positions, shift }: PoolOrder): Promise<void> {
  const [pool, token] = [poolOf(one), tokenOf(one)];
  const price = getSqrtRatioAtTick(0);
  const created = { factory: FACTORY_V3, pool, token0: token, token1: OTHER, fee: FEE, tick_spacing: TICK_SPACING };
  await facts.tell("v3_pool_created", created);
  await facts.tell("v3_initialize", { pool, sqrt_price_x96: String(price), tick: 0 });
  const forward = new ForwardPool({ fee: FEE, tickSpacing: TICK_SPACING, price });
  const minted: (string | number)[][] = [];
  let [paid0, paid1] = [0n, 0n];
  for (let n = positions.from; n <= positions.to; n++) {
    const width = 1 + (n % (RANGES / 2));
    const centre = n % 2 === 0 ? 0 : TICK_SPACING * (width + 1);
    const [lower, upper] = [centre - TICK_SPACING * width, centre + TICK_SPACING * width];
    const liquidity = 10n ** 18n + BigInt(n) * 1_234_567_890_123n;
    const { amount0, amount1 } = forward.mint(lower, upper, liquidity);
    [paid0, paid1] = [paid0 + amount0, paid1 + amount1];
    minted.push([n + shift, lower, upper, String(liquidity), String(amount0), String(amount1)]);
  }
  await db.unsafe(
    "create temp table minted (n int4, lower int4, upper int4, liquidity numeric, amount0 numeric, amount1 numeric)",
  );
  for (let i = 0; i < minted.length; i += 5_000) {
    const rows = minted.slice(i, i + 5_000).map((row) => `(${row.join(", ")})`);
    await db.unsafe(`insert into minted values ${rows.join(", ")}`);
  }
  await tellTokenIds(facts, { pool, shift });
  await db.unsafe("drop table minted");
  await mint(facts, { token, to: pool, amount: paid0 + 10n ** 20n });
  await mint(facts, { token: OTHER, to: pool, amount: paid1 + 10n ** 20n });
  await tellFlash(db, schema, pool);
}

async function tellTokenIds(facts: Facts, { pool, shift }: { pool: string; shift: number }): Promise<void> {
  const ofPool = `pool, kind, sender, owner, tick_lower, tick_upper, liquidity, amount0, amount1`;
  await facts.tellMany("v3_liquidity", {
    columns: ofPool,
    values: `'${pool}', 'mint', '${MANAGER}', '${MANAGER}', lower, upper, liquidity, amount0, amount1`,
    over: "minted",
    log: 1,
  });
  const owner = account(`(n - ${shift})`);
  await facts.tellMany("v3_nft", {
    columns: `manager, token_id, kind, "from", "to"`,
    values: `'${MANAGER}', n, 'transfer', '${zero}', ${owner}`,
    over: "minted",
    log: 2,
  });
  await facts.tellMany("v3_nft", {
    columns: "manager, token_id, kind, liquidity, amount0, amount1",
    values: `'${MANAGER}', n, 'increase', liquidity, amount0, amount1`,
    over: "minted",
    log: 3,
  });
}

/** What was paid back beyond the loan is a fee for everybody in range. */
async function tellFlash(db: Sql, schema: string, pool: string): Promise<void> {
  const block = HISTORY_BLOCKS + 100;
  await db.unsafe(`
    insert into ${quoted(schema)}.v3_flash
      (block, log_index, tx_index, timestamp, pool, sender, recipient, amount0, amount1, paid0, paid1)
    select ${block}, count(*), 0, ${1_700_000_000 + 2 * block}, '${pool}', '${deployer}', '${deployer}', 0, 0, 1e20, 1e20
      from ${quoted(schema)}.v3_flash`);
}
