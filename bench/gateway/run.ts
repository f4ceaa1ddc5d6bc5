// `npm run bench -- gateway`: the same questions about the same rows for our GraphQL, Ponder's and PostGraphile; and REST against
// a bare handler with the same SQL.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ponderProgram } from "../../launcher/programs.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { claimsOfLines, NAMED_BY_CLAIM } from "../claim.ts";
import { type Ground, withWorkbench } from "../ground/workbench.ts";
import { startPonder } from "../index/indexer.ts";
import { numberAboveZero } from "../number-options.ts";
import { count, type Line, median, table } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { fillPeers, HEAD, makeOurs, PEER_SCHEMA, startGateway, type World } from "./ground.ts";
import { type Ask, answerOf, ratePerSecond } from "./load.ts";
import { startPostgraphile } from "./postgraphile-peer.ts";
import { type Contender, type Question, questions } from "./questions.ts";
import { record, restQuestions, startBareHono } from "./rest.ts";

export const summary = "our GraphQL against Ponder's and PostGraphile, REST against a bare handler";

const PHASES = ["graphql", "rest"] as const;

const options = {
  phases: { type: "string", default: PHASES.join(",") },
  rounds: { type: "string", default: "3" },
  milliseconds: { type: "string", default: "3000" },
  askers: { type: "string", default: "8" },
  pools: { type: "string", default: "100" },
  swaps: { type: "string", default: "200000" },
  holders: { type: "string", default: "20000" },
} as const;

export const usage = `npm run bench -- gateway [options]
  --phases ${PHASES.join(",")}
  --rounds 3            measured rounds; in each all contenders take turns
  --milliseconds 3000   of each turn
  --askers 8            requests under way at once
  --pools 100 --swaps 200000 --holders 20000   of the made-up market and its token

Installs PostGraphile into .tidemark/bench when it is not there.`;

export const smallest = [
  ...["--rounds", "1", "--milliseconds", "30", "--askers", "2"],
  ...["--swaps", "4000", "--holders", "2000"],
];

interface Settings {
  phases: readonly string[];
  rounds: number;
  ms: number;
  askers: number;
  world: World;
}

function parse(args: readonly string[]): Settings {
  const { values } = parseArgs({ args: [...args], options });
  const number = (name: keyof typeof options): number => numberAboveZero(name, values[name]);
  const phases = values.phases.split(",");
  const unknown = phases.filter((phase) => !PHASES.some((existing) => existing === phase));
  if (unknown.length > 0) throw new Error(`--phases: there is no ${unknown.join(", ")}`);
  return {
    phases,
    rounds: number("rounds"),
    ms: number("milliseconds"),
    askers: number("askers"),
    world: { pools: number("pools"), swaps: number("swaps"), holders: number("holders") },
  };
}

/** Not measured: for some ten seconds V8 keeps making repeated work faster, in every contender. */
const WARM_UP_MS = 8_000;
/** Ponder needs a chain to follow; the peer indexes nothing of it. */
const SHAPE = { events: 100, transfersPerBlock: 50, emptyBlocks: 70, transfersPerLiveBlock: 1, tokens: 1, accounts: 5 };

interface Rate {
  question: string;
  contender: string;
  perSecond: number;
}

/** All contenders in turn, each round beginning with another one. */
async function takeTurns(asks: ReadonlyMap<string, Ask>, settings: Settings, question: string): Promise<Rate[]> {
  const expected = new Map<string, string>();
  for (const [contender, ask] of asks) expected.set(contender, await answerOf(ask));
  const rates: Rate[] = [];
  const names = [...asks.keys()];
  for (const [contender, ask] of asks)
    await ratePerSecond(ask, {
      ...settings,
      ms: Math.min(WARM_UP_MS, 4 * settings.ms),
      expected: expected.get(contender) ?? "",
    });
  for (let round = 0; round < settings.rounds; round++)
    for (const contender of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
      const ask = asks.get(contender) as Ask;
      const perSecond = await ratePerSecond(ask, { ...settings, expected: expected.get(contender) ?? "" });
      rates.push({ question, contender, perSecond });
      console.log(`${question}: ${contender} ${count(perSecond)}/s`);
    }
  return rates;
}

/** Our answers once more, each time about another block. */
const UNCACHED = "tidemark, at blocks nobody has asked about";

/** Blocks after the last transfer, so that the answer is the same; each is asked about once in a run of the usual length. */
const atOlderBlocks = (queryAt: (block: number) => string): string[] =>
  Array.from({ length: HEAD - 100 }, (_, i) => JSON.stringify({ query: queryAt(HEAD - 1 - i) }));

/** @throws Error unless every contender gives the same rows, and some */
async function requireSameRows(question: Question, urls: ReadonlyMap<Contender, string>): Promise<Map<string, Ask>> {
  const asks = new Map<string, Ask>();
  let first: string | undefined;
  for (const [contender, url] of urls) {
    const ask = { url: `${url}/graphql`, bodies: [JSON.stringify({ query: question.queries[contender] })] };
    const { data, errors } = JSON.parse(await answerOf(ask)) as { data: never; errors?: unknown };
    if (errors) throw new Error(`${contender}, ${question.name}: ${JSON.stringify(errors).slice(0, 500)}`);
    const rows = JSON.stringify(question.rows[contender](data));
    if (rows === "[]") throw new Error(`${contender} has no rows for ${question.name}`);
    first ??= rows;
    if (rows !== first)
      throw new Error(
        `${contender} answers ${question.name} otherwise: ${rows.slice(0, 300)} / ${first.slice(0, 300)}`,
      );
    asks.set(contender, ask);
  }
  const { atBlock } = question;
  if (atBlock) asks.set(UNCACHED, { url: `${urls.get("tidemark")}/graphql`, bodies: atOlderBlocks(atBlock) });
  return asks;
}

const PATIENCE_MS = 60_000;

async function untilReady(url: string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(200)) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`${url} does not answer`);
}

async function measureGraphql(ground: Ground, settings: Settings): Promise<Rate[]> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const ponder = startPonder(ground, {
      root: join(projectRoot, "bench/gateway/ponder-peer"),
      schema: PEER_SCHEMA,
      program: ponderProgram,
    });
    stops.push(() => ponder.stop());
    await ponder.said("Completed backfill indexing across all chains");
    await untilReady(`http://127.0.0.1:${ground.ponderPort}/ready`);
    await fillPeers(ground, settings.world);
    const gateway = await startGateway(ground);
    stops.push(() => gateway.stop());
    const urls = new Map<Contender, string>([
      ["tidemark", gateway.url],
      ["ponder", `http://127.0.0.1:${ground.ponderPort}`],
    ]);
    const postgraphile = await startPostgraphile(ground.databaseUrl, PEER_SCHEMA);
    stops.push(() => postgraphile.stop());
    urls.set("postgraphile", postgraphile.url);
    const rates: Rate[] = [];
    for (const question of questions)
      rates.push(...(await takeTurns(await requireSameRows(question, urls), settings, question.name)));
    return rates;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function measureRest(ground: Ground, settings: Settings): Promise<Rate[]> {
  const recorded = await record(ground);
  const gateway = await startGateway(ground);
  const bare = await startBareHono(ground, recorded);
  try {
    const rates: Rate[] = [];
    for (const [name, path] of Object.entries(restQuestions)) {
      const asks = new Map([
        ["tidemark", { url: gateway.url + path }],
        ["bare Hono", { url: bare.url + path }],
      ]);
      const [ours, theirs] = [await answerOf({ url: gateway.url + path }), await answerOf({ url: bare.url + path })];
      if (ours !== theirs) throw new Error(`the bare handler answers ${name} otherwise`);
      rates.push(...(await takeTurns(asks, settings, `REST, ${name}`)));
    }
    return rates;
  } finally {
    await bare.stop();
    await gateway.stop();
  }
}

/** How many times as fast we must be at least, by peer and question. */
const BARS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ponder: { otherwise: 2 },
  postgraphile: { pools: 1, account: 1.2, otherwise: 2 },
  "bare Hono": { "all holders": 0.8, otherwise: 0.7 },
};

function barOf(question: string, peer: string): string {
  const { otherwise, ...named } = BARS[peer] ?? {};
  const [, bar = otherwise] = Object.entries(named).find(([part]) => question.includes(part)) ?? [];
  return bar === undefined ? "" : `>= ${bar}`;
}

function linesOf(rates: readonly Rate[]): Line[] {
  const of = (question: string, contender: string) =>
    median(
      rates.filter((rate) => rate.question === question && rate.contender === contender).map((rate) => rate.perSecond),
    );
  const questions = [...new Set(rates.map(({ question }) => question))];
  return questions.flatMap((question) => {
    const contenders = new Set(rates.filter((rate) => rate.question === question).map(({ contender }) => contender));
    const peers = [...contenders].filter((contender) => !contender.startsWith("tidemark"));
    const line = (peer: string, own: string, bound: string): Line => {
      const [ours, theirs] = [of(question, own), of(question, peer)];
      const what = `${question}${own.replace("tidemark", "")}, ${peer}`;
      return { what, ours: `${count(ours)}/s`, peer: `${count(theirs)}/s`, ratio: ours / theirs, bound };
    };
    return [
      ...peers.map((peer) => line(peer, "tidemark", barOf(question, peer))),
      ...(contenders.has(UNCACHED) ? peers.map((peer) => line(peer, UNCACHED, "")) : []),
    ];
  });
}

/** Prints the table and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const settings = parse(args);
  await session.withServer(undefined, (server) =>
    withWorkbench({ server, shape: SHAPE, ports: [] }, async (ground) => {
      await makeOurs(ground, settings.world);
      const lines: Line[] = [];
      const figures: Record<string, Rate[]> = {};
      const phase = async (name: string, measure: typeof measureRest) => {
        if (!settings.phases.includes(name)) return;
        const rates = await measure(ground, settings);
        figures[name] = rates;
        lines.push(...linesOf(rates));
        session.record(name, claimsOfLines(linesOf(rates), NAMED_BY_CLAIM));
      };
      await phase("graphql", measureGraphql);
      await phase("rest", measureRest);
      const file = session.keepFigures({ settings, ...figures });
      console.log(`\n${table(lines, "peer")}\n\nall figures: ${file}`);
    }),
  );
}
