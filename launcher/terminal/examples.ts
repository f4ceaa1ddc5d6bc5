// Three requests that really work on the chain that is served: each is tried once before it is printed.
import { z } from "zod";
import type { ChainFile } from "../../chains/chain-file.ts";

const TIMEOUT_MS = 10_000;
const balances = z.object({ lastSyncedBlock: z.number(), results: z.array(z.object({ account: z.string() })) });

/** Command lines for a terminal; those that do not answer 200 now are left out. */
export async function findExamples(base: string, chain: ChainFile): Promise<string[]> {
  const token = await firstTokenWithHolders(base, chain);
  if (token === undefined) return (await answers(`${base}/status`)) ? [`curl '${base}/status'`] : [];
  const whole = `${base}/balances/${token.address}?blockNumber=${token.block}`;
  const one = `${base}/balances/${token.address}?blockNumber=99999999999&users=${token.holder}`;
  const query = `{ token(address: "${token.address}") { name symbol decimals totalSupply } }`;
  const body = JSON.stringify({ query });
  const found: string[] = [];
  if (await answers(whole)) found.push(`curl '${whole}'`);
  if (await answers(one)) found.push(`curl '${one}'`);
  if (await answers(`${base}/graphql`, body))
    found.push(`curl '${base}/graphql' -H 'content-type: application/json' -d '${body}'`);
  return found;
}

async function firstTokenWithHolders(base: string, chain: ChainFile) {
  const candidates = [...chain.knownTokens, chain.wrappedNative, ...chain.otherWrapped].map(({ address }) => address);
  for (const address of candidates.slice(0, 10)) {
    const answer = balances.safeParse(await fetchJson(`${base}/balances/${address}?blockNumber=99999999999`));
    const holder = answer.data?.results[0]?.account;
    if (answer.success && holder !== undefined) return { address, holder, block: answer.data.lastSyncedBlock };
  }
  return undefined;
}

async function answers(url: string, body?: string): Promise<boolean> {
  const answer = await fetchJson(url, body);
  return typeof answer === "object" && answer !== null && !("error" in answer) && !("errors" in answer);
}

async function fetchJson(url: string, body?: string): Promise<unknown> {
  try {
    const post = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body };
    const response = await fetch(url, { ...post, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}
