// When the gateway was down, so that a refused connection is not taken for a fault; and what /status said all the time.
import { setTimeout as sleep } from "node:timers/promises";

export interface GatewayWatch {
  /** Call when the gateway is being killed. */
  goesDown(): void;
  /** Whether it was down at some moment of [from, to], milliseconds since the epoch. */
  wasDown(from: number, to: number): boolean;
  /** Call when its connections to the database end, so that answers being written break off; ends with the returned function. */
  losesDatabase(): () => void;
  /** Whether an answer of [from, to] may have broken off because the database was gone. */
  lostDatabase(from: number, to: number): boolean;
  stop(): Promise<{ states: Map<string, number>; wrong: string[] }>;
}

const POLL_MS = 250;

export function watchGateway(gatewayUrl: string): GatewayWatch {
  const downs: { since: number; until: number }[] = [];
  const states = new Map<string, number>();
  const wrong: string[] = [];
  let isStopping = false;

  const losses: { since: number; until: number }[] = [];
  const isAmong = (spans: typeof downs, from: number, to: number): boolean =>
    spans.some(({ since, until }) => since <= to && until >= from);
  const wasDown = (from: number, to: number): boolean => isAmong(downs, from, to);

  const poll = async (from: number): Promise<void> => {
    const response = await fetch(`${gatewayUrl}/status`);
    const body = (await response.json()) as { state?: string; error?: { code: string } };
    const down = downs.at(-1);
    if (down && from > down.since) down.until = Math.min(down.until, Date.now());
    const said = body.state ?? `${response.status} ${body.error?.code}`;
    states.set(said, (states.get(said) ?? 0) + 1);
    if (response.status !== 200 && response.status !== 503) wrong.push(`/status: ${said}`);
  };
  const noteFailure = (error: unknown, from: number): void => {
    if (wasDown(from, Date.now())) return;
    wrong.push(`/status: ${error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : error}`);
  };
  const polling = (async () => {
    for (; !isStopping; await sleep(POLL_MS)) {
      const from = Date.now();
      await poll(from).catch((error: unknown) => noteFailure(error, from));
    }
  })();
  return {
    goesDown() {
      downs.push({ since: Date.now(), until: Number.POSITIVE_INFINITY });
    },
    wasDown,
    losesDatabase() {
      const loss = { since: Date.now(), until: Number.POSITIVE_INFINITY };
      losses.push(loss);
      return () => {
        loss.until = Date.now();
      };
    },
    lostDatabase: (from, to) => isAmong(losses, from, to),
    async stop() {
      isStopping = true;
      await polling;
      return { states, wrong };
    },
  };
}
