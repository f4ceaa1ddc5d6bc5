// How long GET /balances takes, asked at a steady rate.
import { setTimeout as sleep } from "node:timers/promises";

interface Question {
  gatewayUrl: string;
  tokens: readonly string[];
  /** Balances are asked for at this block and the hundred before it. */
  block: number;
  headers: Record<string, string>;
}

const EVERY_MS = 50;

/** Milliseconds of each answer, asked until `clock` has moved by `forMs`. */
export async function askBalances(
  { gatewayUrl, tokens, block, headers }: Question,
  clock: () => number,
  forMs: number,
): Promise<number[]> {
  const times: number[] = [];
  const requests: Promise<void>[] = [];
  const since = clock();
  for (let i = 0; clock() - since < forMs; i += 1) {
    const token = tokens[i % tokens.length];
    const started = performance.now();
    const url = `${gatewayUrl}/balances/${token}?blockNumber=${block - (i % 100)}`;
    requests.push(
      fetch(url, { headers })
        .then((response) => response.text())
        .then(() => void times.push(performance.now() - started)),
    );
    await sleep(EVERY_MS);
  }
  await Promise.all(requests);
  return times;
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
