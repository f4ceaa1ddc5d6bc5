// How many wallets hold each of several tokens: counted where they lie, since only numbers are wanted.
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import { asOf } from "../ledger/as-of.ts";
import { nameOf } from "../ledger/block-changes.ts";
import { changesAbove } from "../ledger/changes-above.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import type { Address } from "../parameters.ts";

const NOBODY = `0x${"0".repeat(40)}`;

/**
 * Addresses whose own wallet is not empty at the end of the block, for each of `tokens` in their order; the zero address
 * and those of `except` are not counted. Not to be called inside `withFacts`.
 */
export async function countHolders(
  snapshot: Snapshot,
  point: BlockPoint,
  asked: { tokens: readonly Address[]; except: readonly string[] },
): Promise<number[]> {
  const { tokens } = asked;
  if (tokens.length === 0) return [];
  const except = [NOBODY, ...asked.except];
  const above = await changedAbove(snapshot, point, { tokens, except });
  const { fold, folded } = asOf(snapshot, point);
  const rows = await snapshot.prepared<{ place: number; wallets: number }>(foldedText(fold), [
    ...[tokens.join(","), except.join(",")],
    String(folded),
  ]);
  const wallets = new Map(rows.map((row) => [row.place - 1, row.wallets]));
  return tokens.map((token, i) => (wallets.get(i) ?? 0) + (above.get(token) ?? 0));
}

const addressesIn = (parameter: string): string =>
  `select decode(substr(listed, 3), 'hex') as account from unnest(string_to_array(${parameter}, ',')) listed`;

/** $1 tokens, $2 who is not counted, $3 block: (place, wallets) of those that anybody holds. */
const foldedText = (fold: string): string => `
    select u.place::int4 as place, count(*)::int4 as wallets
      from unnest(string_to_array($1, ',')) with ordinality as u(token, place)
      join ${fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(u.token, 3), 'hex')
     cross join lateral (${rowsOfGroup(holdings, {
       ...{ fold, of: { asset: "a.id" }, block: "$3::int4" },
       select: (row) => `${row}.account, ${row}.amount`,
     })}) h
     where h.account not in (${addressesIn("$2")})
     group by u.place`;

/** By how many wallets the blocks above the watermark changed each count. */
async function changedAbove(
  snapshot: Snapshot,
  point: BlockPoint,
  { tokens, except }: { tokens: readonly Address[]; except: readonly string[] },
): Promise<Map<string, number>> {
  if (point.block <= point.watermark) return new Map();
  const changes = await changesAbove(snapshot, point);
  const isCounted = (account: string) => !except.includes(account);
  const changed = tokens.flatMap((token) =>
    [...(changes.get(nameOf({ kind: "erc20", key: token })) ?? [])]
      .filter(([account]) => isCounted(account))
      .map(([account, delta]) => ({ token, account, delta })),
  );
  if (changed.length === 0) return new Map();
  const { fold, folded } = asOf(snapshot, point);
  const rows = await snapshot.prepared<{ token: string; wallets: number }>(changedText(fold), [
    ...[changed.map(({ token }) => token).join(","), changed.map(({ account }) => account).join(",")],
    ...[changed.map(({ delta }) => delta).join(","), String(folded)],
  ]);
  return new Map(rows.map(({ token, wallets }) => [token, wallets]));
}

/** $1 tokens, $2 accounts, $3 by how much each of them changed since the end of block $4: (token, wallets). */
const changedText = (fold: string): string => `
  select u.token, sum((coalesce(c.amount, 0) + u.delta > 0)::int4 - (coalesce(c.amount, 0) > 0)::int4)::int4 as wallets
    from (select token, account, delta::numeric as delta
            from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ','))
                 as listed(token, account, delta)) u
    left join ${fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(u.token, 3), 'hex')
    left join lateral (${rowOfKey(holdings, {
      ...{ fold, block: "$4::int4", key: { asset: "a.id", account: "decode(substr(u.account, 3), 'hex')" } },
      select: (row) => `${row}.amount`,
    })}) c on true
   group by u.token`;
