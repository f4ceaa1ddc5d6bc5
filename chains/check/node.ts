// Questions to a node, many in one request. Refusals by a contract, refusals by the node and answers that did not arrive are
// kept apart: only the first show something about a chain file.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

export interface Question {
  method: string;
  params: readonly unknown[];
}

export type Answer =
  | { kind: "value"; value: unknown }
  /** The contract reverted: it does not have the function that was called. */
  | { kind: "revert" }
  /** Nothing is known: the node refused, or did not answer. If the trouble may pass by itself, the question is asked again. */
  | { kind: "trouble"; message: string; mayPass: boolean };

export interface Node {
  /** Scheme, host and port: the path often holds a key. */
  origin: string;
  /** Answers in the order of the questions. @throws NodeUnreachableError when the node answers nothing at all */
  read(questions: readonly Question[]): Promise<Answer[]>;
}

/** The URL gave no answer of a JSON-RPC node. */
export class NodeUnreachableError extends Error {
  override name = "NodeUnreachableError";
}

const TIMEOUT_MS = 10_000;
const LARGEST_BATCH = 100;
/** How many questions are under way at a node that takes no batches. */
const SINGLES_AT_A_TIME = 8;
const PAUSES_MS = [250, 1000];
const LONGEST_MESSAGE = 160;

/** Words in which nodes say that they are asked too much at once, or cannot answer now. */
const PASSING =
  /\brate\b|too many|limit exceeded|time.?out|timed out|busy|again|temporar|capacity|overload|internal|(header|block) not found/i;

const answerSchema = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string() }).optional(),
});

/** Words in which nodes say that the code they ran reverted, beside error code 3. */
const REVERTED = /revert|invalid opcode|invalid jump|stack (under|over)flow|out ?of ?gas|vm execution|bad instruction/i;

export function openNode(rpcUrl: string): Node {
  const { origin } = new URL(rpcUrl);
  let takesBatches = true;

  const post = async (body: unknown): Promise<unknown> => {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok && response.status !== 400) throw new Error(`HTTP ${response.status}`);
    return response.json();
  };

  const single = async (question: Question): Promise<Answer> => {
    try {
      return judge(answerSchema.parse(await post(bodyOf(question, 0))));
    } catch (error) {
      return unheard(error);
    }
  };

  const singles = async (questions: readonly Question[]): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let from = 0; from < questions.length; from += SINGLES_AT_A_TIME)
      answers.push(...(await Promise.all(questions.slice(from, from + SINGLES_AT_A_TIME).map(single))));
    return answers;
  };

  const batch = async (questions: readonly Question[]): Promise<Answer[]> => {
    if (!takesBatches || questions.length === 1) return singles(questions);
    let body: unknown;
    try {
      body = await post(questions.map(bodyOf));
    } catch (error) {
      return questions.map(() => unheard(error));
    }
    const parsed = z.array(answerSchema).safeParse(body);
    if (!parsed.success) {
      // An object with an error instead of a list: no batches, or none of this length.
      takesBatches = false;
      return singles(questions);
    }
    const byId = new Map(parsed.data.map((answer) => [answer.id, judge(answer)]));
    return questions.map((_, id) => byId.get(id) ?? unheard("no answer in the batch"));
  };

  const once = async (questions: readonly Question[]): Promise<Answer[]> => {
    const slices: Question[][] = [];
    for (let from = 0; from < questions.length; from += LARGEST_BATCH)
      slices.push(questions.slice(from, from + LARGEST_BATCH));
    return (await Promise.all(slices.map(batch))).flat();
  };

  const read = async (questions: readonly Question[]): Promise<Answer[]> => {
    const answers = await once(questions);
    for (const pause of PAUSES_MS) {
      const open = [...answers.keys()].filter((index) => isRetried(questions[index], answers[index]));
      if (open.length === 0) break;
      await sleep(pause);
      const again = await once(open.flatMap((index) => questions[index] ?? []));
      for (const [place, index] of open.entries()) answers[index] = again[place] ?? (answers[index] as Answer);
    }
    return answers;
  };

  return { origin, read };
}

const bodyOf = ({ method, params }: Question, id: number) => ({ jsonrpc: "2.0", id, method, params });

function judge({ error, result }: z.infer<typeof answerSchema>): Answer {
  if (error === undefined) return { kind: "value", value: result };
  if (error.code === 3 || REVERTED.test(error.message)) return { kind: "revert" };
  const message = error.message.replaceAll(/\s+/g, " ").slice(0, LONGEST_MESSAGE);
  return { kind: "trouble", message, mayPass: PASSING.test(message) };
}

const unheard = (error: unknown): Answer => ({ kind: "trouble", message: reasonOf(error), mayPass: true });

/** A question for logs that took too long would take as long again: the caller asks for a shorter range instead. */
const isRetried = (question: Question | undefined, answer: Answer | undefined): boolean =>
  question?.method !== "eth_getLogs" && answer?.kind === "trouble" && answer.mayPass;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof z.ZodError || error instanceof SyntaxError) return "its answer is not JSON-RPC";
  const { cause } = error;
  const inner = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : undefined;
  return inner === undefined ? error.message : `${error.message}, ${inner}`;
}
