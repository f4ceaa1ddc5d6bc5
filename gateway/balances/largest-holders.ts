// One page of holders, largest first and then by account. How many there are and where a page ends is found out once for a
// block: it is told by counting and sorting all of them, and with it the next who asks needs neither.
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

export interface HoldersPage {
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

interface Marks extends Pick<HoldersPage, "total" | "before"> {
  /** Nobody on the page has less. */
  least: string;
}

const marks = question<Marks>("holders-pages");

/** `held`: (account bytea, amount, own numeric), amounts above zero. */
export async function largestHolders(
  snapshot: Snapshot,
  point: BlockPoint,
  { held, ...input }: HoldersInput & { held: Statement },
): Promise<HoldersPage> {
  const { token, after, limit } = input;
  const place = { at: point.hash, key: `${token} ${limit} ${after ? `${after.amount} ${after.account}` : ""}` };
  const found = snapshot.cache.get(marks, place);
  if (found) {
    const { least, ...counts } = found;
    return { rows: await readPage(snapshot, held, { ...input, least }), ...counts };
  }
  const [counted] = await snapshot.rows<{ total: number; behind: number }>(
    `select count(*)::int as total, count(*) filter (where ${after ? behind(after) : "true"})::int as behind from (${held.text}) h`,
    held.parameters,
  );
  const total = counted?.total ?? 0;
  const before = total - (counted?.behind ?? 0);
  const rows = await readPage(snapshot, held, { ...input, least: "0" });
  const least = rows.length === limit ? (rows.at(-1)?.amount ?? "0") : "0";
  snapshot.cache.set(marks, place, { total, before, least });
  return { rows, total, before };
}

/** As one text: a driver needs several times as long for as many rows of their own. */
async function readPage(
  snapshot: Snapshot,
  { text, parameters }: Statement,
  { after, limit, least }: Omit<HoldersInput, "token"> & { least: string },
): Promise<Holder[]> {
  const [row] = await snapshot.rows<{ many: string | null }>(
    `select string_agg(concat_ws(' ', encode(account, 'hex'), amount, own), ' ' order by amount desc, account) as many
       from (select account, amount, own from (${text}) h
              where amount >= ${least}${after ? ` and ${behind(after)}` : ""}
              order by amount desc, account limit ${limit}) page`,
    parameters,
  );
  const values = row?.many ? row.many.split(" ") : [];
  return Array.from({ length: values.length / 3 }, (_, i) => ({
    account: `0x${values[3 * i]}`,
    amount: values[3 * i + 1] as string,
    own: values[3 * i + 2] as string,
  }));
}

/** Digits, and an address. */
const behind = ({ amount, account }: { amount: string; account: string }): string =>
  `(amount < ${amount} or (amount = ${amount} and account > decode('${account.slice(2)}', 'hex')))`;
