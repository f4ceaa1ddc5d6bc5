// Which v3 pools there are at a block.
import { v3Pools, v3Ticks } from "../../core/history/histories.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import { type AsOf, placeOfThings } from "../history/as-of.ts";
import { BLOCK } from "../history/holdings-at.ts";
import { readRecent, recentVersions } from "../history/recent-versions.ts";
import { addressesParameter } from "../history/sql-values.ts";
import type { Address } from "../parameters.ts";
import { type PoolInfoRow, PoolNotFoundError, poolInfoColumns, requireRunning, toV3Pool, type V3Pool } from "./pool.ts";

const pools = question<readonly V3Pool[]>("v3-pools");

/** In order of their creation; `condition` is SQL over $2, `list` its values with commas between. */
async function readPools(
  { fold, point, cache, prepared }: AsOf,
  condition: string,
  list?: string,
): Promise<readonly V3Pool[]> {
  if (list === "") return [];
  const { block } = point;
  const place = placeOfThings(point, `${condition} ${list ?? ""}`, [changing.v3Pools]);
  return cache.of(pools, place, async () => {
    const rows = await prepared<PoolInfoRow>(
      `select ${poolInfoColumns} from ${fold}.v3_pool where (${condition}) and created_block <= $1::int4 order by id`,
      [String(block), ...(list === undefined ? [] : [list])],
    );
    return rows.map((row) => toV3Pool(row, block));
  });
}

/** All pools there are, in order of their creation. */
export const everyPool = (at: AsOf): Promise<readonly V3Pool[]> => readPools(at, "true");

const ADDRESSES = addressesParameter(2);

/** Pools of any of `tokens`, each once, in order of their creation. */
export const poolsOfTokens = (at: AsOf, tokens: readonly Address[]): Promise<readonly V3Pool[]> =>
  readPools(at, `token0 in ${ADDRESSES} or token1 in ${ADDRESSES}`, tokens.join(","));

/** SQL condition: a pool of the token at `$parameter`, or any where that is empty. */
const isWanted = (parameter: number): string => {
  const token = `decode(substr($${parameter}, 3), 'hex')`;
  return `($${parameter} = '' or token0 = ${token} or token1 = ${token})`;
};

/** The next `limit` pools after the one at `after` in order of their creation, of `token` where it is given. */
export async function poolsAfter(
  { fold, point, prepared }: AsOf,
  { token = "", after = "", limit }: { token?: string | undefined; after: string | undefined; limit: number },
): Promise<readonly V3Pool[]> {
  const { block } = point;
  const rows = await prepared<PoolInfoRow>(
    `select ${poolInfoColumns} from ${fold}.v3_pool
      where created_block <= $1::int4 and ${isWanted(3)} and id >
            case when $4 = '' then 0 else (select id from ${fold}.v3_pool where address = decode(substr($4, 3), 'hex')) end
      order by id limit $2::int4`,
    [String(block), String(limit), token, after],
  );
  return rows.map((row) => toV3Pool(row, block));
}

/** How many pools there are, of `token` where it is given. */
export async function countPools({ fold, point, cached }: AsOf, token: Address | undefined): Promise<number> {
  const [row] = await cached<{ total: number }>(
    `select count(*)::int4 as total from ${fold}.v3_pool where created_block <= $1::int4 and ${isWanted(2)}`,
    [String(point.block), token ?? ""],
  );
  return row?.total ?? 0;
}

/** Those of `addresses` that are pools. */
export const poolsAmong = (at: AsOf, addresses: readonly Address[]): Promise<readonly V3Pool[]> =>
  readPools(at, `address in ${ADDRESSES}`, addresses.join(","));

/** @throws PoolNotFoundError, PoolStoppedError */
export async function runningPool(at: AsOf, address: Address): Promise<V3Pool> {
  const [pool] = await poolsAmong(at, [address]);
  if (!pool) throw new PoolNotFoundError(address, at.point.block);
  requireRunning(pool);
  return pool;
}

/** The pools with these numbers in the fold's tables. */
export const poolsNumbered = (at: AsOf, ids: readonly number[]): Promise<readonly V3Pool[]> =>
  readPools(at, "id = any(string_to_array($2, ',')::int4[])", ids.join(","));

/**
 * Pools whose price, liquidity or ticks a block after `after` has changed, and those that have stopped since then. Undefined
 * when `after` lies below the last final block.
 */
export async function changedPools(at: AsOf, after: number): Promise<V3Pool[] | undefined> {
  const { fold } = at;
  const upTo = at.point.block;
  const changed = [v3Pools, v3Ticks].map((history) =>
    recentVersions(history, { fold, select: (row) => `${row}.pool` }),
  );
  const text = `
    select ${poolInfoColumns}, $2::int4 as block from ${fold}.v3_pool
     where id in (${changed.join(" union ")}) or (stopped_block > $1::int4 and stopped_block <= $2::int4)`;
  const rows = await readRecent<PoolInfoRow & { block: number }>(at, text, { after, upTo });
  return rows?.map((row) => toV3Pool(row, upTo));
}

/** SELECT text of (address bytea) over $1, the block: every pool there is. Pool contracts are never accounts. */
export const poolAddresses = ({ fold }: AsOf): string =>
  `select address from ${fold}.v3_pool where created_block <= ${BLOCK}`;
