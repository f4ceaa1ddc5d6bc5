// Asks many random questions, several at a time, and keeps the answers that are wrong.
import fc from "fast-check";
import { buildSchema } from "graphql";
import { typeDefinitions } from "../../gateway/graphql/type-definitions.ts";
import { type Operation, viewDocument } from "../../gateway/rest/openapi/view.ts";
import { askAgain, type Outcome } from "./ask-again.ts";
import { documentArbitrary } from "./document-arbitrary.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { judgeDocument } from "./judge-document.ts";
import { isRest, requestArbitrary } from "./request-arbitrary.ts";
import { type Ask, type RelativeRequest, readSampleValues, type SampleValues } from "./sample-values.ts";

export interface FuzzSetting {
  ask: Ask;
  requests: number;
  documents: number;
  seed: number;
  /** Questions under way at a time. */
  concurrency: number;
  /** An answer that takes longer is a problem; if absent, any time is accepted. */
  longestMs?: number;
  /** How long to ask again after permitted temporary refusals; one that stays is a problem. If absent, refusals count as answers. */
  patienceMs?: number;
}

export interface FuzzReport {
  requests: number;
  /** By `<what> <status>`. */
  statuses: ReadonlyMap<string, number>;
  /** Permitted refusals after which it asked again, by `<what> <code>`. */
  refusals: ReadonlyMap<string, number>;
  /** Routes of the document that got no request, as `<method> <path>`. */
  untried: readonly string[];
  slowestMs: number;
  slowest: string;
  problems: readonly { question: string; problem: string }[];
}

/** Questions drawn at a time: all of them at once would fill the memory. */
const BATCH = 500;
const MOST_PROBLEMS = 200;

class Tally {
  requests = 0;
  slowestMs = 0;
  slowest = "";
  untried: string[] = [];
  readonly statuses = new Map<string, number>();
  readonly refusals = new Map<string, number>();
  readonly problems: { question: string; problem: string }[] = [];
  readonly #longestMs: number;

  constructor(longestMs = Number.POSITIVE_INFINITY) {
    this.#longestMs = longestMs;
  }

  take(
    request: RelativeRequest,
    { outcome, problems, kind }: { outcome: Outcome; problems: string[]; kind: string },
  ): void {
    const { answered, refusals, stayed } = outcome;
    this.requests += 1;
    add(this.statuses, `${kind} ${answered.status}`);
    for (const code of refusals) add(this.refusals, `${kind} ${code}`);
    const { milliseconds } = answered;
    if (milliseconds > this.slowestMs) {
      this.slowestMs = milliseconds;
      this.slowest = questionText(request);
    }
    const slow = milliseconds > this.#longestMs ? [`took ${Math.round(milliseconds)} ms`] : [];
    const stuck = stayed ? [`stays refused: ${refusals.join(", ")}`] : [];
    for (const problem of [...problems, ...slow, ...stuck])
      if (this.problems.length < MOST_PROBLEMS) this.problems.push({ question: questionText(request), problem });
  }
}

function add(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

const questionText = ({ method, path, body }: RelativeRequest): string =>
  `${method} ${path.slice(0, 1_500)}${body === undefined ? "" : ` ${body.slice(0, 1_500)}`}`;

export async function runFuzz(setting: FuzzSetting): Promise<FuzzReport> {
  const samples = await readSampleValues(setting.ask);
  const tally = new Tally(setting.longestMs);
  await fuzzRequests(setting, samples, tally);
  await fuzzDocuments(setting, samples, tally);
  return tally;
}

const kindOf = ({ method, path }: Operation): string => `${method} ${path}`;

async function fuzzRequests(setting: FuzzSetting, samples: SampleValues, tally: Tally): Promise<void> {
  const response = await setting.ask({ method: "GET", path: "/openapi.json", headers: {} });
  const view = viewDocument((await response.json()) as object);
  const arbitrary = requestArbitrary({ view, samples });
  const untried = new Set(view.operations.filter(isRest).map(kindOf));
  await inBatches({ ...setting, count: setting.requests, arbitrary }, async (request) => {
    const outcome = await askAgain(setting.ask, request, setting.patienceMs);
    const kind = request.operation ? kindOf(request.operation) : "no such route";
    untried.delete(kind);
    tally.take(request, { outcome, problems: judgeAnswer(request, outcome.answered), kind });
  });
  tally.untried = [...untried];
}

async function fuzzDocuments(setting: FuzzSetting, samples: SampleValues, tally: Tally): Promise<void> {
  const arbitrary = documentArbitrary({ schema: buildSchema(typeDefinitions), samples });
  await inBatches({ ...setting, count: setting.documents, arbitrary }, async (request) => {
    const outcome = await askAgain(setting.ask, request, setting.patienceMs);
    tally.take(request, { outcome, problems: judgeDocument(outcome.answered), kind: `GraphQL by ${request.method}` });
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
  const drawn: T[] = [];
  let number = 0;
  const next = (): T | undefined => {
    const numRuns = Math.min(BATCH, count - number);
    if (drawn.length === 0 && numRuns > 0) {
      drawn.push(...fc.sample(arbitrary, { seed: seed + number, numRuns, unbiased: true }));
      number += numRuns;
    }
    return drawn.pop();
  };
  const worker = async () => {
    for (let one = next(); one !== undefined; one = next()) await use(one);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
