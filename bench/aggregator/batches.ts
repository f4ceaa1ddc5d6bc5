// Batches of quotes while two providers hang: one that finds that out, and one that knows it. Between the rounds the two come
// back, so that every batch of the first kind waits for them again.
import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds } from "../index/cpu-seconds.ts";
import { type Answered, askAll, readFigures } from "./asking.ts";
import type { Ground } from "./ground.ts";

export const HANGING = ["Fly", "Enso"] as const;

export interface Batch {
  round: number;
  /** Whether the gateway already left the two alone when the batch came. */
  isBreakerOpen: boolean;
  ms: number[];
  /** How many answers were not 200. */
  failed: number;
  /** Number of providers with an offer -> how many quotes had that many. */
  offers: Record<number, number>;
  /** Outcomes for the two, counted. */
  hanging: Record<string, number>;
  /** Whether the gateway leaves the two alone after the batch, by its metric. */
  isLeftAlone: boolean;
  /** Processor time of the gateway. */
  cpuMs: number;
  residentBytes: number;
}

const RETURN_MS = 30_000;
const POLL_MS = 100;

/** Asks a question now and then until the gateway asks the two again. @throws Error when they stay left alone */
async function untilBack({ url, standIns }: Ground, question: string): Promise<void> {
  await standIns.set({});
  for (const until = Date.now() + RETURN_MS; Date.now() < until; await sleep(POLL_MS)) {
    const [answer] = await askAll([question]);
    if (answer?.status !== 200) throw new Error(`${question} is answered with ${answer?.status}`);
    const { breakers } = await readFigures(url);
    if (HANGING.every((name) => breakers[name] === 0)) return;
  }
  throw new Error(`providers that are back are still left alone after ${RETURN_MS / 1_000} s`);
}

async function ask({ url, pid }: Ground, questions: readonly string[], batch: Pick<Batch, "round" | "isBreakerOpen">) {
  const cpuBefore = cpuSeconds([pid]);
  const answers = await askAll(questions);
  const cpuMs = (cpuSeconds([pid]) - cpuBefore) * 1_000;
  const { residentBytes, breakers } = await readFigures(url);
  const isLeftAlone = HANGING.every((name) => breakers[name] !== 0);
  return { ...batch, ...countsOf(answers), isLeftAlone, cpuMs, residentBytes };
}

function countsOf(answers: readonly Answered[]): Pick<Batch, "ms" | "failed" | "offers" | "hanging"> {
  const tally = (keys: readonly (string | number)[]) => {
    const counts: Record<string | number, number> = {};
    for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
    return counts;
  };
  const offers = ({ statuses }: Answered) => Object.values(statuses).filter((status) => status === "success").length;
  return {
    ms: answers.map(({ ms }) => ms),
    failed: answers.filter(({ status }) => status !== 200).length,
    offers: tally(answers.map(offers)),
    hanging: tally(answers.flatMap(({ statuses }) => HANGING.map((name) => statuses[name] ?? "none"))),
  };
}

/** Two batches per round, after one of each kind that is not counted. */
export async function askInRounds(
  ground: Ground,
  { questions, rounds }: { questions: readonly string[]; rounds: number },
): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (let round = 0; round <= rounds; round++) {
    await untilBack(ground, questions[0] as string);
    await ground.standIns.set(Object.fromEntries(HANGING.map((name) => [name, "hang"])));
    for (const isBreakerOpen of [false, true]) {
      const batch = await ask(ground, questions, { round, isBreakerOpen });
      if (round > 0) batches.push(batch);
      const slowest = Math.max(...batch.ms).toFixed(0);
      console.log(
        `round ${round}, ${isBreakerOpen ? "left alone" : "waited for"}: slowest ${slowest} ms, processor ${batch.cpuMs.toFixed(0)} ms, ${megabytes(batch)}; the two: ${summary(batch.hanging)}; quotes by number of offers: ${summary(batch.offers)}`,
      );
    }
  }
  return batches;
}

const summary = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([key, count]) => `${key} ${count}`)
    .join(", ");

const megabytes = ({ residentBytes }: Batch): string => `${(residentBytes / 1e6).toFixed(0)} MB`;
