// `npm run bench -- averages`: what everybody had of a token on average, exactly, compared with what was served before: complete
// look-throughs at 25 sampled blocks. Both in one process and on one index, in turns.

import { parseArgs } from "node:util";
import postgres from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { averagesOf, averagesOfAll } from "../../gateway/averages/average-holdings.ts";
import { totalsAtBlocks } from "../../gateway/balances/totals-at-blocks.ts";
import { type OperationContext, RequestScope, type Service } from "../../gateway/context.ts";
import { openDatabase } from "../../gateway/database/database.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { pointOf } from "../../gateway/history/point.ts";
import type { Address } from "../../gateway/parameters.ts";
import { openService } from "../../gateway/service.ts";
import { type Claim, claimsOfLines } from "../claim.ts";
import { chainFileOf } from "../ground/workbench.ts";
import { numberAboveZero } from "../number-options.ts";
import { count, type Line, median, megabytes, table } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { withDatabase } from "../with-database.ts";
import { ACCOUNT, ANOTHER, type Size, tokenOf, walletOf, writeWorld } from "./world.ts";

export const summary = "averages through a v3 pool over a million blocks, against look-throughs at 25 sampled blocks";

const options = {
  positions: { type: "string", default: "50000" },
  swaps: { type: "string", default: "100000" },
  blocks: { type: "string", default: "1000000" },
  wallets: { type: "string", default: "178000" },
  rounds: { type: "string", default: "5" },
} as const;

export const usage = `npm run bench -- averages [options]
  --positions 50000   token ids of the pool, each of another account
  --swaps 100000      one in each of as many blocks, evenly spaced
  --blocks 1000000    the range
  --wallets 178000    accounts that have the token itself
  --rounds 5          measured rounds; nothing is in the cache at the beginning of any answer but "again"`;

const SAMPLES = 25;

type Way = "sampled" | "everybody" | "one account" | "one account again" | "one wallet";

interface Run {
  way: Way;
  ms: number;
  /** The most by which the process's memory grew. */
  grown: number;
}

const chain = (): ChainFile => {
  const place = (address: `0x${string}`) => ({ address, startBlock: 0 });
  const at = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "b")}`;
  const deployment = {
    flavour: "uniswap" as const,
    factory: place(at(3)),
    positionManager: place(at(2)),
    swapRouter02: at(2),
    quoterV2: at(2),
    mixedRouteQuoterV1: null,
    defaultFeeProtocol: 0,
  };
  return chainFileOf({ deployments: [deployment] });
};

export const smallest = [
  ...["--positions", "100", "--swaps", "200", "--blocks", "4000", "--wallets", "500", "--rounds", "1"],
];

const PEER = `${SAMPLES} sampled blocks`;

/** Prints the table and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const numberOf = (name: keyof typeof options) => numberAboveZero(name, values[name]);
  const size: Size = {
    positions: numberOf("positions"),
    swaps: numberOf("swaps"),
    blocks: numberOf("blocks"),
    wallets: numberOf("wallets"),
  };
  await session.withServer(undefined, (server) =>
    withDatabase(server, "averages", async (databaseUrl) => {
      const runs = await measure(databaseUrl, size, numberOf("rounds"));
      session.record("all", [...claimsOfLines(lines(runs), PEER), ...timesOf(runs)]);
      const file = session.keepFigures({ size, runs });
      console.log(`\n${table(lines(runs), PEER)}\n\nall figures: ${file}`);
    }),
  );
}

async function measure(databaseUrl: string, size: Size, rounds: number): Promise<Run[]> {
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const started = performance.now();
  await writeWorld(db, size);
  const [token, wallet] = [await tokenOf(db), await walletOf(db)];
  await db.end({ timeout: 2 });
  console.log(`made in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const database = openDatabase(databaseUrl);
  const service = openService({ chains: [chain()], database });
  try {
    await checkAnswers(service, { token, wallet, size });
    const runs: Run[] = [];
    for (let round = 0; round < rounds; round++) runs.push(...(await measureRound(service, { token, wallet, size })));
    return runs;
  } finally {
    await database.close();
  }
}

/** How long a question may take, whatever its peer takes. */
const MOST_MS: Partial<Record<Way, number>> = { everybody: 10_000, "one account": 50, "one wallet": 50 };

const timesOf = (runs: readonly Run[]): Claim[] =>
  Object.entries(MOST_MS).map(([way, most]) => {
    const ms = median(runs.filter((run) => run.way === way).map((run) => run.ms));
    return { what: `${way}, by itself`, figure: `${count(ms)} ms`, bar: `<= ${count(most)} ms`, isMet: ms <= most };
  });

interface Question {
  token: Address;
  /** An account that has the token in its wallet. */
  wallet: Address;
  size: Size;
}

async function within<T>(service: Service, ask: (context: OperationContext) => Promise<T>): Promise<T> {
  const scope = new RequestScope(service);
  try {
    return await scope.run(
      { name: "bench", run: (_: undefined, context: OperationContext) => ask(context) },
      undefined,
    );
  } finally {
    await scope.close();
  }
}

const pointIn = (context: OperationContext, number: number) => pointOf(context, blockNumbered(number));

const inputOf = async (context: OperationContext, { token, size }: Question) => ({
  token,
  from: await pointIn(context, 1),
  to: await pointIn(context, size.blocks),
  weight: "blocks" as const,
});

const everybody = (service: Service, question: Question) =>
  within(service, async (context) => averagesOfAll(context, await inputOf(context, question)));

const oneAccount = (service: Service, question: Question, account: Address) =>
  within(service, async (context) => averagesOf(context, await inputOf(context, question), [account]));

/** The sum of everybody's totals at the middles of equal parts of the range, as it was served before. */
function sampled(service: Service, { token, size }: Question): Promise<Map<Address, bigint>> {
  return within(service, async (context) => {
    await context.snapshot.open();
    const blocks = Array.from(
      { length: SAMPLES },
      (_, i) => 1 + Math.floor(((2 * i + 1) * size.blocks) / (2 * SAMPLES)),
    );
    const points = [];
    for (const block of blocks) points.push(await pointIn(context, block));
    const sums = new Map<Address, bigint>();
    for await (const rows of totalsAtBlocks(context, {
      token: { address: token, assetId: 1 },
      points,
      users: undefined,
    }))
      for (const { account, amount } of rows) sums.set(account, (sums.get(account) ?? 0n) + amount);
    return sums;
  });
}

async function checkAnswers(service: Service, question: Question): Promise<void> {
  const all = await everybody(service, question);
  let sum = all.rounding;
  for (const { amount } of [...[...all.parts.values()].flat(), ...all.unattributed]) sum += amount;
  if (sum !== all.supply || all.rounding < 0n) throw new Error(`${sum} of ${all.supply} given out`);
  service.cache.clear();
  const one = (await oneAccount(service, question, ACCOUNT)).parts.get(ACCOUNT);
  const shown = (parts: typeof one) =>
    JSON.stringify(parts, (_, value) => (typeof value === "bigint" ? String(value) : value));
  if (one === undefined || shown(one) !== shown(all.parts.get(ACCOUNT)))
    throw new Error(`${ACCOUNT} alone has ${shown(one)}, and ${shown(all.parts.get(ACCOUNT))} among all`);
}

async function measureRound(service: Service, question: Question): Promise<Run[]> {
  const runs: Run[] = [];
  const take = async (way: Way, ask: () => Promise<unknown>) => {
    if (way !== "one account again") service.cache.clear();
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    const started = performance.now();
    await ask();
    const ms = performance.now() - started;
    clearInterval(watch);
    most = Math.max(most, process.memoryUsage().rss);
    runs.push({ way, ms, grown: most - before });
  };
  await take("one account", () => oneAccount(service, question, ACCOUNT));
  await take("one account again", () => oneAccount(service, question, ANOTHER));
  await take("one wallet", () => oneAccount(service, question, question.wallet));
  await take("sampled", () => sampled(service, question));
  await take("everybody", () => everybody(service, question));
  console.log(runs.map(({ way, ms, grown }) => `${way} ${Math.round(ms)} ms +${megabytes(grown)}`).join(", "));
  return runs;
}

function lines(runs: readonly Run[]): Line[] {
  const of = (way: Way, value: (run: Run) => number) => median(runs.filter((run) => run.way === way).map(value));
  const peer = of("sampled", ({ ms }) => ms);
  const line = (what: string, way: Way, bound: string): Line => {
    const ms = of(way, (run) => run.ms);
    return { what, ours: `${count(ms)} ms`, peer: `${count(peer)} ms`, ratio: ms / peer, bound };
  };
  const [ours, theirs] = [of("everybody", ({ grown }) => grown), of("sampled", ({ grown }) => grown)];
  return [
    line("everybody, exactly", "everybody", "<= 1"),
    line("one account, nothing known", "one account", ""),
    line("another account of the same pool", "one account again", ""),
    line("one account's wallet", "one wallet", ""),
    {
      what: "memory at most, everybody",
      ours: megabytes(ours),
      peer: megabytes(theirs),
      ratio: ours / theirs,
      bound: "",
    },
  ];
}
