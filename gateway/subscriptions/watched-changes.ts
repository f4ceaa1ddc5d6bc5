// What happened in a range of blocks to the balances and pools that somebody watches, read in a number of statements that
// does not depend on how many watch.
import { ledgers } from "../../core/ledgers/registry.ts";
import type { OperationContext } from "../context.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { ledgerAt } from "../lookthrough/ledger-at.ts";
import type { Address } from "../parameters.ts";

export interface Wallet {
  token: Address;
  account: Address;
}

export const walletKey = ({ token, account }: Wallet): string => `${token} ${account}`;

export interface WalletDelta extends Wallet {
  block: number;
  /** Raw units, of all transfers of the block together. */
  delta: bigint;
}

export interface PoolEvent {
  block: number;
  logIndex: number;
  pool: Address;
  /** Fact table and kind, e.g. `v3_swap`, `v3_liquidity.mint`. */
  kind: string;
}

export interface BlockSpan {
  after: number;
  upTo: number;
}

/** SELECT text of the ledgers' changes in the span: (block, log_index, kind, key, account, delta). */
const changesIn = (schema: string, { after, upTo }: BlockSpan): string =>
  ledgers.map(({ deltas }) => `(${deltas(schema, { after: String(after), upTo: String(upTo) })})`).join(" union all ");

/** Wallets of `watched` that any block of the span changed, by block. */
export async function walletDeltas(
  facts: FactsScope,
  span: BlockSpan,
  watched: readonly Wallet[],
): Promise<WalletDelta[]> {
  if (watched.length === 0) return [];
  const rows = await facts.rows<{ block: number; token: Address; account: Address; delta: string }>(
    `select d.block, d.key as token, d.account, sum(d.delta)::text as delta
       from (${changesIn(facts.schemas.ponder, span)}) d
       join unnest(string_to_array($1, ','), string_to_array($2, ',')) as w(token, account)
         on w.token = d.key and w.account = d.account
      where d.kind = 'erc20'
      group by d.block, d.key, d.account having sum(d.delta) <> 0
      order by d.block`,
    [watched.map(({ token }) => token).join(","), watched.map(({ account }) => account).join(",")],
  );
  return rows.map(({ delta, ...row }) => ({ ...row, delta: BigInt(delta) }));
}

/** What each wallet holds at the end of the block, raw units, by {@link walletKey}. */
export async function walletsAt(
  context: OperationContext,
  point: BlockPoint,
  wallets: readonly Wallet[],
): Promise<Map<string, bigint>> {
  if (wallets.length === 0) return new Map();
  const ledger = ledgerAt(context, point);
  const amounts = await ledger.amounts(wallets.map(({ token, account }) => ({ kind: "erc20", key: token, account })));
  return new Map(wallets.map((wallet, i) => [walletKey(wallet), amounts[i] ?? 0n]));
}

/** Fact tables of everything that can be watched as a pool, and the column that names it. */
const poolTables: readonly { table: string; pool: string; hasKind?: boolean }[] = [
  { table: "v3_initialize", pool: "pool" },
  { table: "v3_swap", pool: "pool" },
  { table: "v3_liquidity", pool: "pool", hasKind: true },
  { table: "v3_flash", pool: "pool" },
  { table: "v3_protocol_fee", pool: "pool", hasKind: true },
  { table: "v2_swap", pool: "pair" },
  { table: "v2_liquidity", pool: "pair", hasKind: true },
  { table: "v2_sync", pool: "pair" },
  { table: "island_flow", pool: "island", hasKind: true },
  { table: "island_rebalance", pool: "island" },
  { table: "island_manager", pool: "island", hasKind: true },
  { table: "launch_pool", pool: "pool", hasKind: true },
  { table: "launch_swap", pool: "pool" },
  { table: "launch_sync", pool: "pool" },
];

/** Events of `pools` in the span, in order. */
export async function poolEvents(
  facts: FactsScope,
  { after, upTo }: BlockSpan,
  pools: readonly Address[],
): Promise<PoolEvent[]> {
  if (pools.length === 0) return [];
  const events = poolTables.map(({ table, pool, hasKind = false }) => {
    const kind = hasKind ? `'${table}.' || kind` : `'${table}'`;
    return `select block, log_index as "logIndex", ${pool}::text as pool, ${kind} as kind
              from ${facts.schemas.ponder}.${table}
             where block > ${after} and block <= ${upTo} and ${pool} = any(string_to_array($1, ','))`;
  });
  return facts.rows<PoolEvent>(`select * from (${events.join(" union all ")}) e order by block, "logIndex"`, [
    pools.join(","),
  ]);
}

/** Where pools are announced. */
const announcements: readonly { table: string; pool: string }[] = [
  { table: "v3_pool_created", pool: "pool" },
  { table: "v2_pair_created", pool: "pair" },
  { table: "island_created", pool: "island" },
  { table: "launch_pool", pool: "pool" },
];

/** Whether there is a v3 pool, v2 pair, island or launch pool at the address. */
export async function isPool(facts: FactsScope, address: Address): Promise<boolean> {
  const found = announcements.map(
    ({ table, pool }) => `exists (select from ${facts.schemas.ponder}.${table} where ${pool} = '${address}')`,
  );
  const [row] = await facts.rows<{ found: boolean }>(`select ${found.join(" or ")} as found`);
  return row?.found ?? false;
}
