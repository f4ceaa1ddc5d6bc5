// How many wallets hold each of several tokens: counted where they lie, since only numbers are wanted.
import { rowsOfGroup } from "../../../core/history/as-of.ts";
import { holdings } from "../../../core/history/histories.ts";
import type { Snapshot } from "../../database/snapshot.ts";
import type { BlockPoint } from "../../history/point.ts";
import type { Address } from "../../parameters.ts";

const NOBODY = `0x${"0".repeat(40)}`;

/**
 * Addresses whose own wallet is not empty at the end of the block, for each of `tokens` in their order; the zero address
 * and those of `except` are not counted.
 */
export async function countHolders(
  snapshot: Snapshot,
  point: BlockPoint,
  input: { tokens: readonly Address[]; except: readonly string[] },
): Promise<number[]> {
  const { tokens } = input;
  if (tokens.length === 0) return [];
  const except = [NOBODY, ...input.except];
  const rows = await snapshot.prepared<{ place: number; wallets: number }>(walletsText(snapshot.schemas.fold), [
    ...[tokens.join(","), except.join(",")],
    String(point.block),
  ]);
  const wallets = new Map(rows.map((row) => [row.place - 1, row.wallets]));
  return tokens.map((_, i) => wallets.get(i) ?? 0);
}

const addressesIn = (parameter: string): string =>
  `select decode(substr(listed, 3), 'hex') as account from unnest(string_to_array(${parameter}, ',')) listed`;

/** $1 tokens, $2 who is not counted, $3 block: (place, wallets) of those that anybody holds. */
const walletsText = (fold: string): string => `
    select u.place::int4 as place, count(*)::int4 as wallets
      from unnest(string_to_array($1, ',')) with ordinality as u(token, place)
      join ${fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(u.token, 3), 'hex')
     cross join lateral (${rowsOfGroup(holdings, {
       ...{ fold, of: { asset: "a.id" }, block: "$3::int4" },
       select: (row) => `${row}.account, ${row}.amount`,
     })}) h
     where h.account not in (${addressesIn("$2")})
     group by u.place`;
