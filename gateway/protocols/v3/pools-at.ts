// Which v3 pools there are at a block.
import { v3Pools, v3Ticks } from "../../../core/history/histories.ts";
import { question } from "../../cache/question.ts";
import { addressesParameter } from "../../history/addresses-parameter.ts";
import { type AsOf, answerPlace } from "../../history/as-of.ts";
import { readRecent, recentVersions } from "../../history/recent-versions.ts";
import type { Address } from "../../parameters.ts";
import { type PoolInfoRow, poolInfoColumns, toV3Pool, type V3Pool } from "./pool.ts";

const pools = question<readonly V3Pool[]>("v3-pools");

/** In order of their creation; `condition` is SQL over $2, `list` its values with commas between. */
async function readPools(
  { fold, point, cache, prepared }: AsOf,
  condition: string,
  list?: string,
): Promise<readonly V3Pool[]> {
  if (list === "") return [];
  const { block } = point;
  return cache.of(pools, answerPlace(point, `${condition} ${list ?? ""}`), async () => {
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

/** Pools of `token`, in order of their creation. */
export const poolsOfToken = (at: AsOf, token: Address): Promise<readonly V3Pool[]> => poolsOfTokens(at, [token]);

/** Pools of any of `tokens`, each once, in order of their creation. */
export const poolsOfTokens = (at: AsOf, tokens: readonly Address[]): Promise<readonly V3Pool[]> =>
  readPools(at, `token0 in ${ADDRESSES} or token1 in ${ADDRESSES}`, tokens.join(","));

/** Those of `addresses` that are pools. */
export const poolsAmong = (at: AsOf, addresses: readonly Address[]): Promise<readonly V3Pool[]> =>
  readPools(at, `address in ${ADDRESSES}`, addresses.join(","));

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

/** SELECT text of (address bytea): every pool there is at the block. Pool contracts are never accounts. */
export const poolAddresses = ({ fold, point }: AsOf): string =>
  `select address from ${fold}.v3_pool where created_block <= ${point.block}`;
