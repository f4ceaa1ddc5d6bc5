// `npm run bench -- aggregator`: many quotes at once while two providers hang, against the deadline that is set.

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { claimsOfFigures } from "../claim.ts";
import { numberAboveZero } from "../number-options.ts";
import { type Figure, percentile, tableOf } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { questionsOf } from "./asking.ts";
import { askInRounds, type Batch, HANGING } from "./batches.ts";
import { withGround } from "./ground.ts";

export const summary = "200 swap quotes at once while two of five providers hang: time, memory, what is left alone";

const options = {
  quotes: { type: "string", default: "200" },
  rounds: { type: "string", default: "20" },
  deadline: { type: "string", default: "1500" },
  provider: { type: "string", default: "1200" },
  concurrency: { type: "string", default: "200" },
  pause: { type: "string", default: "4000" },
  latency: { type: "string", default: "100" },
  sizes: { type: "string", default: "50+20" },
  seed: { type: "string", default: "7" },
} as const;

export const usage = `npm run bench -- aggregator [options]
  --quotes 200        at once, no two the same
  --rounds 20         each with a batch that waits for the two, and one that need not
  --deadline 1500     QUOTE_TIMEOUT_MS: for a whole answer
  --provider 1200     QUOTE_PROVIDER_TIMEOUT_MS
  --concurrency 200   QUOTE_CONCURRENCY: requests under way at one provider; with 200 every quote asks everybody
  --pause 4000        QUOTE_PAUSE_MS: how long those that fail are left alone
  --latency 100       milliseconds that the other providers take
  --sizes 50+20       v3 pools + v2 pairs of the market
  --seed 7            of market and questions`;

type Settings = Record<Exclude<keyof typeof options, "sizes">, number> & { v3: number; v2: number };

function parse(args: readonly string[]): Settings {
  const { values } = parseArgs({ args: [...args], options });
  const number = (name: keyof typeof options): number => numberAboveZero(name, values[name]);
  const [v3 = "", v2 = ""] = values.sizes.split("+");
  return {
    quotes: number("quotes"),
    rounds: number("rounds"),
    deadline: number("deadline"),
    provider: number("provider"),
    concurrency: number("concurrency"),
    pause: number("pause"),
    latency: number("latency"),
    seed: number("seed"),
    v3: numberAboveZero("sizes", v3),
    v2: numberAboveZero("sizes", v2),
  };
}

const MARGIN_MS = 100;
/** The most growth of the resident memory from the first to the last quarter of the rounds. */
const MOST_GROWTH = 0.1;

export const smallest = [
  ...["--quotes", "20", "--rounds", "1", "--deadline", "20000", "--provider", "600", "--pause", "1000"],
  ...["--latency", "10", "--sizes", "8+4"],
];

/** Prints every batch and the table, and keeps every figure. @throws Error unless every quote is answered */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const settings = parse(args);
  await session.withServer(undefined, async (server) => {
    const { quotes: count, rounds, seed, latency: latencyMs, v3, v2 } = settings;
    const env = {
      QUOTE_TIMEOUT_MS: String(settings.deadline),
      QUOTE_PROVIDER_TIMEOUT_MS: String(settings.provider),
      QUOTE_CONCURRENCY: String(settings.concurrency),
      QUOTE_PAUSE_MS: String(settings.pause),
      QUOTE_WORTH_WAITING_USD: "0",
    };
    const batches = await withGround({ server, pools: { v3, v2 }, seed, latencyMs, env }, (ground) =>
      askInRounds(ground, { questions: questionsOf(ground.url, ground.world, { count, seed }), rounds }),
    );
    const measured = figures(batches, settings);
    session.record(`${count} quotes`, claimsOfFigures(measured));
    const file = session.keepFigures({ settings, batches });
    console.log(`\nload ${load()}\n\n${tableOf(measured)}\n\nall figures: ${file}`);
    const failed = batches.reduce((sum, batch) => sum + batch.failed, 0);
    if (failed > 0) throw new Error(`${failed} answers were not 200`);
  });
}

function figures(batches: readonly Batch[], { deadline, rounds }: Settings): Figure[] {
  const limit = deadline + MARGIN_MS;
  const timesOf = (isBreakerOpen: boolean): Figure => {
    const chosen = batches.filter((batch) => batch.isBreakerOpen === isBreakerOpen);
    const all = chosen.flatMap(({ ms }) => ms);
    const [p50, p95, most] = [percentile(all, 0.5), percentile(all, 0.95), Math.max(...all)];
    const what = isBreakerOpen ? "left alone" : "waited for";
    return {
      what: `${all.length} quotes in ${chosen.length} batches, ${HANGING.join(" and ")} ${what}: p50 / p95 / max`,
      value: [p50, p95, most].map((ms) => `${ms.toFixed(0)} ms`).join(" / "),
      bound: `p95 <= ${limit} ms`,
      isMet: p95 <= limit,
    };
  };
  const opened = batches.filter(({ isBreakerOpen, isLeftAlone }) => isBreakerOpen && isLeftAlone).length;
  const cpuMs = batches.reduce((sum, batch) => sum + batch.cpuMs, 0);
  const quotes = batches.reduce((sum, { ms }) => sum + ms.length, 0);
  const failed = batches.reduce((sum, batch) => sum + batch.failed, 0);
  const quarter = Math.ceil(batches.length / 4);
  const resident = batches.map(({ residentBytes }) => residentBytes);
  const [first, last] = [percentile(resident.slice(0, quarter), 0.5), percentile(resident.slice(-quarter), 0.5)];
  const growth = last / first - 1;
  return [
    timesOf(false),
    timesOf(true),
    {
      what: "processor time of the gateway",
      value: `${(cpuMs / quotes).toFixed(1)} ms a quote`,
      bound: "",
      isMet: undefined,
    },
    { what: "answers that were not 200", value: String(failed), bound: "0", isMet: failed === 0 },
    {
      what: "resident memory, first and last quarter of the batches",
      value: `${(first / 1e6).toFixed(0)} / ${(last / 1e6).toFixed(0)} MB (${(growth * 100).toFixed(1)} %)`,
      bound: `<= +${MOST_GROWTH * 100} %`,
      isMet: growth <= MOST_GROWTH,
    },
    {
      what: "rounds in which both breakers opened, by the metric; they closed again in all",
      value: `${opened} of ${rounds}`,
      bound: `${rounds}`,
      isMet: opened === rounds,
    },
  ];
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(2);
