// Which v3 pools there are at a block.
import type { AsOf } from "../ledger/as-of.ts";
import type { Address } from "../parameters.ts";
import { markedFrom, type V3Overlay } from "./overlay.ts";
import { type PoolInfoRow, poolInfoColumns, toV3Pool, type V3Pool } from "./pool.ts";

const bytes = (address: string): string => `decode('${address.slice(2)}', 'hex')`;

async function readPools(
  { at, overlay }: { at: AsOf; overlay: V3Overlay },
  asked: { condition: string; isMeant: (pool: V3Pool) => boolean },
): Promise<V3Pool[]> {
  const rows = await at.rows<PoolInfoRow>(
    `select ${poolInfoColumns} from ${at.fold}.v3_pool where (${asked.condition}) and created_block <= ${at.folded} order by id`,
  );
  const old = rows.map((row) => markedFrom(overlay, toV3Pool(row, at.folded)));
  return [...old, ...overlay.created.filter(asked.isMeant)];
}

/** All pools there are, in order of their creation. */
export const everyPool = (source: { at: AsOf; overlay: V3Overlay }): Promise<V3Pool[]> =>
  readPools(source, { condition: "true", isMeant: () => true });

/** Pools of `token`, in order of their creation. */
export const poolsOfToken = (source: { at: AsOf; overlay: V3Overlay }, token: Address): Promise<V3Pool[]> =>
  readPools(source, {
    condition: `token0 = ${bytes(token)} or token1 = ${bytes(token)}`,
    isMeant: ({ token0, token1 }) => token0 === token || token1 === token,
  });

/** Those of `addresses` that are pools. */
export const poolsAmong = (
  source: { at: AsOf; overlay: V3Overlay },
  addresses: readonly Address[],
): Promise<V3Pool[]> =>
  readPools(source, {
    condition: addresses.length === 0 ? "false" : `address in (${addresses.map(bytes).join(", ")})`,
    isMeant: ({ address }) => addresses.includes(address),
  });

/** The pools with these numbers in the fold's tables. */
export const poolsNumbered = (source: { at: AsOf; overlay: V3Overlay }, ids: readonly number[]): Promise<V3Pool[]> =>
  readPools(source, { condition: ids.length === 0 ? "false" : `id in (${ids.join(", ")})`, isMeant: () => false });

/** SELECT text of (address bytea): every pool there is at the block. Pool contracts are never accounts. */
export const poolAddresses = ({ at, overlay }: { at: AsOf; overlay: V3Overlay }): string =>
  [
    `select address from ${at.fold}.v3_pool where created_block <= ${at.folded}`,
    ...overlay.created.map(({ address }) => `select ${bytes(address)}`),
  ].join(" union all ");
