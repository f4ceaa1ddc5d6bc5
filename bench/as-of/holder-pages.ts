// The explorer's page of the hot token and of one of its holders, over a socket, each at a block that nobody has asked about;
// compared with what the plain history takes at the same block for the number of holders, and for the one account.
import { durationClassSql } from "../../core/history/duration-class.ts";
import { quoted } from "../../fold/tables.ts";
import { ROOT } from "../../gateway/pages/place.ts";
import { sumInside } from "./answers.ts";
import { FOLD_SCHEMA, type Ground, type RunningGateway, startGateway } from "./ground.ts";
import { get } from "./http-client.ts";
import { accountSeek, distinctOn, lateralSeek } from "./peers/plain-history.ts";
import { HOT, type Moment, momentNames } from "./sizes.ts";

export type PageWhat = "token page" | "account page" | "distinct on" | "lateral" | "one account's seek";

export interface PageRun {
  moment: Moment;
  what: PageWhat;
  holders: number;
  ms: number;
}

/** @throws Error when a page is not 200 or does not say how many hold the token */
export async function measurePages(ground: Ground, rounds: number): Promise<PageRun[]> {
  const gateway = await startGateway(ground);
  try {
    const runs: PageRun[] = [];
    for (let round = 0; round <= rounds; round++)
      for (const moment of momentNames) {
        const measured = await measureAt(ground, gateway, { moment, round });
        if (round > 0) runs.push(...measured);
      }
    return runs;
  } finally {
    await gateway.stop();
    await ground.db.unsafe(`delete from ${quoted(FOLD_SCHEMA)}.holding_interval where asset = 0`);
  }
}

async function measureAt(
  ground: Ground,
  gateway: RunningGateway,
  { moment, round }: { moment: Moment; round: number },
): Promise<PageRun[]> {
  const { db, hot, blocks } = ground;
  const block = blocks[moment] - round;
  const counted = await sumInside(db, distinctOn(HOT, block));
  const sought = await sumInside(db, lateralSeek(HOT, block));
  const { holders } = counted;
  await writeQuestionBlock(ground, block, counted.sum);
  const token = await openPage(gateway, `token/${hot}?block=${block}`, `${holders.toLocaleString("en")} holders`);
  const account = await holderAt(ground, { moment, round });
  const started = performance.now();
  await db.unsafe(accountSeek(HOT, block), [account]);
  const seek = performance.now() - started;
  const page = await openPage(gateway, `account/${account}?block=${block}`, account);
  const times: [PageWhat, number][] = [
    ["token page", token],
    ["account page", page],
    ["distinct on", counted.ms],
    ["lateral", sought.ms],
    ["one account's seek", seek],
  ];
  return times.map(([what, ms]) => ({ moment, what, holders, ms }));
}

/** Milliseconds to the last byte. */
async function openPage({ url }: RunningGateway, path: string, says: string): Promise<number> {
  const { status, body, ms } = await get(`${url}${ROOT}/bench/${path}`);
  if (status !== 200) throw new Error(`the page ${path} answers ${status}: ${mainOf(body)}`);
  if (!body.includes(says)) throw new Error(`the page ${path} does not say "${says}"`);
  return ms;
}

const SHOWN_CHARACTERS = 300;

const mainOf = (body: Buffer): string =>
  body
    .toString("utf8")
    .replace(/^.*?<main[^>]*>/s, "")
    .replace(/<[^>]*>/g, " ")
    .slice(0, SHOWN_CHARACTERS);

/** The made-up history has neither old blocks nor supplies: writes this block, and the sum of all holdings as the supply. */
async function writeQuestionBlock({ db, hot }: Ground, block: number, sum: bigint): Promise<void> {
  const s = quoted(FOLD_SCHEMA);
  await db.unsafe(`
    insert into ${s}.block (number, hash, timestamp)
    values (${block}, '0x' || lpad(to_hex(${block}), 64, '0'), ${1_700_000_000 + 2 * block}) on conflict do nothing;
    insert into ${s}.holding_interval (asset, account, from_block, to_block, lvl, amount)
    values (0, decode('${hot.slice(2)}', 'hex'), ${block}, ${block + 1}, ${durationClassSql("1")}, ${sum})`);
}

async function holderAt({ db }: Ground, { moment, round }: { moment: Moment; round: number }): Promise<string> {
  const [row] = await db.unsafe<{ account: string }[]>(`
    select '0x' || encode(account, 'hex') as account from made.floor_${moment}
     order by hashtextextended(encode(account, 'hex'), ${round}) limit 1`);
  return row?.account ?? "";
}
