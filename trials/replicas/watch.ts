// One scene: blocks keep coming and readers keep reading while something is done to the servers.
import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "../faults/outcome.ts";
import type { TrialChain } from "../faults/trial-chain.ts";
import type { Deployment } from "./deployment.ts";
import { type Refusal, startReaders, type Tally } from "./readers.ts";

const BLOCK_EVERY_MS = 500;
const REORG_EVERY_BLOCKS = 15;
const READERS_PER_GATEWAY = 3;
const PAUSE_MS = 60;

export interface Scene {
  name: string;
  /** Does something to the servers; its own figures and faults are added to the scene's. */
  act(deployment: Deployment): Promise<{ figures?: Record<string, string | number>; faults?: string[] }>;
  /** Whether blocks that were shown before may be refused meanwhile. */
  mayRefuse: boolean;
}

export async function watch(deployment: Deployment, { name, act, mayRefuse }: Scene): Promise<Outcome> {
  const { chain, gatewayUrls } = deployment;
  const before = await readsByServer(gatewayUrls);
  const startedAt = Date.now();
  const miner = startMiner(chain);
  const readers = startReaders({ gatewayUrls, chain, count: READERS_PER_GATEWAY, pauseMs: PAUSE_MS });
  let acted: Awaited<ReturnType<Scene["act"]>> = {};
  try {
    acted = await act(deployment);
  } catch (error) {
    acted = { faults: [error instanceof Error ? error.message : String(error)] };
  }
  const blocks = await miner.stop();
  const tally = await readers.stop();
  const reads = difference(await readsByServer(gatewayUrls), before);
  const shown = tally.refusals.filter(({ isOfShownBlock }) => isOfShownBlock);
  return {
    name,
    figures: {
      seconds: Math.round((Date.now() - startedAt) / 1_000),
      "blocks mined": blocks,
      ...figuresOf(tally, startedAt),
      "reads by server": [...reads].map(([server, n]) => `${server} ${n}`).join(", "),
      ...acted.figures,
    },
    faults: [
      ...tally.wrong,
      ...(acted.faults ?? []),
      ...(mayRefuse || shown.length === 0
        ? []
        : [`${shown.length} refusals of what was shown before: ${summary(shown)}`]),
    ],
  };
}

function figuresOf({ answers, compared, handedOver, refusals }: Tally, startedAt: number) {
  const shown = refusals.filter(({ isOfShownBlock }) => isOfShownBlock);
  const unseen = refusals.filter(({ isOfShownBlock }) => !isOfShownBlock);
  return {
    answers,
    "compared with the chain": compared,
    "shown by one gateway, asked of the other": handedOver,
    "503 about blocks that nobody was shown yet": summary(unseen) + spanOf(unseen, startedAt),
    "503 about what was shown before": summary(shown) + spanOf(shown, startedAt),
  };
}

function summary(refusals: readonly Refusal[]): string {
  const counts = new Map<string, number>();
  for (const { code } of refusals) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, n]) => `${code} ${n}`).join(", ") || "none";
}

function spanOf(refusals: readonly Refusal[], startedAt: number): string {
  if (refusals.length === 0) return "";
  const times = refusals.map(({ at }) => (at - startedAt) / 1_000);
  return `, from second ${Math.min(...times).toFixed(1)} to second ${Math.max(...times).toFixed(1)}`;
}

/** A block twice a second, and now and then some of them replaced. */
export function startMiner(chain: TrialChain) {
  let isStopping = false;
  let blocks = 0;
  const done = (async () => {
    while (!isStopping) {
      if (blocks % REORG_EVERY_BLOCKS === REORG_EVERY_BLOCKS - 1) await chain.reorg(2, 20);
      await chain.mine(20);
      blocks += 1;
      await sleep(BLOCK_EVERY_MS);
    }
  })();
  return {
    async stop(): Promise<number> {
      isStopping = true;
      await done;
      return blocks;
    },
  };
}

type Reads = Map<string, number>;

/** By `server outcome`, of all gateways together. */
async function readsByServer(gatewayUrls: readonly string[]): Promise<Reads> {
  const reads: Reads = new Map();
  for (const url of gatewayUrls) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, server, outcome, n] of text.matchAll(
      /^tidemark_database_reads_total\{server="([^"]+)",outcome="(\w+)"\} (\d+)/gm,
    )) {
      const key = `:${server?.split(":")[1]} ${outcome}`;
      reads.set(key, (reads.get(key) ?? 0) + Number(n));
    }
  }
  return reads;
}

const difference = (after: Reads, before: Reads): Reads =>
  new Map([...after].map(([key, n]) => [key, n - (before.get(key) ?? 0)] as const).filter(([, n]) => n > 0));
