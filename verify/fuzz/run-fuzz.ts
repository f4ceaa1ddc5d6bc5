// Asks many random questions, several at a time, and keeps what should not have been answered so.
import fc from "fast-check";
import { buildSchema } from "graphql";
import { typeDefinitions } from "../../gateway/graphql/type-definitions.ts";
import { viewDocument } from "../../gateway/rest/openapi-view.ts";
import { documentArbitrary } from "./document-arbitrary.ts";
import { type Answered, judgeAnswer } from "./judge-answer.ts";
import { judgeDocument } from "./judge-document.ts";
import { type Ask, type Asked, type KnownValues, readKnownValues } from "./known-values.ts";
import { requestArbitrary } from "./request-arbitrary.ts";

export interface FuzzSetting {
  ask: Ask;
  requests: number;
  documents: number;
  seed: number;
  /** Questions under way at a time. */
  concurrency: number;
  /** An answer that takes longer is a problem; without it none is. */
  longestMs?: number;
}

export interface FuzzReport {
  asked: number;
  /** By `<what> <status>`. */
  statuses: ReadonlyMap<string, number>;
  slowestMs: number;
  slowest: string;
  problems: readonly { question: string; problem: string }[];
}

/** Questions that are drawn at a time: all of them at once would fill the memory. */
const BATCH = 500;
const MOST_PROBLEMS = 200;

class Tally {
  asked = 0;
  slowestMs = 0;
  slowest = "";
  readonly statuses = new Map<string, number>();
  readonly problems: { question: string; problem: string }[] = [];
  readonly #longestMs: number;

  constructor(longestMs = Number.POSITIVE_INFINITY) {
    this.#longestMs = longestMs;
  }

  take(asked: Asked, { answered, problems, kind }: { answered: Answered; problems: string[]; kind: string }): void {
    this.asked += 1;
    const key = `${kind} ${answered.status}`;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
    if (answered.milliseconds > this.slowestMs) {
      this.slowestMs = answered.milliseconds;
      this.slowest = questionText(asked);
    }
    const { milliseconds } = answered;
    const slow = milliseconds > this.#longestMs ? [`took ${Math.round(milliseconds)} ms`] : [];
    for (const problem of [...problems, ...slow])
      if (this.problems.length < MOST_PROBLEMS) this.problems.push({ question: questionText(asked), problem });
  }
}

const questionText = ({ method, path, body }: Asked): string =>
  `${method} ${path.slice(0, 1_500)}${body === undefined ? "" : ` ${body.slice(0, 1_500)}`}`;

export async function runFuzz(setting: FuzzSetting): Promise<FuzzReport> {
  const known = await readKnownValues(setting.ask);
  const tally = new Tally(setting.longestMs);
  await fuzzRequests(setting, known, tally);
  await fuzzDocuments(setting, known, tally);
  return tally;
}

async function fuzzRequests(setting: FuzzSetting, known: KnownValues, tally: Tally): Promise<void> {
  const response = await setting.ask({ method: "GET", path: "/openapi.json", headers: {} });
  const arbitrary = requestArbitrary({ view: viewDocument((await response.json()) as object), known });
  await inBatches({ ...setting, count: setting.requests, arbitrary }, async (request) => {
    const answered = await askTimed(setting.ask, request);
    const kind = request.operation ? `${request.operation.method} ${request.operation.path}` : "no such route";
    tally.take(request, { answered, problems: judgeAnswer(request, answered), kind });
  });
}

async function fuzzDocuments(setting: FuzzSetting, known: KnownValues, tally: Tally): Promise<void> {
  const arbitrary = documentArbitrary({ schema: buildSchema(typeDefinitions), known });
  await inBatches({ ...setting, count: setting.documents, arbitrary }, async (asked) => {
    const answered = await askTimed(setting.ask, asked);
    tally.take(asked, { answered, problems: judgeDocument(answered), kind: "GraphQL" });
  });
}

interface Batches<T> extends Pick<FuzzSetting, "seed" | "concurrency"> {
  count: number;
  arbitrary: fc.Arbitrary<T>;
}

async function inBatches<T>(
  { count, arbitrary, seed, concurrency }: Batches<T>,
  use: (drawn: T) => Promise<void>,
): Promise<void> {
  for (let done = 0; done < count; done += BATCH) {
    const numRuns = Math.min(BATCH, count - done);
    const waiting = fc.sample(arbitrary, { seed: seed + done, numRuns, unbiased: true });
    const worker = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await use(next);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }
}

async function askTimed(ask: Ask, asked: Asked): Promise<Answered> {
  const started = performance.now();
  try {
    const response = await ask(asked);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, milliseconds: performance.now() - started };
  } catch (error) {
    const text = `no answer: ${error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error)}`;
    return { status: 0, headers: new Headers(), text, milliseconds: performance.now() - started };
  }
}
