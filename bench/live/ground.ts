// An index with a long final history, made with SQL, and beside it Ponder's tables, which get the new blocks.
import postgres, { type Sql } from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { indexingOf } from "../../chains/indexing.ts";
import { loadChain } from "../../chains/load.ts";
import { undelayed } from "../../database/undelayed.ts";
import { createFold, type FoldIdentity } from "../../fold/fold-schema.ts";
import { v3HistoryTables } from "../../fold/tables/v3.ts";
import { deploymentDdl } from "../../fold/tables.ts";
import { finishLoad } from "../../fold/upkeep/index-load.ts";
import { createPonderTables } from "../../scripts/ponder-tables.ts";
import type { Server } from "../ground/workbench.ts";
import { withDatabase } from "../with-database.ts";

export const PONDER = "facts_live";
export const FOLD = "fold_live";
/** The last final block of the long history. */
export const FINAL = 2_000_000;
const ACCOUNTS = 100_000;
/** Transfers in each of Ponder's blocks that have any. */
const TRANSFERS_PER_BLOCK = 10;
/** Of Ponder's blocks, those with transfers are the last third. */
const BLOCKS_PER_BLOCK_WITH_TRANSFERS = 3;
export const TOKENS = 500;

export interface Ground {
  url: string;
  /** Accounts that hold each token. */
  holders: number;
  /** Ponder's own connection. */
  ponder: Sql;
  identity: FoldIdentity;
  chain: ChainFile;
}

const connect = (url: string): Sql => postgres(url, { max: 1, ...undelayed(), onnotice: () => {} });

/** SQL of an address made of a number. */
export const addressOf = (prefix: string, n: string): string =>
  `'0x' || substr(md5('${prefix}' || (${n})), 1, 8) || md5((${n}) || '${prefix}')`;

/** SQL of the number of the account that is the `j`th holder of the token numbered `token`. */
export const holderOf = (token: string, j: string, holders: number): string =>
  `(((${token}) * 37 + (${j}) % ${holders} * ${Math.floor(ACCOUNTS / holders)}) % ${ACCOUNTS})`;

const bytesOf = (prefix: string, n: string): string => `decode(substr(${addressOf(prefix, n)}, 3), 'hex')`;

export interface GroundSize {
  /** About how many changes of holdings. */
  changes: number;
  /** Transfers in Ponder's tables. */
  facts: number;
  /** v3 pools with ticks, positions and token ids. */
  pools: number;
}

/** A fresh database of `server`, for as long as `use` runs. */
export function withGround<T>(
  { server, size, say }: { server: Server; size: GroundSize; say: (what: string) => void },
  use: (ground: Ground) => Promise<T>,
): Promise<T> {
  return withDatabase(server, "live", async (url) => {
    const ponder = connect(url);
    try {
      const chain = loadChain("berachain");
      const identity = {
        chainId: chain.chainId,
        firstBlock: 0,
        weth9: indexingOf(chain).weth9,
        erc4626: [],
        ponderSchema: PONDER,
        foldSchema: FOLD,
      };
      await makePonder(ponder, size.facts);
      const holders = Math.min(Math.round(size.changes / 4 / TOKENS), ACCOUNTS / 2);
      await makeFold(ponder, { identity, chain, holders, pools: size.pools });
      say(
        `made ${(4 * holders * TOKENS).toLocaleString("en-US")} changes of holdings, ${size.pools} pools, and blocks`,
      );
      return await use({ url, holders, ponder, identity, chain });
    } finally {
      await ponder.end();
    }
  });
}

/** SQL of a checkpoint with everything below `safe` final. */
export const checkpointText = (safe: number): string => {
  const text = `${"0".repeat(26)}${String(safe).padStart(16, "0")}${"9".repeat(33)}`;
  return `insert into ${PONDER}._ponder_checkpoint values ('bench', 1, '${text}', '${text}', '${text}')
    on conflict (chain_name) do update set safe_checkpoint = excluded.safe_checkpoint,
      latest_checkpoint = excluded.latest_checkpoint, finalized_checkpoint = excluded.finalized_checkpoint`;
};

async function makePonder(sql: Sql, facts: number): Promise<void> {
  const blocks = Math.ceil(facts / TRANSFERS_PER_BLOCK) * BLOCKS_PER_BLOCK_WITH_TRANSFERS;
  await sql.unsafe(`
    create schema ${PONDER};
    create table ${PONDER}._ponder_meta (key text primary key, value jsonb);
    insert into ${PONDER}._ponder_meta values ('app', '{"build_id": "bench", "is_ready": 1}');
    create table ${PONDER}._ponder_checkpoint (chain_name text primary key, chain_id int8 not null,
      safe_checkpoint varchar(75), latest_checkpoint varchar(75), finalized_checkpoint varchar(75))`);
  await createPonderTables(sql, PONDER);
  await sql.unsafe(`
    insert into ${PONDER}.block (number, hash, timestamp)
    select n, '0x' || md5(n::text) || md5((-n)::text), 1600000000 + 2 * n
      from generate_series(${FINAL - blocks + 1}, ${FINAL}) n;
    insert into ${PONDER}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
    select ${FINAL} - i / ${TRANSFERS_PER_BLOCK}, i % ${TRANSFERS_PER_BLOCK}, 0, 0, ${addressOf("token", `i % ${TOKENS}`)}, ${addressOf("account", "i % 1000")},
           ${addressOf("account", "i % 999")}, 1 from generate_series(0, ${facts - 1}) i;
    ${checkpointText(FINAL + 1)};
    analyze`);
}

interface Made {
  identity: FoldIdentity;
  chain: ChainFile;
  holders: number;
  pools: number;
}

/** For each (token, account): the present row, and three past ones. */
async function makeFold(sql: Sql, { identity, chain, holders, pools }: Made): Promise<void> {
  await sql.unsafe(deploymentDdl);
  const [row] = await sql.unsafe(`select '${PONDER}.block'::regclass::oid::text as oid`);
  await createFold(sql, identity, { buildId: "bench", factOid: String(row?.oid) });
  await sql.unsafe("set work_mem = '512MB'; set synchronous_commit = off");
  await sql.unsafe(`
    create temp table account as
    select n, ${bytesOf("account", "n")} as address from generate_series(0, ${ACCOUNTS - 1}) n;
    create unique index on account (n);
    insert into ${FOLD}.asset
    select nextval('${FOLD}.asset_id'), 'erc20', ${bytesOf("token", "n")}, 1, n from generate_series(0, ${TOKENS - 1}) n;
    create temp table held as
    select a.id as asset, c.address as account, ${FINAL} - 1 - ((j * 7919 + a.id * 104729) % 1500000) as since,
           (j * 31 + a.id) % 90000 + 1 as step
      from ${FOLD}.asset a cross join generate_series(0, ${holders - 1}) j
      join account c on c.n = ${holderOf("a.id - 1", "j", holders)} where a.id > 0;
    insert into ${FOLD}.holding_current (asset, account, since, amount)
    select asset, account, since, 1e24 from held order by since;
    insert into ${FOLD}.holding_current (asset, account, since, amount)
    select 0, key, 1, 1e30 from ${FOLD}.asset where id > 0;
    insert into ${FOLD}.holding_interval (asset, account, from_block, to_block, lvl, amount)
    select asset, account, since - k * step, since - (k - 1) * step, floor(log(2, step))::int2, 1e23 * k
      from held cross join generate_series(1, 3) k order by since - (k - 1) * step;
    insert into ${FOLD}.holder (account, asset) select account, asset from held;
    insert into ${FOLD}_recent.block select * from ${PONDER}.block;
    update ${FOLD}.meta set finalized = ${FINAL}, head = ${FINAL}`);
  await makePools(sql, chain, pools);
  await finishLoad([sql], { foldSchema: FOLD, stepTables: v3HistoryTables });
  await sql.unsafe("analyze; reset work_mem; reset synchronous_commit; checkpoint");
}

/** Pools, whose complete state is read when the fold starts. */
async function makePools(sql: Sql, { v3 }: ChainFile, pools: number): Promise<void> {
  const [deployment] = v3?.deployments ?? [];
  if (deployment === undefined) return;
  const { factory, positionManager, flavour } = deployment;
  const bytes = (address: string) => `'\\x${address.slice(2)}'::bytea`;
  const manager = bytes(positionManager.address);
  await sql.unsafe(`
    insert into ${FOLD}.v3_pool
    select n, ${bytesOf("pool", "n")}, ${bytes(factory.address)}, ${bytesOf("token", "n")}, ${bytesOf("token", "n + 1")},
           3000, 60, '${flavour}', ${manager}, 1, n, 0, 0 from generate_series(1, ${pools}) n;
    select setval('${FOLD}.v3_pool_id', ${pools});
    insert into ${FOLD}.v3_pool_current
    select n, 100, 79228162514264337593543950336, 0, 1000000, 0, 0, 0, 0, 0, 0 from generate_series(1, ${pools}) n;
    insert into ${FOLD}.v3_tick_current
    select n, 60 * t, 100, 1000, 0, 0, 0 from generate_series(1, ${pools}) n, generate_series(-50, 50) t;
    insert into ${FOLD}.v3_position_current
    select n, ${bytesOf("account", "t")}, -60 * t, 60 * t, 100, 1000, 0, 0, 0, 0
      from generate_series(1, ${pools}) n, generate_series(1, 100) t;
    insert into ${FOLD}.v3_nft_current
    select ${manager}, n * 100 + t, 100, n, ${bytesOf("account", "t")}, -60 * t, 60 * t, 1000, 0, 0, 0, 0
      from generate_series(1, ${pools}) n, generate_series(1, 100) t`);
}
