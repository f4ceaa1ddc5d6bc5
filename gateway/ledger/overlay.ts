// What happened above the fold's watermark: the same ledger SQL as the fold's, summed on the fly for the few blocks
// that are not final yet.

import { factTables } from "../../core/fact-tables.ts";
import { MAX_AMOUNT, SUPPLY_ASSET } from "../../core/ledgers/additive-ledger.ts";
import { ledgers } from "../../core/ledgers/registry.ts";
import { FoldBehindError, MOST_OVERLAID_FACTS } from "../block-point.ts";
import type { Address } from "../parameters.ts";
import type { FactsScope } from "./facts-scope.ts";

/** Changes of one token in (watermark, block]; raw units, decimal strings. */
export interface Overlay {
  accounts: readonly Address[];
  deltas: readonly string[];
  supplyDelta: string;
  /** Why the token is not a standard one, if it stopped being one up here. */
  broken: string | undefined;
}

export const NO_OVERLAY: Overlay = { accounts: [], deltas: [], supplyDelta: "0", broken: undefined };

/**
 * SELECT text of the ledgers' changes with after < block <= upTo, of one token's contract if named:
 * (block, log_index, kind, key, account, delta).
 */
export const changesIn = (schema: string, range: { after: number; upTo: number }, token?: Address): string =>
  ledgers
    .map(({ deltas }) => {
      const bounds = { after: String(range.after), upTo: String(range.upTo) };
      return `(${deltas(schema, bounds, token && `'${token}'`)})`;
    })
    .join(" union all ");

/** Facts in (after, upTo], counted up to one more than may be overlaid. */
export async function countFacts(facts: FactsScope, range: { after: number; upTo: number }): Promise<number> {
  const tables = factTables.flatMap((table) =>
    table === "block"
      ? []
      : `select 1 from ${facts.schemas.ponder}.${table} where block > ${range.after} and block <= ${range.upTo}`,
  );
  const [row] = await facts.rows<{ n: number }>(
    `select count(*)::int as n from (${tables.join(" union all ")} limit ${MOST_OVERLAID_FACTS + 1}) facts`,
  );
  return row?.n ?? 0;
}

/** @throws FoldBehindError when `block` lies too many facts above the watermark */
export async function requireFoldedNear(facts: FactsScope, block: number): Promise<void> {
  const { watermark } = facts.state;
  if (block <= watermark) return;
  if ((await countFacts(facts, { after: watermark, upTo: block })) > MOST_OVERLAID_FACTS)
    throw new FoldBehindError({ block, watermark });
}

/** Whether `token` has any recorded event above the watermark. */
export async function isSeenAboveWatermark(facts: FactsScope, token: Address): Promise<boolean> {
  const { watermark, lastSynced } = facts.state;
  if (lastSynced === undefined || lastSynced <= watermark) return false;
  await requireFoldedNear(facts, lastSynced);
  const range = { after: watermark, upTo: lastSynced };
  const rows = await facts.rows(`
    select 1 as seen from (${changesIn(facts.schemas.ponder, range, token)}) d where kind = 'erc20' and key = '${token}' limit 1`);
  return rows.length > 0;
}

/**
 * Changes of `token` in (watermark, upTo]. The fold judges a token by its amounts at the end of each block, and so does
 * this: `broken` tells when one of them is below zero or past 2^256 - 1.
 */
export async function readOverlay(
  facts: FactsScope,
  asked: { token: Address; assetId: number | undefined; upTo: number },
): Promise<Overlay> {
  const { token, assetId, upTo } = asked;
  const { watermark } = facts.state;
  if (upTo <= watermark) return NO_OVERLAY;
  const rows = await facts.rows<{ kind: string; account: Address; delta: string; low: boolean; high: boolean }>(`
    with changes as (
      select kind, account, block, sum(delta) as delta
        from (${changesIn(facts.schemas.ponder, { after: watermark, upTo }, token)}) d
       where (kind = 'erc20' and key = '${token}') or (kind = 'supply' and account = '${token}')
       group by kind, account, block),
    running as (
      select kind, account, delta, sum(delta) over (partition by kind, account order by block) as after from changes)
    select r.kind, r.account, sum(r.delta)::text as delta,
           min(r.after) + coalesce(c.amount, 0) < 0 as low, max(r.after) + coalesce(c.amount, 0) > ${MAX_AMOUNT} as high
      from running r
      left join ${facts.schemas.fold}.holding_current c
        on c.asset = case r.kind when 'supply' then ${SUPPLY_ASSET} else ${assetId ?? -1} end
       and c.account = decode(substr(r.account, 3), 'hex')
     group by r.kind, r.account, c.amount`);
  const holders = rows.filter((row) => row.kind === "erc20");
  const supply = rows.find((row) => row.kind === "supply");
  const bad = rows.find((row) => row.low || row.high);
  return {
    accounts: holders.map((row) => row.account),
    deltas: holders.map((row) => row.delta),
    supplyDelta: supply?.delta ?? "0",
    broken: bad && `${bad.kind === "supply" ? "supply" : "balance"} ${bad.low ? "below zero" : "past 2^256-1"}`,
  };
}

/** Tokens whose ledger goes out of range in (watermark, upTo], by the rule of readOverlay. */
export async function tokensBrokenAbove(facts: FactsScope, upTo: number): Promise<Set<Address>> {
  const { watermark } = facts.state;
  if (upTo <= watermark) return new Set();
  const rows = await facts.rows<{ token: Address }>(`
    with changes as (
      select kind, key, account, block, sum(delta) as delta
        from (${changesIn(facts.schemas.ponder, { after: watermark, upTo })}) d group by kind, key, account, block),
    running as (
      select *, sum(delta) over (partition by kind, key, account order by block) as after from changes)
    select distinct case r.kind when 'supply' then r.account else r.key end as token
      from (select * from running where kind in ('erc20', 'supply')) r
      left join ${facts.schemas.fold}.asset a on a.kind = r.kind and a.key = decode(substr(r.key, 3), 'hex')
      left join ${facts.schemas.fold}.holding_current c
        on c.asset = a.id and c.account = decode(substr(r.account, 3), 'hex')
     where r.after + coalesce(c.amount, 0) < 0 or r.after + coalesce(c.amount, 0) > ${MAX_AMOUNT}`);
  return new Set(rows.map((row) => row.token));
}
