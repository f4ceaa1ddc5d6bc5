// A made-up index, written into the product's own tables: one token that many accounts have in their wallets, and to which many
// positions of one v3 pool, with swaps all the time, have claims. It has the same numbers every time.
import type { Sql } from "postgres";
import { V3_RESERVE } from "../../core/ledgers/v3-reserve.ts";
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { quoted } from "../../fold/tables.ts";
import { finishLoad } from "../../fold/upkeep/index-load.ts";
import { pointAt, writeFacts } from "../as-of/facts.ts";
import { addressOf, tokenAddress } from "../as-of/generate.ts";
import { writeFold } from "../as-of/product-tables.ts";
import { BENCH_CHAIN_ID } from "../ground/workbench.ts";
import { type Row, rowsInto } from "./rows-into.ts";

export const SCHEMAS = { ponderSchema: "facts_made", foldSchema: "fold_made" };
const s = quoted(SCHEMAS.foldSchema);

export interface Size {
  wallets: number;
  positions: number;
  swaps: number;
  blocks: number;
}

const TICK_SPACING = 60;
const MOST_WIDTHS = 200;
/** Far beyond what all positions can claim. */
const BASE = 10n ** 30n;
/** The block of the mints, before the first swap. */
const MINTED = 10;

const hexOf = (n: number): string => `\\x${n.toString(16).padStart(40, "b")}`;
const POOL = hexOf(1);
const [MANAGER, FACTORY] = [hexOf(2), hexOf(3)];
const OTHER = `\\x${"f".repeat(40)}`;
const ownerOf = (n: number): string => `\\xa1${n.toString(16).padStart(38, "0")}`;
/** Owners of two positions of the pool. */
export const [ACCOUNT, ANOTHER] = [`0x${ownerOf(7).slice(2)}`, `0x${ownerOf(11).slice(2)}`] as const;

/** The token's address, made by SQL. */
export async function tokenOf(db: Sql): Promise<`0x${string}`> {
  const [row] = await db.unsafe(`select '0x' || encode(${tokenAddress("1")}, 'hex') as token`);
  return row?.token;
}

/** An account with the token in its wallet. */
export async function walletOf(db: Sql): Promise<`0x${string}`> {
  const [row] = await db.unsafe(`select '0x' || encode(${addressOf("9")}, 'hex') as account`);
  return row?.account;
}

/** `db` must have one connection. */
export async function writeWorld(db: Sql, size: Size): Promise<void> {
  const { blocks } = size;
  const factOid = await writeFacts(db, SCHEMAS.ponderSchema, blocks);
  await db.unsafe(`
    insert into ${quoted(SCHEMAS.ponderSchema)}.block (number, hash, timestamp)
    select n, '0x' || lpad(to_hex(n), 64, '0'), 1700000000 + 2 * n from generate_series(0, ${blocks}) n
    on conflict do nothing`);
  const pool = simulate(size);
  await writeHoldings(db, { size, factOid, held: pool.held });
  await db.unsafe(`
    insert into ${s}.v3_pool (id, address, factory, token0, token1, fee, tick_spacing, flavour, manager, created_block, created_log)
    values (1, '${POOL}', '${FACTORY}', ${tokenAddress("1")}, '${OTHER}', 3000, ${TICK_SPACING}, 'uniswap', '${MANAGER}', 5, 0)`);
  await rowsInto(db, { table: `${s}.v3_pool`, columns: POOL_COLUMNS }, pool.slots);
  await rowsInto(db, { table: `${s}.v3_tick`, columns: TICK_COLUMNS }, pool.ticks);
  await rowsInto(db, { table: `${s}.v3_nft`, columns: NFT_COLUMNS }, pool.nfts);
  await rowsInto(db, { table: `${s}.v3_position`, columns: POSITION_COLUMNS }, pool.positions);
  const stepTables = ["v3_pool", "v3_tick", "v3_nft", "v3_position"].flatMap((name) => [
    `${name}_current`,
    `${name}_interval`,
  ]);
  await finishLoad([db], { foldSchema: SCHEMAS.foldSchema, stepTables });
  await pointAt(db, SCHEMAS, blocks);
  await db.unsafe(`insert into ${s}.token (address, name, symbol, decimals, read_at_block)
    values (${tokenAddress("1")}, 'Made up', 'MADE', 18, ${blocks})`);
  await db.unsafe("vacuum analyze");
}

interface Holdings {
  size: Size;
  factOid: string;
  held: readonly { block: number; amount: bigint }[];
}

async function writeHoldings(db: Sql, { size, factOid, held }: Holdings): Promise<void> {
  await db.unsafe("create schema made; create table made.held (block int4, amount numeric)");
  await rowsInto(
    db,
    { table: "made.held", columns: ["block", "amount"] },
    held.map(({ block, amount }) => ({ values: [block, amount] })),
  );
  // a wallet in three has changed on the way
  await db.unsafe(`
    create table made.change as
    select 1 as token, ${addressOf("n")} as account, 20 + n % 1000 as block,
           case when n % 3 = 0 then ${Math.floor(size.blocks / 2)} + n % 1000 end as next_block, n * 1000000000000000::numeric as balance
      from generate_series(1, ${size.wallets}) n
    union all
    select 1, ${addressOf("n")}, ${Math.floor(size.blocks / 2)} + n % 1000, null, n * 3000000000000000::numeric
      from generate_series(3, ${size.wallets}, 3) n
    union all
    select 1, '${POOL}'::bytea, block, lead(block) over (order by block), amount from made.held`);
  const place = { ...SCHEMAS, chainId: BENCH_CHAIN_ID, factOid };
  await writeFold(db, place, { changes: "made.change", head: size.blocks });
  // the pool has as much of the token by its events as by the token's ledger; the supply is the sum of all
  await db.unsafe(`
    insert into ${s}.asset values (2, '${V3_RESERVE}', ${tokenAddress("1")}, 5, 0);
    insert into ${s}.holding_interval select 2, account, from_block, to_block, lvl, amount from ${s}.holding_interval where account = '${POOL}';
    insert into ${s}.holding_current select 2, account, since, amount from ${s}.holding_current where account = '${POOL}';
    create table made.supply as
    select block, sum(delta) over (order by block) as amount, lead(block) over (order by block) as next_block from (
      select block, sum(delta) as delta from (
        select from_block as block, amount as delta from ${s}.holding_interval where asset = 1
        union all select to_block, -amount from ${s}.holding_interval where asset = 1
        union all select since, amount from ${s}.holding_current where asset = 1) d group by block) t;
    insert into ${s}.holding_interval
      select 0, ${tokenAddress("1")}, block, next_block, width_bucket(next_block - block, array[${Array.from({ length: 30 }, (_, k) => 2 ** (k + 1)).join(",")}]::int4[])::int2, amount
        from made.supply where next_block is not null;
    insert into ${s}.holding_current select 0, ${tokenAddress("1")}, block, amount from made.supply where next_block is null;
    drop schema made cascade`);
}

const POOL_COLUMNS = [
  ...["pool", "sqrt_price_x96", "tick", "liquidity", "fee_growth_global0_x128", "fee_growth_global1_x128"],
  ...["protocol_fees0", "protocol_fees1", "fee_protocol0", "fee_protocol1"],
];
const TICK_COLUMNS = [
  "pool",
  "tick",
  "liquidity_gross",
  "liquidity_net",
  "fee_growth_outside0_x128",
  "fee_growth_outside1_x128",
];
const CLAIM = [
  "tick_lower",
  "tick_upper",
  "liquidity",
  "fee_growth_inside0_last_x128",
  "fee_growth_inside1_last_x128",
  "tokens_owed0",
  "tokens_owed1",
];
const NFT_COLUMNS = ["manager", "token_id", "pool", "owner", ...CLAIM];
const POSITION_COLUMNS = ["pool", "owner", ...CLAIM];

/** Prices jump; ticks are crossed as the contract crosses them, and fees grow with every swap. */
function simulate({ positions, swaps, blocks }: Size) {
  const random = seedRandom("averages");
  const ranges = new Map<string, { lower: number; upper: number; liquidity: bigint }>();
  const nfts: Row[] = [];
  for (let n = 0; n < positions; n++) {
    const width = 1 + (n % MOST_WIDTHS);
    const centre = n % 2 === 0 ? 0 : TICK_SPACING * (width + 1);
    const [lower, upper] = [centre - TICK_SPACING * width, centre + TICK_SPACING * width];
    const liquidity = 10n ** 18n + BigInt(n) * 1_234_567_890_123n;
    const range = ranges.get(`${lower} ${upper}`) ?? { lower, upper, liquidity: 0n };
    ranges.set(`${lower} ${upper}`, { ...range, liquidity: range.liquidity + liquidity });
    const row = (owner: number) => [MANAGER, n + 1, 1, ownerOf(owner), lower, upper, liquidity, 0, 0, 0, 0];
    const sold = Math.floor(blocks / 2) + n;
    // one in ten goes to another account
    if (n % 10 !== 0) nfts.push({ values: row(n), from: MINTED });
    else nfts.push({ values: row(n), from: MINTED, to: sold }, { values: row(n + 1), from: sold });
  }
  const positionRows = [...ranges.values()].map(
    ({ lower, upper, liquidity }): Row => ({ values: [1, MANAGER, lower, upper, liquidity, 0, 0, 0, 0], from: MINTED }),
  );
  const boundaries = [...new Set([...ranges.values()].flatMap(({ lower, upper }) => [lower, upper]))].sort(
    (a, b) => a - b,
  );
  const outside = new Map(boundaries.map((tick) => [tick, { from: MINTED, growth0: 0n, growth1: 0n }]));
  const [slots, ticks]: [Row[], Row[]] = [[], []];
  const held = [{ block: MINTED, amount: BASE }];
  let [tick, growth0, growth1, since] = [0, 0n, 0n, MINTED];
  const endSlot = (to: number | undefined) =>
    slots.push({ values: [1, getSqrtRatioAtTick(tick), tick, 1, growth0, growth1, 0, 0, 0, 0], from: since, to });
  const endTick = (at: number, to: number | undefined) => {
    const {
      from,
      growth0: outside0,
      growth1: outside1,
    } = outside.get(at) as { from: number; growth0: bigint; growth1: bigint };
    if (from !== to) ticks.push({ values: [1, at, 1, 0, outside0, outside1], from, to });
  };
  const every = Math.floor((blocks - 200) / swaps);
  for (let i = 1; i <= swaps; i++) {
    const block = MINTED + 10 + i * every;
    const next = Math.max(-3_000, Math.min(3_000, tick + random.between(0, 120) - 60));
    endSlot(block);
    growth0 += BigInt(random.between(1, 1_000_000)) << 64n;
    growth1 += BigInt(random.between(1, 1_000_000)) << 64n;
    const [low, high] = next > tick ? [tick, next] : [next, tick];
    for (const at of boundaries.filter((one) => one > low && one <= high)) {
      endTick(at, block);
      const before = outside.get(at) as { growth0: bigint; growth1: bigint };
      outside.set(at, { from: block, growth0: growth0 - before.growth0, growth1: growth1 - before.growth1 });
    }
    [tick, since] = [next, block];
    held.push({ block, amount: BASE + BigInt(random.between(0, 1_000_000)) * 10n ** 18n });
  }
  endSlot(undefined);
  for (const at of boundaries) endTick(at, undefined);
  return { slots, ticks, nfts, positions: positionRows, held };
}
