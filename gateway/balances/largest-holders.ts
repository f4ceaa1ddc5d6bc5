// One page of holders, largest first and then by account. All of them are counted and sorted for it, once for a block.
import { question } from "../cache/question.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Statement } from "../history/holdings-at.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";

/** Raw units: everything, and the wallet alone. */
export interface Holder {
  account: Address;
  amount: string;
  own: string;
}

interface HoldersPage {
  rows: readonly Holder[];
  /** Of all pages. */
  total: number;
  /** How many come before this page. */
  before: number;
}

interface HoldersInput {
  token: Address;
  /** Where the page before ended. */
  after: { amount: string; account: string } | undefined;
  limit: number;
}

const pages = question<HoldersPage>("holders-pages");

/** `held`: (account bytea, amount, own numeric), amounts above zero. */
export async function largestHolders(
  snapshot: Snapshot,
  point: BlockPoint,
  { held, ...input }: HoldersInput & { held: Statement },
): Promise<HoldersPage> {
  const { token, after, limit } = input;
  const { revision } = snapshot.state;
  const key = `${token} ${limit} ${after ? `${after.amount} ${after.account}` : ""}`;
  return snapshot.cache.of(pages, { at: point.hash, key, revision }, () => readPage(snapshot, held, input));
}

/** The rows as one text: a driver needs several times as long for as many rows of their own. */
async function readPage(
  snapshot: Snapshot,
  { text, parameters }: Statement,
  { after, limit }: Omit<HoldersInput, "token">,
): Promise<HoldersPage> {
  const rest = after ? behind(after) : "true";
  const [row] = await snapshot.rows<{ total: number; behind: number; many: string | null }>(
    `with held as materialized (${text})
     select count(*)::int as total, count(*) filter (where ${rest})::int as behind,
            (select string_agg(concat_ws(' ', encode(account, 'hex'), amount, own), ' ' order by amount desc, account)
               from (select account, amount, own from held where ${rest} order by amount desc, account limit ${limit}) page) as many
       from held`,
    parameters,
  );
  const values = row?.many ? row.many.split(" ") : [];
  const rows = Array.from({ length: values.length / 3 }, (_, i) => ({
    account: `0x${values[3 * i]}` as Address,
    amount: values[3 * i + 1] as string,
    own: values[3 * i + 2] as string,
  }));
  const total = row?.total ?? 0;
  return { rows, total, before: total - (row?.behind ?? 0) };
}

/** SQL: rows after the one with `amount`, raw units, and `account`. */
const behind = ({ amount, account }: { amount: string; account: string }): string =>
  `(amount < ${amount} or (amount = ${amount} and account > decode('${account.slice(2)}', 'hex')))`;
