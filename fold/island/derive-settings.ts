// Range, fee and treasury of an island at the end of a block whose state the node does not have: from the state of a later
// block, as far as no event in between has changed them, and from what the events in between show.
import type { Sql } from "postgres";
import type { PublicClient } from "viem";
import { LAST_BLOCK } from "../../core/blocks-after.ts";
import { settingsFromEvents } from "../../core/island/derive-settings.ts";
import { type IslandFactRow, islandFactsText, needsSettings } from "../../core/island/fact-rows.ts";
import type { IslandSettings } from "../../core/island/facts.ts";
import { literal } from "../../core/sql-literal.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { withFacts } from "../facts/facts-reader.ts";
import { isUnanswered } from "../node/refusal.ts";
import { reasonOf } from "../node/views-at-block.ts";
import { quoted } from "../tables.ts";
import { readSettings, type SettingsPlace } from "./read-settings.ts";

/** Enough to see fees collected. */
const MOST_FACTS = 20_000;

interface LaterBlock {
  block: number;
  hash: string;
}

interface Later {
  rows: readonly IslandFactRow[];
  pool: string;
  /** The position's range before the first event that names one. */
  range: { tick_lower: number; tick_upper: number } | undefined;
  /** The last block before an event sets fee and treasury again; the newest block where none does. */
  feeUntil: LaterBlock;
  rangeUntil: LaterBlock;
  newest: number;
}

/**
 * What is determined; the rest undefined.
 * @throws Error while facts or node do not reach far enough to say that nothing determines it, or the node does not answer
 */
export async function deriveSettings(
  { db, client }: { db: Sql; client: PublicClient },
  schemas: Schemas,
  place: SettingsPlace,
): Promise<IslandSettings> {
  const later = await withFacts(db, schemas.ponder, () => readLater(db, quoted(schemas.ponder), place));
  const { feeUntil, rangeUntil, newest } = later;
  const atFeeUntil = await readAt(client, place, feeUntil);
  const atRangeUntil = rangeUntil.block === feeUntil.block ? atFeeUntil : await readAt(client, place, rangeUntil);
  const fromEvents = settingsFromEvents(later.rows, later.pool);
  const settings: IslandSettings = {
    tickLower: atRangeUntil.tickLower ?? later.range?.tick_lower,
    tickUpper: atRangeUntil.tickUpper ?? later.range?.tick_upper,
    managerFeeBps: atFeeUntil.managerFeeBps ?? fromEvents.managerFeeBps,
    treasury: atFeeUntil.treasury ?? fromEvents.treasury,
  };
  const isOpen =
    (settings.tickLower === undefined && rangeUntil.block === newest) ||
    (settings.managerFeeBps === undefined && feeUntil.block === newest);
  if (isOpen)
    throw new Error(
      `the node has no state of block ${place.block}, and none yet of block ${newest}, the newest one that is indexed: ${(atFeeUntil.error ?? atRangeUntil.error) || ""}`,
    );
  return settings;
}

type Answer = Partial<IslandSettings> & { error?: string };

/** @throws Error where the node says nothing about the state */
async function readAt(client: PublicClient, { island }: SettingsPlace, { block, hash }: LaterBlock): Promise<Answer> {
  try {
    return await readSettings(client, { island, block, blockHash: hash });
  } catch (error) {
    if (isUnanswered(error)) throw error;
    return { error: reasonOf(error) };
  }
}

async function readLater(db: Sql, p: string, { island, block }: SettingsPlace): Promise<Later> {
  const text = islandFactsText(p, { after: block - 1, upTo: LAST_BLOCK }, "$1::text[]");
  const facts = await db.unsafe<IslandFactRow[]>(`${text} limit ${MOST_FACTS}`, [[island]]);
  const first = facts.findLastIndex((row) => row.block === block && needsSettings(row));
  const [found] = await db.unsafe(
    `select (select min(m.block) from ${p}.island_manager m where m.island = $1 and m.block > $2
               and (m.kind = 'params' or m.new_manager = ${literal(ZERO_ADDRESS)})) as next_fee,
            (select min(r.block) from ${p}.island_rebalance r where r.island = $1 and r.block > $2) as next_range,
            (select c.pool from ${p}.island_created c where c.island = $1) as pool,
            (select max(number) from ${p}.block) as newest`,
    [island, block],
  );
  const newest = Number(found?.newest ?? block);
  const [feeUntil, rangeUntil] = [found?.next_fee, found?.next_range].map((next) =>
    next == null ? newest : Number(next) - 1,
  ) as [number, number];
  const hashes = await db.unsafe<{ number: number; hash: string }[]>(
    `select number, hash from ${p}.block where number = any($1::int4[])`,
    [[feeUntil, rangeUntil]],
  );
  const blockAt = (number: number): LaterBlock => ({
    block: number,
    hash: hashes.find((one) => one.number === number)?.hash ?? "",
  });
  return {
    rows: first < 0 ? [] : facts.slice(first),
    pool: String(found?.pool),
    range: await firstRange(db, p, island),
    feeUntil: blockAt(feeUntil),
    rangeUntil: blockAt(rangeUntil),
    newest,
  };
}

/**
 * The range that an island was created with: the range of its actions in its pool before the transaction of its first `Rebalance`.
 * Anybody may mint to the island in the pool. v3-core UniswapV3Pool.sol, `mint`
 */
async function firstRange(db: Sql, p: string, island: string): Promise<Later["range"]> {
  const [range] = await db.unsafe<{ tick_lower: number; tick_upper: number }[]>(
    `select l.tick_lower, l.tick_upper from ${p}.island_created c
       join ${p}.v3_liquidity l on l.owner = c.island and l.pool = c.pool and (l.block, l.log_index) > (c.block, c.log_index)
            and (l.kind <> 'mint' or l.sender = l.owner)
      where c.island = $1 and (l.block, l.tx_index) < coalesce(
        (select (r.block, r.tx_index) from ${p}.island_rebalance r where r.island = $1 order by r.block, r.log_index limit 1),
        (${LAST_BLOCK}, 0))
      order by l.block, l.log_index limit 1`,
    [island],
  );
  return range;
}
