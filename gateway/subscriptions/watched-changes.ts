// What happened in a range of blocks to the balances and pools that are watched, read in a number of statements that
// does not depend on how many watch.
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { holdings } from "../../core/history/histories.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import type { OperationContext } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { StretchRow } from "../history/account-steps.ts";
import type { BlockPoint } from "../history/point.ts";
import { readFactsAfter } from "../history/raw-facts.ts";
import { stretchesOfKey } from "../history/stretches.ts";
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

/** Wallets of `watched` that any block of the span changed, by {@link walletKey}; the changes of each in order of blocks. */
export async function walletDeltas(
  snapshot: Snapshot,
  { after, upTo }: BlocksAfter,
  watched: readonly Wallet[],
): Promise<Map<string, WalletDelta[]>> {
  if (watched.length === 0) return new Map();
  const rows = await snapshot.prepared<Stretch>(
    stretchesText(snapshot.fold, { isOpen: after >= snapshot.state.finalized }),
    [
      ...[watched.map(({ token }) => token).join(","), watched.map(({ account }) => account).join(",")],
      ...[String(after), String(upTo)],
    ],
  );
  const changes = [...groupedBy(rows, walletKey)].map(([key, stretches]) => [key, deltasOf(stretches, after)] as const);
  return new Map(changes.filter(([, deltas]) => deltas.length > 0));
}

function groupedBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** What a wallet has from the end of block `since` on, and before the end of block `until`. */
interface Stretch extends Wallet, StretchRow {}

/**
 * $1 tokens and $2 accounts that are watched, $3 after and $4 up to which block: stretches in the span, in order. While none
 * of its blocks is final (`isOpen`) only of wallets that have versions in it: the others have not changed.
 */
const stretchesText = (fold: string, { isOpen }: { isOpen: boolean }): string => `
  with changed as materialized (
    select distinct asset, account from ${fold}.holding_recent where block > $3::int4 and block <= $4::int4),
  watched as materialized (
    select w.token, w.account, a.id as asset, decode(substr(w.account, 3), 'hex') as key
      from unnest(string_to_array($1, ','), string_to_array($2, ',')) as w(token, account)
      join ${fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(w.token, 3), 'hex')
     where ${isOpen ? "(a.id, decode(substr(w.account, 3), 'hex')) in (select asset, account from changed)" : "true"})
  select k.token, k.account, s.since, s.until, s.amount::text as amount
    from watched k
   cross join lateral (${stretchesOfKey(holdings, {
     fold,
     ranges: "(values ($3::int4, $4::int4)) w(first, last)",
     upTo: "$4::int4",
     key: { asset: "k.asset", account: "k.key" },
     select: (row) => `${row}.amount`,
   })}) s
   order by s.since`;

/** The changes after the end of block `after`; between stretches there is nothing in the wallet. */
function deltasOf(stretches: readonly Stretch[], after: number): WalletDelta[] {
  const amounts = new Map<number, bigint>();
  for (const { until } of stretches) if (until !== null) amounts.set(until, 0n);
  for (const { since, amount } of stretches) amounts.set(Math.max(since, after), BigInt(amount));
  const [wallet] = stretches;
  let before = amounts.get(after) ?? 0n;
  const changes = [...amounts].filter(([block]) => block > after).sort(([a], [b]) => a - b);
  return changes.flatMap(([block, amount]) => {
    const delta = amount - before;
    before = amount;
    return wallet && delta !== 0n ? [{ block, token: wallet.token, account: wallet.account, delta }] : [];
  });
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

/** Events of those `pools` that have any in the span, by pool, in order. */
export async function poolEvents(
  snapshot: Snapshot,
  { after, upTo }: BlocksAfter,
  pools: readonly Address[],
): Promise<Map<string, PoolEvent[]>> {
  if (pools.length === 0) return new Map();
  const found = await readFactsAfter(snapshot, after, ({ rows, view }) => {
    const events = poolTables.map(({ table, pool, hasKind = false }) => {
      const kind = hasKind ? `'${table}.' || kind` : `'${table}'`;
      return `select block, log_index as "logIndex", ${pool}::text as pool, ${kind} as kind from ${view(table)}
               where block > ${after} and block <= ${upTo} and ${pool} = any(string_to_array($1, ','))`;
    });
    return rows<PoolEvent>(`select * from (${events.join(" union all ")}) e order by block, "logIndex"`, [
      pools.join(","),
    ]);
  });
  return groupedBy(found, ({ pool }) => pool);
}

/** Where pools are announced. */
const announcements: readonly { table: string; pool: string }[] = [
  { table: "v3_pool_created", pool: "pool" },
  { table: "v2_pair_created", pool: "pair" },
  { table: "island_created", pool: "island" },
  { table: "launch_pool", pool: "pool" },
];

/** Whether there is a v3 pool, v2 pair, island or launch pool at the address. */
export async function isPool(snapshot: Snapshot, address: Address): Promise<boolean> {
  const { fold } = snapshot;
  const found = announcements.map(({ table, pool }) => `exists (select from ${fold}.${table} where ${pool} = $1)`);
  const [row] = await snapshot.prepared<{ found: boolean }>(`select ${found.join(" or ")} as found`, [address]);
  return row?.found ?? false;
}
