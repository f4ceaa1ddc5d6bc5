// Which v3 pools there are at a block.
import type { AsOf } from "../ledger/as-of.ts";
import { askedAddresses } from "../ledger/asked-addresses.ts";
import type { Address } from "../parameters.ts";
import { markedFrom, type V3Overlay } from "./overlay.ts";
import { type PoolInfoRow, poolInfoColumns, toV3Pool, type V3Pool } from "./pool.ts";

const bytes = (address: string): string => `decode('${address.slice(2)}', 'hex')`;

async function readPools(
  { at, overlay }: { at: AsOf; overlay: V3Overlay },
  asked: { condition: string; parameter?: string; isMeant: (pool: V3Pool) => boolean },
): Promise<V3Pool[]> {
  if (asked.parameter === "") return [];
  const text = `select ${poolInfoColumns} from ${at.fold}.v3_pool
    where (${asked.condition}) and created_block <= $1::int4 order by id`;
  const folded = String(at.folded);
  const rows = await at.final<PoolInfoRow>(text, asked.parameter === undefined ? [folded] : [folded, asked.parameter]);
  const old = rows.map((row) => markedFrom(overlay, toV3Pool(row, at.folded)));
  return [...old, ...overlay.created.filter(asked.isMeant)];
}

/** All pools there are, in order of their creation. */
export const everyPool = (source: { at: AsOf; overlay: V3Overlay }): Promise<V3Pool[]> =>
  readPools(source, { condition: "true", isMeant: () => true });

const ASKED = askedAddresses(2);

/** Pools of `token`, in order of their creation. */
export const poolsOfToken = (source: { at: AsOf; overlay: V3Overlay }, token: Address): Promise<V3Pool[]> =>
  poolsOfTokens(source, [token]);

/** Pools of any of `tokens`, each once, in order of their creation. */
export const poolsOfTokens = (
  source: { at: AsOf; overlay: V3Overlay },
  tokens: readonly Address[],
): Promise<V3Pool[]> =>
  readPools(source, {
    condition: `token0 in ${ASKED} or token1 in ${ASKED}`,
    parameter: tokens.join(","),
    isMeant: ({ token0, token1 }) => tokens.includes(token0) || tokens.includes(token1),
  });

/** Those of `addresses` that are pools. */
export const poolsAmong = (
  source: { at: AsOf; overlay: V3Overlay },
  addresses: readonly Address[],
): Promise<V3Pool[]> =>
  readPools(source, {
    condition: `address in ${ASKED}`,
    parameter: addresses.join(","),
    isMeant: ({ address }) => addresses.includes(address),
  });

/** The pools with these numbers in the fold's tables. */
export const poolsNumbered = (source: { at: AsOf; overlay: V3Overlay }, ids: readonly number[]): Promise<V3Pool[]> =>
  readPools(source, {
    condition: "id = any(string_to_array($2, ',')::int4[])",
    parameter: ids.join(","),
    isMeant: () => false,
  });

/** SELECT text of (address bytea): every pool there is at the block. Pool contracts are never accounts. */
export const poolAddresses = ({ at, overlay }: { at: AsOf; overlay: V3Overlay }): string =>
  [
    `select address from ${at.fold}.v3_pool where created_block <= ${at.folded}`,
    ...overlay.created.map(({ address }) => `select ${bytes(address)}`),
  ].join(" union all ");
