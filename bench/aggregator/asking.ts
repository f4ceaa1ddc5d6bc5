// A client's view: a quote with its time and the outcome for each provider, and the gateway's own figures.
import { Agent, get } from "node:http";
import { BENCH_CHAIN_ID } from "../ground/workbench.ts";
import { drawQueries, type World } from "../router/world.ts";

export interface Answered {
  ms: number;
  status: number;
  provider: string;
  /** Outcome for every provider, by name. */
  statuses: Readonly<Record<string, string>>;
}

const send = (url: string, agent: Agent): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const asking = get(url, { agent }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") }),
      );
    });
    asking.on("error", reject);
  });

interface Answer {
  provider?: string;
  expl?: { provider: string; status: string }[];
}

/** Asks all URLs at the same moment, each on a connection of its own; bodies are parsed after the last one has arrived. */
export async function askAll(urls: readonly string[]): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: false, maxSockets: urls.length });
  try {
    const answers = await Promise.all(
      urls.map(async (url) => {
        const started = performance.now();
        const { status, text } = await send(url, agent);
        return { status, text, ms: performance.now() - started };
      }),
    );
    return answers.map(({ status, text, ms }) => {
      const { provider = "", expl = [] } = JSON.parse(text) as Answer;
      return { ms, status, provider, statuses: Object.fromEntries(expl.map((one) => [one.provider, one.status])) };
    });
  } finally {
    agent.destroy();
  }
}

const RECIPIENT = `0x${"ab".repeat(20)}`;

/** Questions of $100 to $200,000 with transactions; no two are the same. */
export function questionsOf(url: string, world: World, { count, seed }: { count: number; seed: number }): string[] {
  return drawQueries(world, count, seed).map(({ tokenIn, tokenOut, amountIn }, i) => {
    const query = new URLSearchParams({
      tokenInAddress: tokenIn.address,
      tokenOutAddress: tokenOut.address,
      amount: String(amountIn + BigInt(i)),
      tokenInChainId: String(BENCH_CHAIN_ID),
      tokenOutChainId: String(BENCH_CHAIN_ID),
      type: "exactIn",
      recipient: RECIPIENT,
      slippageTolerance: "0.5",
      debug: "true",
    });
    return `${url}/quote?${query}`;
  });
}

export interface GatewayFigures {
  residentBytes: number;
  /** By provider: 0 asked, 1 being tried, 2 left alone. */
  breakers: Readonly<Record<string, number>>;
}

export async function readFigures(url: string): Promise<GatewayFigures> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const resident = /^(?:tidemark_)?process_resident_memory_bytes (\S+)$/m.exec(text)?.[1];
  const states = text.matchAll(/^tidemark_quote_provider_breaker\{[^}]*provider="([^"]+)"\} (\d)$/gm);
  return {
    residentBytes: Number(resident),
    breakers: Object.fromEntries([...states].map(([, name = "", state]) => [name, Number(state)])),
  };
}
