// `npm run bench -- gateway`: the same questions about the same rows, asked of our GraphQL, of Ponder's and of PostGraphile;
// REST against a bare handler with the same SQL; and what indexes on the fact tables would cost and give.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ponderProgram } from "../../scripts/launcher/programs.ts";
import { startPonder } from "../index/indexer.ts";
import { projectFolder } from "../index/project-folder.ts";
import { count, type Line, median, megabytes, table } from "../index/report.ts";
import { type Ground, type Server, withWorkbench } from "../index/workbench.ts";
import { keepFigures } from "../keep-figures.ts";
import { numberAboveZero } from "../number-options.ts";
import { machineOf, withServer } from "../with-server.ts";
import { fillPeers, makeOurs, PEER_SCHEMA, startGateway, type World } from "./ground.ts";
import { type IndexRun, measureIndexes } from "./indexes.ts";
import { type Ask, answerOf, ratePerSecond } from "./load.ts";
import { startPostgraphile } from "./postgraphile-peer.ts";
import { type Contender, type Question, questions } from "./questions.ts";
import { record, restQuestions, startBareHono } from "./rest.ts";
import { measureVaults, type VaultsRun } from "./vaults.ts";

export const summary = "our GraphQL against Ponder's and PostGraphile, REST against a bare handler, indexes of facts";

const options = {
  phases: { type: "string", default: "graphql,rest,indexes" },
  rounds: { type: "string", default: "3" },
  seconds: { type: "string", default: "3" },
  askers: { type: "string", default: "8" },
  transfers: { type: "string", default: "1000000" },
  gateway: { type: "string", default: "" },
} as const;

export const usage = `npm run bench -- gateway [options]
  --phases graphql,rest,indexes,vaults
  --rounds 3            measured rounds; in each all contenders take turns
  --seconds 3           of each turn
  --askers 8            requests under way at once
  --transfers 1000000   for the phase indexes
  --gateway URL         for the phase vaults: one that runs already, over a chain with vaults`;

interface Settings {
  phases: readonly string[];
  rounds: number;
  ms: number;
  askers: number;
  transfers: number;
  gateway: string;
}

function parse(args: readonly string[]): Settings {
  const { values } = parseArgs({ args: [...args], options });
  const number = (name: keyof typeof options): number => numberAboveZero(name, values[name]);
  const phases = values.phases.split(",");
  const unknown = phases.filter((phase) => ![...options.phases.default.split(","), "vaults"].includes(phase));
  if (phases.includes("vaults") && values.gateway === "") throw new Error("--phases vaults needs --gateway URL");
  if (unknown.length > 0) throw new Error(`--phases: there is no ${unknown.join(", ")}`);
  return {
    phases,
    rounds: number("rounds"),
    ms: number("seconds") * 1_000,
    askers: number("askers"),
    transfers: number("transfers"),
    gateway: values.gateway,
  };
}

const WORLD: World = { pools: 100, swaps: 200_000, holders: 20_000 };
/** Ponder needs a chain to follow; the peer indexes nothing of it. */
const SHAPE = { events: 100, transfersPerBlock: 50, emptyBlocks: 70, transfersPerLiveBlock: 1, tokens: 1, accounts: 5 };

interface Rate {
  question: string;
  contender: string;
  perSecond: number;
}

/** All contenders in turn, each round beginning with another. */
async function takeTurns(asks: ReadonlyMap<string, Ask>, settings: Settings, question: string): Promise<Rate[]> {
  const expected = new Map<string, string>();
  for (const [contender, ask] of asks) expected.set(contender, await answerOf(ask));
  const rates: Rate[] = [];
  const names = [...asks.keys()];
  for (const [contender, ask] of asks)
    await ratePerSecond(ask, { ...settings, ms: 1_000, expected: expected.get(contender) ?? "" });
  for (let round = 0; round < settings.rounds; round++)
    for (const contender of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
      const ask = asks.get(contender) as Ask;
      const perSecond = await ratePerSecond(ask, { ...settings, expected: expected.get(contender) ?? "" });
      rates.push({ question, contender, perSecond });
      console.log(`${question}: ${contender} ${count(perSecond)}/s`);
    }
  return rates;
}

/** @throws Error unless every contender gives the same rows, and some */
async function requireSameRows(question: Question, urls: ReadonlyMap<Contender, string>): Promise<Map<string, Ask>> {
  const asks = new Map<string, Ask>();
  let first: string | undefined;
  for (const [contender, url] of urls) {
    const ask = { url: `${url}/graphql`, body: JSON.stringify({ query: question.queries[contender] }) };
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
      root: join(projectFolder, "bench/gateway/ponder-peer"),
      schema: PEER_SCHEMA,
      program: ponderProgram,
    });
    stops.push(() => ponder.stop());
    await ponder.said("Completed backfill indexing across all chains");
    await untilReady(`http://127.0.0.1:${ground.ponderPort}/ready`);
    await fillPeers(ground, WORLD);
    const gateway = await startGateway(ground);
    stops.push(() => gateway.stop());
    const urls = new Map<Contender, string>([
      ["tidemark", gateway.url],
      ["ponder", `http://127.0.0.1:${ground.ponderPort}`],
    ]);
    const postgraphile = await startPostgraphile(ground.databaseUrl, PEER_SCHEMA);
    if (postgraphile) {
      stops.push(() => postgraphile.stop());
      urls.set("postgraphile", postgraphile.url);
    } else console.log("PostGraphile cannot be installed here; it is left out");
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

function linesOf(rates: readonly Rate[], bound: string): Line[] {
  const of = (question: string, contender: string) =>
    median(
      rates.filter((rate) => rate.question === question && rate.contender === contender).map((rate) => rate.perSecond),
    );
  const questions = [...new Set(rates.map(({ question }) => question))];
  return questions.flatMap((question) => {
    const peers = [...new Set(rates.filter((rate) => rate.question === question).map(({ contender }) => contender))];
    return peers
      .filter((peer) => peer !== "tidemark")
      .map((peer) => {
        const [ours, theirs] = [of(question, "tidemark"), of(question, peer)];
        const what = `${question}, ${peer}`;
        return { what, ours: `${count(ours)}/s`, peer: `${count(theirs)}/s`, ratio: ours / theirs, bound };
      });
  });
}

function printIndexes(runs: readonly IndexRun[]): void {
  for (const { way, bytes, tableBytes, buildMs, blockMs, questions: times } of runs) {
    console.log(
      `\n${way}: ${megabytes(bytes)} beside tables of ${megabytes(tableBytes)}, built in ${count(buildMs)} ms; a block ${blockMs.toFixed(2)} ms`,
    );
    for (const [name, ms] of Object.entries(times))
      console.log(`  ${name}: ${ms === null ? "over 10 s" : `${ms.toFixed(1)} ms`}`);
  }
}

const INDEX_SIZE = { tokens: 2_000, accounts: 100_000, swaps: 300_000, pools: 1_000, perBlock: 50 };

async function measure(server: Server, settings: Settings) {
  const { phases } = settings;
  const graphql: Rate[] = [];
  const rest: Rate[] = [];
  if (phases.includes("graphql") || phases.includes("rest"))
    await withWorkbench({ server, shape: SHAPE, ports: [] }, async (ground) => {
      await makeOurs(ground, WORLD);
      if (phases.includes("graphql")) graphql.push(...(await measureGraphql(ground, settings)));
      if (phases.includes("rest")) rest.push(...(await measureRest(ground, settings)));
    });
  const indexes = phases.includes("indexes")
    ? await measureIndexes(server, { ...INDEX_SIZE, transfers: settings.transfers })
    : [];
  const vaults = phases.includes("vaults") ? await measureVaults(settings.gateway, settings) : undefined;
  return { graphql, rest, indexes, vaults };
}

function printVaults({ vaults, perSecond, firstMs }: VaultsRun): void {
  console.log(
    `\n/vaults of ${vaults}: ${count(median(perSecond))}/s; about a block of its own ${median(firstMs).toFixed(0)} ms`,
  );
}

/** Prints tables and keeps every figure in `.tidemark/bench/gateway.json`. */
export async function run(args: readonly string[]): Promise<void> {
  const settings = parse(args);
  await withServer(undefined, async (server) => {
    console.log(machineOf(server));
    const figures = await measure(server, settings);
    const file = keepFigures("gateway", { settings, ...figures });
    const lines = [...linesOf(figures.graphql, ">= 2"), ...linesOf(figures.rest, ">= 0.7")];
    if (lines.length > 0) console.log(`\n${table(lines, "peer")}`);
    printIndexes(figures.indexes);
    if (figures.vaults) printVaults(figures.vaults);
    console.log(`\nall figures: ${file}`);
  });
}
