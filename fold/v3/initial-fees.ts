// What no event says: the protocol fee that a kodiak factory gives a pool at `initialize`. It is read from the pool at
// exactly that block, before the fold takes the pool's Initialize.
import type { Sql } from "postgres";
import { type Address, type PublicClient, parseAbi } from "viem";
import { type BlocksAfter, LAST_BLOCK } from "../../core/blocks-after.ts";
import { type FeeProtocol, unpackFeeProtocol } from "../../core/concentrated/protocol-fee.ts";
import type { ReadMissing } from "../contracts/read-missing.ts";
import { type Failure, retryLater } from "../contracts/retry-later.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { withFacts } from "../facts/facts-reader.ts";
import { isRefusal } from "../node/refusal.ts";
import { readViews } from "../node/views-at-block.ts";
import { quoted } from "../tables.ts";
import type { V3Deployment } from "./deployments.ts";

const POOLS_PER_TURN = 50;
/** One of several nodes behind an address may be restarting: only after this many refusals the state counts as lost. */
const REFUSALS_BEFORE_FALLBACK = 4;
const slot0Abi = parseAbi([
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32 feeProtocol, bool)",
]);
/** Its place among what `slot0` returns. */
const FEE_PROTOCOL = 5;

interface UnreadPool {
  block: number;
  /** Undefined while the block's own fact is not there yet. */
  blockHash: string | undefined;
  pool: Address;
  factory: string;
  /** How often the node has answered that it lacks the state. */
  refusals: number;
  lastError: string | undefined;
  /** Old values of the first SetFeeProtocol of the same block, after which `slot0` no longer has the initial fee. */
  fromEvent: FeeProtocol | undefined;
}

/**
 * Kodiak pools initialised in (after, upTo] whose initial fee was not read on this branch of the chain, in event order;
 * with `isDue` only those that need not rest after a failure.
 * Call it under the locks of the facts.
 */
export async function unreadPools(
  db: Sql,
  schemas: Schemas,
  range: BlocksAfter & { factories: readonly string[]; limit: number; isDue?: boolean },
): Promise<UnreadPool[]> {
  const [p, s] = [quoted(schemas.ponder), quoted(schemas.fold)];
  const rows = await db.unsafe(
    `select i.block, i.pool, c.factory, b.hash, coalesce(r.refusals, 0) as refusals, r.last_error,
            e.fee_protocol0_old, e.fee_protocol1_old
       from ${p}.v3_initialize i
       join ${p}.v3_pool_created c on c.pool = i.pool and c.factory = any($1::text[])
       left join ${p}.block b on b.number = i.block
       left join ${s}.v3_pool_fee f on f.address = decode(substr(i.pool, 3), 'hex') and f.block_hash = b.hash
       left join ${s}.v3_pool_fee_retry r on r.address = decode(substr(i.pool, 3), 'hex') and r.block_hash = b.hash
       left join lateral (
         select fee_protocol0_old, fee_protocol1_old from ${p}.v3_protocol_fee e
          where e.block = i.block and e.pool = i.pool and e.kind = 'set' order by e.log_index limit 1) e on true
      where i.block > $2 and i.block <= $3 and f.address is null
        and ${range.isDue ? "(r.next_try is null or r.next_try <= now())" : "true"}
      order by i.block, i.log_index limit $4`,
    [[...range.factories], range.after, range.upTo, range.limit],
  );
  return rows.map((row) => ({
    block: row.block,
    blockHash: row.hash ?? undefined,
    pool: row.pool,
    factory: row.factory,
    refusals: row.refusals,
    lastError: row.last_error ?? undefined,
    fromEvent:
      row.fee_protocol0_old === null
        ? undefined
        : { feeProtocol0: row.fee_protocol0_old, feeProtocol1: row.fee_protocol1_old },
  }));
}

/** One whose block's own fact is there. */
type ReadyPool = UnreadPool & { blockHash: string };

async function readSlot0(client: PublicClient, { pool, block, blockHash }: ReadyPool): Promise<FeeProtocol> {
  const place = { contract: pool, block, blockHash };
  const [slot0] = await readViews(client, place, { abi: slot0Abi, views: ["slot0"] });
  return unpackFeeProtocol("kodiak", Number((slot0 as readonly unknown[])[FEE_PROTOCOL]));
}

export interface InitialFee extends FeeProtocol {
  source: "event" | "slot0" | "chain-file";
}

/** One pool's initial fee, or why it cannot be read yet. */
async function readInitialFee(
  client: PublicClient,
  pool: ReadyPool,
  defaultFeeProtocol: number,
): Promise<InitialFee | Required<Failure>> {
  if (pool.fromEvent !== undefined) return { ...pool.fromEvent, source: "event" };
  try {
    return { ...(await readSlot0(client, pool)), source: "slot0" };
  } catch (error) {
    const failure = { error, isRefusal: await isRefusal(client, pool.block, error) };
    if (!failure.isRefusal || pool.refusals + 1 < REFUSALS_BEFORE_FALLBACK) return failure;
    return { ...unpackFeeProtocol("kodiak", defaultFeeProtocol), source: "chain-file" };
  }
}

export function createInitialFeeReader(
  connections: { db: Sql; client: PublicClient },
  schemas: Schemas,
  options: { deployments: readonly V3Deployment[]; warn: (message: string, pool: UnreadPool) => void },
): ReadMissing {
  const { db, client } = connections;
  const s = quoted(schemas.fold);
  const retries = { fold: schemas.fold, table: "v3_pool_fee_retry", longestRestSeconds: 60 };
  const kodiak = options.deployments.filter(({ flavour }) => flavour === "kodiak");
  const factories = kodiak.map(({ factory }) => factory);

  const due = async (): Promise<ReadyPool[]> => {
    const [meta] = await db.unsafe(`select finalized from ${s}.meta`);
    const range = { factories, after: Number(meta?.finalized ?? -1), upTo: LAST_BLOCK, limit: POOLS_PER_TURN };
    const unread = await withFacts(db, schemas.ponder, () => unreadPools(db, schemas, { ...range, isDue: true }));
    return unread.flatMap((pool) => (pool.blockHash === undefined ? [] : [{ ...pool, blockHash: pool.blockHash }]));
  };

  const store = async ({ pool, block, blockHash }: ReadyPool, fee: InitialFee) => {
    await db.unsafe(
      `with read as (
         delete from ${s}.v3_pool_fee_retry where address = decode(substr($1, 3), 'hex') and block_hash = $5)
       insert into ${s}.v3_pool_fee (address, fee_protocol0, fee_protocol1, read_at_block, block_hash, source)
       values (decode(substr($1, 3), 'hex'), $2, $3, $4, $5, $6)
       on conflict (address, block_hash) do nothing`,
      [pool, fee.feeProtocol0, fee.feeProtocol1, block, blockHash, fee.source],
    );
  };

  const read = async (pool: ReadyPool): Promise<number> => {
    const deployment = kodiak.find(({ factory }) => factory === pool.factory);
    const fee = await readInitialFee(client, pool, deployment?.defaultFeeProtocol ?? 0);
    if ("error" in fee) {
      await retryLater(db, retries, { ...pool, contract: pool.pool, ...fee });
      return 0;
    }
    if (fee.source === "chain-file")
      options.warn(
        "the node does not have the state of the pool's first block: its fee comes from the chain file",
        pool,
      );
    await store(pool, fee);
    return 1;
  };

  return async () => {
    if (factories.length === 0) return 0;
    const stored = await Promise.all((await due()).map(read));
    return stored.reduce((sum, one) => sum + one, 0);
  };
}
