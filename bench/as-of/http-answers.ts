// The complete `GET /balances/<hot token>` over a socket: its time compared with the row floor's, and the memory that the gateway
// takes while several such answers stream.
import { readFileSync } from "node:fs";
import { toNearestDouble } from "../../gateway/numbers.ts";
import { readRows } from "./answers.ts";
import { type Ground, type RunningGateway, startGateway } from "./ground.ts";
import { entriesOf, get } from "./http-client.ts";
import { DECIMALS, type Moment, momentNames } from "./sizes.ts";
import { pairs, turns } from "./turns.ts";

export interface HttpRun {
  moment: Moment;
  what: "answer" | "row floor";
  holders: number;
  bytes: number;
  ms: number;
}

export interface HttpFigures {
  runs: HttpRun[];
  /** Milliseconds of `GET …&users=<one account>`. */
  single: number[];
  memory: { atOnce: number; residentBefore: number; residentPeak: number };
}

const AT_ONCE = 4;
const SINGLES = 50;
const SAMPLE_MS = 10;

export async function measureHttp(ground: Ground, rounds: number): Promise<HttpFigures> {
  const gateway = await startGateway(ground);
  try {
    const memory = await measureMemory(ground, gateway);
    for (const moment of momentNames) await checkAnswer(ground, gateway, moment);
    const runs: HttpRun[] = [];
    const contenders = pairs(momentNames, ["answer", "row floor"] as const);
    for (const { round, contender } of turns(contenders, rounds)) {
      const [moment, what] = contender;
      const run = await measureOne(ground, gateway, { moment, what });
      if (round > 0) runs.push(run);
    }
    return { runs, single: await measureSingles(ground, gateway), memory };
  } finally {
    await gateway.stop();
  }
}

const urlOf = ({ hot, blocks }: Ground, { url }: RunningGateway, moment: Moment): string =>
  `${url}/balances/${hot}?blockNumber=${blocks[moment]}`;

async function measureOne(
  ground: Ground,
  gateway: RunningGateway,
  { moment, what }: Pick<HttpRun, "moment" | "what">,
): Promise<HttpRun> {
  if (what === "row floor") {
    const { ms, holders } = await readRows(ground.db, `select account, amount from made.floor_${moment}`);
    return { moment, what, holders, bytes: 0, ms };
  }
  const { status, body, ms } = await get(urlOf(ground, gateway, moment));
  if (status !== 200) throw new Error(`the gateway answered ${status}`);
  return { moment, what, holders: 0, bytes: body.length, ms };
}

/** Compares every holder, every number and the order with the floor's rows. */
async function checkAnswer(ground: Ground, gateway: RunningGateway, moment: Moment): Promise<void> {
  const entries = entriesOf(await get(urlOf(ground, gateway, moment)));
  const rows = await ground.db.unsafe<{ account: string; amount: string }[]>(`
    select '0x' || encode(account, 'hex') as account, amount::text as amount from made.floor_${moment}
     order by made.floor_${moment}.amount desc, made.floor_${moment}.account`);
  if (entries.length !== rows.length)
    throw new Error(`${entries.length} holders at the ${moment} block, not ${rows.length}`);
  for (const [i, { account, amount }] of rows.entries()) {
    const total = toNearestDouble(BigInt(amount), DECIMALS);
    const entry = JSON.stringify({
      account,
      total,
      sources: [{ source: "balance", value: total }],
      expanded: `balance: ${total}`,
    });
    if (JSON.stringify(entries[i]) !== entry)
      throw new Error(`entry ${i} at the ${moment} block is ${JSON.stringify(entries[i])}, not ${entry}`);
  }
}

async function measureSingles({ hot, blocks, db }: Ground, { url }: RunningGateway): Promise<number[]> {
  const rows = await db.unsafe<{ account: string }[]>(
    `select '0x' || encode(account, 'hex') as account from made.floor_middle limit ${SINGLES}`,
  );
  const times: number[] = [];
  for (const { account } of rows) {
    const { status, ms } = await get(`${url}/balances/${hot}?blockNumber=${blocks.middle}&users=${account}`);
    if (status !== 200) throw new Error(`the gateway answered ${status}`);
    times.push(ms);
  }
  return times;
}

/** Resident bytes of a process, memory that it shares with files included. Linux only: elsewhere NaN. */
function residentBytes(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** Memory of a gateway that has answered only small questions before. */
async function measureMemory(ground: Ground, gateway: RunningGateway): Promise<HttpFigures["memory"]> {
  await measureSingles(ground, gateway);
  const residentBefore = residentBytes(gateway.pid);
  let residentPeak = residentBefore;
  const timer = setInterval(() => {
    residentPeak = Math.max(residentPeak, residentBytes(gateway.pid));
  }, SAMPLE_MS);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => get(urlOf(ground, gateway, "late"))));
  clearInterval(timer);
  for (const { status } of answers) if (status !== 200) throw new Error(`the gateway answered ${status}`);
  return { atOnce: AT_ONCE, residentBefore, residentPeak };
}
