// How many wallets hold each of several tokens: counted where they lie, since only numbers are wanted.
import { asOf } from "../ledger/as-of.ts";
import { changesIn } from "../ledger/overlay.ts";
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
  const except = [NOBODY, ...asked.except].join(",");
  const above = await changedAbove(snapshot, point, { tokens, except });
  const rows = await snapshot.rows<{ place: number; wallets: number }>(foldedText(snapshot, point), [
    tokens.join(","),
    except,
  ]);
  const folded = new Map(rows.map(({ place, wallets }) => [place - 1, wallets]));
  return tokens.map((token, i) => (folded.get(i) ?? 0) + (above.get(token) ?? 0));
}

const addressesIn = (parameter: string): string =>
  `select decode(substr(listed, 3), 'hex') as account from unnest(string_to_array(${parameter}, ',')) listed`;

/** $1 tokens, $2 who is not counted: (place, wallets) of those that anybody holds. */
function foldedText(snapshot: Snapshot, point: BlockPoint): string {
  const { fold, folded } = asOf(snapshot, point);
  const ended = `
      select l.account from generate_series(0, 29) k cross join lateral (
        select account from ${fold}.holding_interval
         where asset = a.id and lvl = k::int2
           and from_block <= ${folded} and from_block > ${folded} - (2 << k) and to_block > ${folded}
        offset 0) l
      union all`;
  return `
    select u.place::int4 as place, count(*)::int4 as wallets
      from unnest(string_to_array($1, ',')) with ordinality as u(token, place)
      join ${fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(u.token, 3), 'hex')
     cross join lateral (${folded < point.watermark ? ended : ""}
      select account from ${fold}.holding_current where asset = a.id and since <= ${folded}) h
     where h.account not in (${addressesIn("$2")})
     group by u.place`;
}

/** By how many wallets the blocks above the watermark changed each count. */
async function changedAbove(
  snapshot: Snapshot,
  { watermark, block }: BlockPoint,
  { tokens, except }: { tokens: readonly Address[]; except: string },
): Promise<Map<string, number>> {
  if (block <= watermark) return new Map();
  const rows = await snapshot.withFacts(({ schemas, rows: read }) =>
    read<{ token: string; wallets: number }>(
      `with changed as (
         select key as token, decode(substr(account, 3), 'hex') as account, sum(delta) as delta
           from (${changesIn(schemas.ponder, { after: watermark, upTo: block })}) d
          where kind = 'erc20' and key in (select unnest(string_to_array($1, ',')))
          group by key, account having sum(delta) <> 0)
       select d.token, sum((coalesce(c.amount, 0) + d.delta > 0)::int4 - (coalesce(c.amount, 0) > 0)::int4)::int4 as wallets
         from changed d
         left join ${schemas.fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(d.token, 3), 'hex')
         left join ${schemas.fold}.holding_current c on c.asset = a.id and c.account = d.account
        where d.account not in (${addressesIn("$2")})
        group by d.token`,
      [tokens.join(","), except],
    ),
  );
  return new Map(rows.map(({ token, wallets }) => [token, wallets]));
}
