// One run at one rate.
import { drawQuestion, type Question } from "./mix.ts";
import { beginAtRate } from "./open-loop.ts";
import type { Sender } from "./send.ts";
import { Tally } from "./tally.ts";

export interface LoadRun {
  sender: Sender;
  questions: readonly Question[];
  rate: number;
  seconds: number;
  random: () => number;
  stopping: AbortSignal;
}

export interface LoadResult {
  tally: Tally;
  /** Answers per second until the last one arrived. */
  answeredPerSecond: number;
  /** The most requests under way at a time. */
  mostUnderWay: number;
}

/** Resolves when every request that was begun has an answer or has failed. */
export async function runLoad({ sender, questions, random, ...pace }: LoadRun): Promise<LoadResult> {
  const tally = new Tally();
  const underWay = new Set<Promise<void>>();
  let mostUnderWay = 0;
  let answered = 0;
  const started = performance.now();
  await beginAtRate({ ...pace, random }, (dueAt) => {
    const question = drawQuestion(random, questions);
    const work = sender.send(question.draw(random)).then((sent) => {
      underWay.delete(work);
      answered += 1;
      tally.take(question.name, { sent, ms: performance.now() - dueAt, isLawful: isLawful(question, sent.outcome) });
    });
    underWay.add(work);
    mostUnderWay = Math.max(mostUnderWay, underWay.size);
  });
  await Promise.all(underWay);
  return { tally, mostUnderWay, answeredPerSecond: (answered * 1000) / (performance.now() - started) };
}

const isLawful = ({ lawful = [] }: Question, outcome: string): boolean => outcome === "200" || lawful.includes(outcome);
