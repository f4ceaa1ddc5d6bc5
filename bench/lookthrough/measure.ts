// Complete answers, over HTTP and in the operation alone, every case in turns. Each round asks about another block, so
// that nothing is in the cache; one question per round is then asked again, as pages and many clients do.

import { RequestScope, type Service } from "../../gateway/context.ts";
import { openDatabase } from "../../gateway/database/database.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { balancesText } from "../../gateway/questions/balances-text.ts";
import { openService } from "../../gateway/service.ts";
import { entriesOf, get } from "../as-of/http-client.ts";
import type { Ground } from "./ground.ts";
import { type Case, cases, HEAD, tokenOf } from "./world.ts";

export type Way = "http" | "operation" | "http again";

export interface Run {
  one: Case;
  way: Way;
  round: number;
  ms: number;
}

export async function measure(ground: Ground, rounds: number): Promise<Run[]> {
  const database = openDatabase(ground.databaseUrl);
  const service = openService({ chains: [ground.chain], database });
  const runs: Run[] = [];
  try {
    for (const one of cases) await checkAnswer(ground, one);
    for (let round = 0; round <= rounds; round++) {
      const measured = await measureRound(ground, service, round);
      if (round > 0) runs.push(...measured);
    }
    return runs;
  } finally {
    await database.close();
  }
}

async function measureRound(ground: Ground, service: Service, round: number): Promise<Run[]> {
  const block = HEAD - 10 - round;
  const runs: Run[] = [];
  const take = (run: Omit<Run, "round">) => runs.push({ ...run, round });
  const turns = cases.map((_, i) => cases[(i + round) % cases.length] as Case);
  for (const one of turns) {
    take({ one, way: "http", ms: await overHttp(ground, one, block) });
    take({ one, way: "http again", ms: await overHttp(ground, one, block) });
  }
  for (const one of turns) take({ one, way: "operation", ms: await inOperation(service, { one, block }) });
  console.log(`round ${round}: ${runs.map(({ one, way, ms }) => `${one} ${way} ${Math.round(ms)} ms`).join(", ")}`);
  return runs;
}

const urlOf = ({ url }: Ground, one: Case, block: number): string =>
  `${url}/balances/${tokenOf(one)}?blockNumber=${block}`;

async function overHttp(ground: Ground, one: Case, block: number): Promise<number> {
  const { status, ms } = await get(urlOf(ground, one, block));
  if (status !== 200) throw new Error(`the gateway answered ${status}`);
  return ms;
}

/** From the question to the last row, including the snapshot. */
async function inOperation(service: Service, { one, block }: { one: Case; block: number }): Promise<number> {
  const started = performance.now();
  const scope = new RequestScope(service);
  try {
    const choice = blockNumbered(block);
    const { pieces } = await scope.run(balancesText, { token: tokenOf(one), block: choice });
    while (!(await pieces.next()).done);
  } finally {
    await scope.close();
  }
  return performance.now() - started;
}

/** Everybody must be there, and everything that the contracts hold must be attributed, except for rounding and locked shares. */
async function checkAnswer(ground: Ground, one: Case): Promise<void> {
  const entries = entriesOf(await get(urlOf(ground, one, HEAD - 5)));
  if (entries.length !== ground.holders) throw new Error(`${one}: ${entries.length} holders, not ${ground.holders}`);
  const query = `{ token(address: "${tokenOf(one)}", block: {number: ${HEAD - 5}}) { totalSupplyDecimal } }`;
  const response = await fetch(`${ground.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { data: { token: { totalSupplyDecimal: string } } };
  const supply = Number(data.token.totalSupplyDecimal);
  const given = entries.reduce((sum, { total }) => sum + total, 0);
  if (!(Math.abs(given - supply) <= supply * 1e-9)) throw new Error(`${one}: ${given} of ${supply} attributed`);
}
