// Which v2 pairs there are at a block, and their reserves.
import { holdings, v2Reserves } from "../../../core/history/histories.ts";
import { v2Reports } from "../../../core/reported/reported-state.ts";
import type { OperationContext } from "../../context.ts";
import { type AsOf, asOf } from "../../history/as-of.ts";
import type { BlockPoint } from "../../history/point.ts";
import { readRecent, recentVersions } from "../../history/recent-versions.ts";
import { readReported } from "../../history/reported-at.ts";
import { stretchesOfKey } from "../../history/stretches.ts";
import type { Address } from "../../parameters.ts";

export interface V2Pair {
  address: Address;
  token0: Address;
  token1: Address;
  createdBlock: number;
  /** Of its creation, Unix seconds. */
  createdAt: number;
}

/** Every pair at the block, in order of creation. */
export async function allPairs(
  { chain, snapshot }: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<readonly V2Pair[]> {
  if (!chain.v2) return [];
  const { fold, cached } = asOf(snapshot, point);
  return cached<V2Pair>(
    `select pair as address, token0, token1, block as "createdBlock", timestamp as "createdAt"
       from ${fold}.v2_pair_created where block <= $1::int4 order by block, log_index`,
    [String(point.block)],
  );
}

/** Reserves as the pair last logged them; raw units. */
export interface Reserves {
  reserve0: bigint;
  reserve1: bigint;
  /** The first block at whose end the reserves were these. */
  since: number;
}

/** Of every pair that has logged any by the end of the block. */
export async function reservesAt(
  context: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<ReadonlyMap<Address, Reserves>> {
  if (!context.chain.v2) return new Map();
  const reportsByPair = await readReported(context, v2Reports, { point });
  return new Map(
    [...reportsByPair].flatMap(([pair, reports]) => {
      const last = reports.at(-1);
      if (!last) return [];
      const { reserve0 = 0n, reserve1 = 0n } = last.values;
      return [[pair, { reserve0, reserve1, since: last.block }] as const];
    }),
  );
}

export type PairReserves = Pick<V2Pair, "address" | "token0" | "token1"> & Reserves;

/** Those that have reserves. */
export const withReserves = (
  pairs: readonly Pick<V2Pair, "address" | "token0" | "token1">[],
  reserves: ReadonlyMap<Address, Reserves>,
): PairReserves[] =>
  pairs.flatMap(({ address, token0, token1 }) => {
    const ofPair = reserves.get(address);
    return ofPair ? [{ address, token0, token1, ...ofPair }] : [];
  });

/**
 * Pairs whose reserves, or whose balances of their two tokens, a block after `after` has changed, with what the reserves are.
 * Undefined when `after` lies below the last final block.
 */
export async function changedPairs(at: AsOf, after: number): Promise<PairReserves[] | undefined> {
  const { fold } = at;
  const synced = recentVersions(v2Reserves, {
    fold,
    select: (row) => `'0x' || encode(${row}.pair, 'hex') as pair`,
  });
  const held = recentVersions(holdings, { fold, select: (row) => `${row}.asset, ${row}.account` });
  const reserves = stretchesOfKey(v2Reserves, {
    fold,
    ranges: "(values ($2::int4, $2::int4)) w(first, last)",
    upTo: "$2::int4",
    key: { pair: "decode(substr(p.pair, 3), 'hex')" },
    select: (row) => `${row}.reserve0, ${row}.reserve1`,
  });
  const text = `
    select r.since as block, p.pair as address, p.token0, p.token1, r.reserve0::text as reserve0,
           r.reserve1::text as reserve1
      from ${fold}.v2_pair_created p cross join lateral (${reserves}) r
     where p.pair in (${synced}) or p.pair in (
       select o.pair from (${held}) h
         join ${fold}.asset a on a.id = h.asset and a.kind = 'erc20'
         join ${fold}.v2_pair_created o on o.pair = '0x' || encode(h.account, 'hex')
          and '0x' || encode(a.key, 'hex') in (o.token0, o.token1))`;
  const rows = await readRecent<ChangedRow>(at, text, { after, upTo: at.point.block });
  return rows?.map(({ address, token0, token1, block, reserve0, reserve1 }) => ({
    address,
    token0,
    token1,
    since: block,
    reserve0: BigInt(reserve0),
    reserve1: BigInt(reserve1),
  }));
}

interface ChangedRow extends Pick<V2Pair, "address" | "token0" | "token1"> {
  block: number;
  reserve0: string;
  reserve1: string;
}
