// Given accounts at a block: the product's list question against a plain seek by key.
import { quoted } from "../../fold/tables.ts";
import { accountsAt } from "../../gateway/history/holdings-at.ts";
import { FOLD_SCHEMA, type Ground } from "./ground.ts";
import { accountSeek } from "./peers/plain-history.ts";
import { HOT, type Moment, momentNames } from "./sizes.ts";

export interface ListRun {
  moment: Moment;
  design: "tidemark" | "plain seek";
  accounts: number;
  ms: number;
}

const designs = ["tidemark", "plain seek"] as const;

/** Number of unmeasured first questions of every kind. */
const WARM_UP = 3;

/** `accounts` that ever held the hot token, chosen differently for every `seed`. */
export async function someAccounts(
  { db }: Ground,
  { accounts, seed }: { accounts: number; seed: number },
): Promise<string[]> {
  const rows = await db.unsafe<{ account: string }[]>(`
    select '0x' || encode(account, 'hex') as account from plain.holder where token = ${HOT}
     order by hashtextextended(encode(account, 'hex'), ${seed}) limit ${accounts}`);
  return rows.map(({ account }) => account);
}

/** Every repetition asks other accounts, both designs the same ones, in turns. */
export async function measureLists(
  ground: Ground,
  { accounts, repetitions }: { accounts: number; repetitions: number },
): Promise<ListRun[]> {
  const runs: ListRun[] = [];
  for (let i = -WARM_UP; i < repetitions; i++) {
    const accountList = await someAccounts(ground, { accounts, seed: i + WARM_UP + 1 });
    const order = i % 2 === 0 ? designs : designs.toReversed();
    for (const moment of momentNames) {
      const measured = await askBoth(ground, { accountList, moment, order });
      if (i >= 0) runs.push(...measured);
    }
  }
  return runs;
}

async function askBoth(
  ground: Ground,
  {
    accountList,
    moment,
    order,
  }: { accountList: readonly string[]; moment: Moment; order: readonly ListRun["design"][] },
): Promise<ListRun[]> {
  const block = ground.blocks[moment];
  const place = { fold: quoted(FOLD_SCHEMA), assetId: HOT, block };
  const texts = {
    tidemark: accountsAt(place, accountList),
    "plain seek": { text: accountSeek(HOT, block), parameters: [accountList.join(",")] },
  };
  const runs: ListRun[] = [];
  const answers = new Set<string>();
  for (const design of order) {
    const { text, parameters } = texts[design];
    const started = performance.now();
    const rows = await ground.db.unsafe<{ amount: string }[]>(text, parameters);
    runs.push({ moment, design, accounts: accountList.length, ms: performance.now() - started });
    answers.add(`${rows.length} accounts, ${rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)}`);
  }
  if (answers.size > 1) throw new Error(`lists at the ${moment} block differ: ${[...answers].join(" / ")}`);
  return runs;
}
