// A second chain with another id in the same database: the same addresses, another history, and its own writers.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../machine/ports.ts";
import { startAnvil } from "../faults/anvil.ts";
import { TRIAL_CHAIN_ID } from "../faults/chain-file.ts";
import { createTrialChain, type TrialChain } from "../faults/trial-chain.ts";
import type { Deployment } from "./deployment.ts";
import { startReaders, type Tally } from "./readers.ts";
import { startMiner } from "./watch.ts";

const OTHER_CHAIN_ID = 31338;
const BLOCKS = 45;
const READERS = 2;
const PAUSE_MS = 60;

export interface OtherChain {
  chain: TrialChain;
  /** Of the gateway that serves both. */
  gatewayUrl: string;
}

/** Resolves when the gateway for both answers at the other chain's head. */
export async function startOtherChain(deployment: Deployment): Promise<OtherChain> {
  const { builds, nodes, folder, atEnd, waitFor } = deployment;
  const anvil = await startAnvil(await freePort(), OTHER_CHAIN_ID);
  atEnd(() => anvil.stop());
  const chain = await createTrialChain(anvil);
  for (let block = 0; block < BLOCKS; block++) await chain.mine(13);
  const chainFile = join(folder, "other.json");
  const like = JSON.parse(readFileSync(builds.first.chainFile, "utf8")) as Record<string, unknown>;
  writeFileSync(chainFile, JSON.stringify({ ...like, name: "other", chainId: OTHER_CHAIN_ID }));
  const writers = await deployment.startWriters(nodes.primary.server.url, { chainFile, rpcUrl: anvil.url });
  atEnd(() => writers.stop());
  const { url } = await deployment.startGateway("gateway-both", `${builds.first.chainFile},${chainFile}`);
  const isAnswered = async () => {
    const question = `balances/${chain.tokens.churning}?blockNumber=${chain.head()}&chainId=${OTHER_CHAIN_ID}`;
    const answer = await fetch(`${url}/${question}`).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200 && Number(answer.headers.get("x-block-number")) === chain.head();
  };
  await waitFor("the other chain's head", isAnswered, 300_000);
  return { chain, gatewayUrl: url };
}

/** Tallies by chain id, while the other chain grows, too. */
export async function readBothChains(
  { chain }: Deployment,
  other: OtherChain,
  ms: number,
): Promise<Record<string, Tally>> {
  const setting = { gatewayUrls: [other.gatewayUrl], count: READERS, pauseMs: PAUSE_MS };
  const miner = startMiner(other.chain);
  const readers = [
    startReaders({ ...setting, chain, chainId: TRIAL_CHAIN_ID }),
    startReaders({ ...setting, chain: other.chain, chainId: OTHER_CHAIN_ID }),
  ] as const;
  await sleep(ms);
  await miner.stop();
  const [first, second] = await Promise.all(readers.map((reader) => reader.stop()));
  if (!first || !second) throw new Error("a reader has no tally");
  return { [TRIAL_CHAIN_ID]: first, [OTHER_CHAIN_ID]: second };
}
