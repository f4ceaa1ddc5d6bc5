// What the replay above the watermark starts from: the pools its facts name and the current rows they can touch.
import { unpackFeeProtocol } from "../../core/v3/protocol-fee.ts";
import type { V3Row } from "../../core/v3/rows.ts";
import type { AsOf } from "../ledger/as-of.ts";
import type { Address } from "../parameters.ts";
import { type PoolInfoRow, poolInfoColumns, toV3Pool, type V3Pool } from "./pool.ts";
import type { LoggedFact, ReplayInput } from "./replay-above.ts";
import { readEach } from "./stored-by-key.ts";
import { rowsOfPools, type StoredRow, toRow } from "./stored-rows.ts";

interface Asked {
  facts: readonly LoggedFact[];
  /** Created above the watermark. */
  young: readonly V3Pool[];
  /** Pools that were initialised above the watermark, with the hash of that block. */
  initialised: ReadonlyMap<string, string | undefined>;
}

/** `pending`: kodiak pools whose first fee is not read yet; they are replayed as if it were nothing, and not told. */
export type Replayed = ReplayInput & { pending: ReadonlySet<Address> };

const UNKNOWN_FEE = unpackFeeProtocol("uniswap", 0);

export async function readReplayed(at: AsOf, { facts, young, initialised }: Asked): Promise<Replayed> {
  if (facts.length === 0) return { pools: [], rows: [], facts, pending: new Set() };
  const nfts = await readTouchedNfts(at, facts);
  const old = await readPools(at, { facts, ids: [...new Set(nfts.map((row) => row.pool))] });
  const fees = await readInitialFees(at, initialised);
  const pools = [...old, ...young.filter(({ address }) => !old.some((pool) => pool.address === address))];
  const isPending = ({ address, flavour }: V3Pool) =>
    flavour === "kodiak" && initialised.has(address) && !fees.has(address);
  return {
    pools: pools.map((pool) => ({ pool, initialFee: fees.get(pool.address) ?? UNKNOWN_FEE })),
    rows: await readRows(at, { pools: old, facts, nfts }),
    facts,
    pending: new Set(pools.filter(isPending).map(({ address }) => address)),
  };
}

const list = (values: Iterable<string | number | bigint>): string => [...values].join(",");
const bytes = (text: string): string => `decode(substr(${text}, 3), 'hex')`;

async function readTouchedNfts(at: AsOf, facts: readonly LoggedFact[]): Promise<StoredRow[]> {
  const ids = facts.flatMap(({ contract, fact }) => ("tokenId" in fact ? [`${contract} ${fact.tokenId}`] : []));
  const touched = [...new Set(ids)].map((id) => id.split(" "));
  return readEach(at, "nft", touched);
}

async function readPools(
  { fold, folded, prepared }: AsOf,
  asked: { facts: readonly LoggedFact[]; ids: readonly number[] },
): Promise<V3Pool[]> {
  const named = new Set(asked.facts.flatMap(({ fact }) => ("pool" in fact ? [fact.pool] : [])));
  const found = await prepared<PoolInfoRow>(
    `select ${poolInfoColumns} from ${fold}.v3_pool
      where address in (select ${bytes("a")} from unnest(string_to_array($1, ',')) a)
         or id in (select unnest(string_to_array($2, ',')::int4[])) order by id`,
    [list(named), list(asked.ids)],
  );
  return found.map((row) => toV3Pool(row, folded));
}

/** First fees of pools, as read from the chain in the very block of their `Initialize`: a reorg may have replaced it. */
async function readInitialFees(
  { fold, prepared }: AsOf,
  initialised: ReadonlyMap<string, string | undefined>,
): Promise<Map<string, { feeProtocol0: number; feeProtocol1: number }>> {
  if (initialised.size === 0) return new Map();
  const found = await prepared<{ address: string; hash: string; fee_protocol0: number; fee_protocol1: number }>(
    `select '0x' || encode(address, 'hex') as address, block_hash as hash, fee_protocol0, fee_protocol1
       from ${fold}.v3_pool_fee where address in (select ${bytes("a")} from unnest(string_to_array($1, ',')) a)`,
    [list(initialised.keys())],
  );
  return new Map(
    found
      .filter(({ address, hash }) => initialised.get(address) === hash)
      .map((row) => [row.address, { feeProtocol0: row.fee_protocol0, feeProtocol1: row.fee_protocol1 }]),
  );
}

async function readRows(
  at: AsOf,
  asked: { pools: readonly V3Pool[]; facts: readonly LoggedFact[]; nfts: readonly StoredRow[] },
): Promise<V3Row[]> {
  const byId = new Map(asked.pools.flatMap(({ id, address }) => (id === undefined ? [] : [[id, address] as const])));
  const ids = list(byId.keys());
  const read = async (kind: "pool" | "tick") =>
    (await at.prepared<StoredRow>(rowsOfPools(kind, at), [ids, String(at.folded)])).map((row) =>
      toRow(kind, byId, row),
    );
  const numbers = new Map(asked.pools.map(({ id, address }) => [address as string, id]));
  const positions = await readEach(
    at,
    "position",
    touchedPositions(asked).flatMap(([pool = "", ...range]) => {
      const id = numbers.get(pool);
      return id === undefined ? [] : [[id, ...range]];
    }),
  );
  return [
    ...(await read("pool")),
    ...(await read("tick")),
    ...positions.map((row) => toRow("position", byId, row)),
    ...asked.nfts.map((row) => toRow("nft", byId, row)),
  ];
}

/** Pool, owner and range of every position that a fact names itself or through a token id. */
function touchedPositions(asked: {
  pools: readonly V3Pool[];
  facts: readonly LoggedFact[];
  nfts: readonly StoredRow[];
}): string[][] {
  const named = asked.facts.flatMap(({ fact }) =>
    "tickLower" in fact ? [[fact.pool, fact.owner, fact.tickLower, fact.tickUpper].join(" ")] : [],
  );
  const poolOf = new Map(asked.pools.map((pool) => [pool.id, pool]));
  const behind = asked.nfts.map((nft) =>
    [poolOf.get(nft.pool)?.address, nft.manager, nft.tick_lower, nft.tick_upper].join(" "),
  );
  return [...new Set([...named, ...behind])].map((key) => key.split(" "));
}
