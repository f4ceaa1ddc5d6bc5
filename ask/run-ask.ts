// From a command line to what is printed.
import { UsageError } from "../machine/command-line.ts";
import { terminalJson, terminalText } from "../machine/terminal-text.ts";
import { readCommandLine } from "./arguments.ts";
import { openGateway, RefusedError, UnreachableError } from "./gateway-client.ts";
import type { Question } from "./question.ts";
import { account } from "./questions/account.ts";
import { balances } from "./questions/balances.ts";
import { pool } from "./questions/pool.ts";
import { price } from "./questions/price.ts";
import { quote } from "./questions/quote.ts";
import { AmbiguousNameError } from "./resolve-token.ts";

export interface Outcome {
  /** 2: the command line is wrong. 1: the question is refused, or nobody answers. */
  exitCode: 0 | 1 | 2;
  /** For standard output, safe for a terminal. */
  output: readonly string[];
  /** For standard error, safe for a terminal. */
  complaint: readonly string[];
}

const questions: Record<string, Question> = { balances, account, price, pool, quote };

const OVERVIEW = `usage: npm run ask -- <question> …

  balances <token>                 who held how much, and where
  account <account>                everything that one account had, and through what
  price <token> …                  what tokens were worth
  pool <pool>                      a v3 pool, v2 pair or launch curve, and its last days
  quote <sell> <buy> <amount>      what a swap pays

Each with --help. Asks a running product, the one of npm start unless --url names another.`;

const COMMON_OPTIONS = `  --block N          after the last log of this block; without it the last synced one
  --timestamp S      instead: the last block at or before this time, Unix seconds
  --chain ID         if the product serves several chains
  --url URL          the product's URL; GATEWAY_URL or http://127.0.0.1:4000 without it
  --key K            if the product needs a key; without it, on this machine and at GATEWAY_URL, the first of API_KEYS
  --json             the answer as it came

Exit code: 0; 2 when the command line is wrong; 1 when the question is refused, or nobody answers.`;

const usageOf = (name: string, { shape, help }: Question): string =>
  [`usage: npm run ask -- ${name} ${shape.words.join(" ")} [options]`, help, COMMON_OPTIONS]
    .join("\n\n")
    .replace("\n\n  --block", "\n  --block");

/** Never throws for what a user, the network or the product did. */
export async function runAsk(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const [name, ...rest] = argv;
  const question = Object.hasOwn(questions, name ?? "") ? questions[name ?? ""] : undefined;
  if (name === undefined || name === "--help") return said(name === undefined ? 2 : 0, OVERVIEW);
  if (question === undefined) return complained(2, `there is no question "${name}"`, OVERVIEW.split("\n"));
  if (rest.includes("--help")) return said(0, usageOf(name, question));
  try {
    const { given, place, isJson } = readCommandLine(rest, question.shape, env);
    const { body, lines } = await question.answer(openGateway(place), given);
    return { exitCode: 0, output: isJson ? [terminalJson(body.trim())] : lines.map(terminalText), complaint: [] };
  } catch (error) {
    return refusal(error, name);
  }
}

function refusal(error: unknown, name: string): Outcome {
  const hint = `npm run ask -- ${name} --help says more`;
  if (error instanceof AmbiguousNameError) return complained(2, error.message, error.candidates);
  if (error instanceof UsageError) return complained(2, error.message, [hint]);
  if (error instanceof RefusedError || error instanceof UnreachableError)
    return complained(1, `${error.code}: ${error.message}`);
  throw error;
}

const said = (exitCode: 0 | 2, text: string): Outcome =>
  exitCode === 0 ? { exitCode, output: [text], complaint: [] } : { exitCode, output: [], complaint: [text] };

/** The first line says what is wrong. */
const complained = (exitCode: 1 | 2, message: string, lines: readonly string[] = []): Outcome => ({
  exitCode,
  output: [],
  complaint: [`ask: ${message}`, ...lines].map(terminalText),
});
