// All that the gateway answers, block by block, to be compared with a later reading of the same.
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "./stack.ts";

/** `<token> <block>` to the answer's `results` as text. */
export type Answers = Map<string, string>;

/** Asks for all holders of every token at each of `blocks`; waits out 503s for a minute. @throws Error naming what failed */
export async function readAnswers({ chain, gatewayUrl }: Stack, blocks: readonly number[]): Promise<Answers> {
  const answers: Answers = new Map();
  for (const token of Object.values(chain.tokens))
    for (const block of blocks) {
      const text = await ask(`${gatewayUrl}/balances/${token}?blockNumber=${block}`);
      if (text !== undefined) answers.set(`${token} ${block}`, text);
    }
  return answers;
}

/** Undefined for a token that has no recorded event yet. */
async function ask(url: string): Promise<string | undefined> {
  let last = "";
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(200)) {
    const response = await fetch(url);
    last = await response.text();
    if (response.status === 404) return undefined;
    if (response.status === 200) return JSON.stringify((JSON.parse(last) as { results: unknown }).results);
    if (response.status !== 503) break;
  }
  throw new Error(`${url}: ${last.slice(0, 200)}`);
}

/** Keys whose answers differ. */
export const changedAnswers = (before: Answers, after: Answers): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));

export const blockOf = (key: string): number => Number(key.split(" ")[1]);
