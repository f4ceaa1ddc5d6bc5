// Makes a plan from a chain file, and from a node where there is one.
import type { ChainFile } from "../chains/chain-file.ts";
import { chainIdOf, headOf, rpcCall } from "../chains/json-rpc.ts";
import { loadChain } from "../chains/load.ts";
import type { WorldFigures } from "../core/sizing/figures.ts";
import { type Known, loadOf } from "../core/sizing/load.ts";
import { planOf } from "../core/sizing/plan.ts";
import { liveRequestsPerDay } from "../core/sizing/requests.ts";
import { UsageError } from "../machine/command-line.ts";
import { addressesIn, perRange, questionsOf, readSources } from "./log-queries.ts";
import { figuresOf, readMeasured } from "./measured.ts";
import type { PlanOptions } from "./options.ts";
import { type Sample, sampleEvents, topicsOf } from "./sample.ts";
import type { Shown } from "./show.ts";

/**
 * Reads the chain's head, and a sample of its events where one is wanted.
 * @throws ChainFileError, UsageError, RateTooLowError; RpcError when the node cannot be asked
 */
export async function makePlan(options: PlanOptions): Promise<Shown> {
  const { rpcRate, cores } = options;
  const chain = loadChain(options.chain);
  const measured = readMeasured();
  const figures = figuresOf(measured);
  const sources = await readSources(options.chain);
  const rpcUrl = options.rpcUrl ?? (process.env[`RPC_URL_${chain.chainId}`] || process.env.RPC_URL || undefined);
  const head = await lastBlock(chain, options, rpcUrl);
  const blocks = head - chain.startBlock + 1;
  if (blocks < 1) throw new UsageError(`the chain ends at block ${head}, before startBlock ${chain.startBlock}`);
  const sampling = { first: chain.startBlock, head, mostBlocks: options.logRange };
  const sample = options.isSampled
    ? await sampleEvents(rpcCall(nodeFor("--sample", rpcUrl)), {
        ...sampling,
        topics: topicsOf(sources.map(({ abi }) => abi)),
      })
    : undefined;
  const known: Known = {
    ...sharesOf(sample),
    blocks,
    tokens: options.tokens,
    events: sample ? Math.round(sample.eventsPerBlock * blocks) : options.events,
  };
  const load = loadOf(known, figures.world);
  const segmentTransfers = options.hasLake ? chain.lake.segmentTransfers : undefined;
  const queries = { perRange: perRange(questionsOf(sources)), mostBlocks: options.logRange };
  const plan = planOf({ load, queries, addresses: addressesIn(chain), rpcRate, cores, segmentTransfers }, figures);
  const { blockSeconds } = options;
  return {
    chain: chain.name,
    plan,
    first: chain.startBlock,
    head,
    rpcRate,
    cores,
    known: knownLines({ options, sample, world: figures.world }),
    liveRequestsPerDay: liveRequestsPerDay(figures.requests, {
      blockSeconds,
      pollingIntervalMs: chain.pollingIntervalMs,
    }),
    measured: Object.entries(measured.runs).map(
      ([name, { at, command, commit, machine }]) => `${name}: ${at}, commit ${commit}, ${command} (${machine})`,
    ),
  };
}

const sharesOf = (sample: Sample | undefined): Omit<Known, "blocks"> =>
  sample === undefined
    ? {}
    : {
        transferShare: sample.transferShare,
        eventsPerTransaction: sample.eventsPerTransaction,
        inputBytes: sample.inputBytes,
      };

function nodeFor(option: string, rpcUrl: string | undefined): string {
  if (rpcUrl !== undefined) return rpcUrl;
  throw new UsageError(`${option} needs a node: give --rpc-url, or set RPC_URL`);
}

/** @throws UsageError when the node is one of another chain */
async function lastBlock(chain: ChainFile, { head }: PlanOptions, rpcUrl: string | undefined): Promise<number> {
  if (head !== undefined) return head;
  if (rpcUrl === undefined)
    throw new UsageError("the last block is not known: give --head, or a node with --rpc-url or RPC_URL");
  const chainId = await chainIdOf(rpcUrl);
  if (chainId !== chain.chainId)
    throw new UsageError(`the node serves chain ${chainId}, and ${chain.name} is ${chain.chainId}; correct --rpc-url`);
  return headOf(rpcUrl);
}

function knownLines(from: { options: PlanOptions; sample: Sample | undefined; world: WorldFigures }): string[] {
  const { options, sample, world } = from;
  const per = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const lines: string[] = [];
  if (sample)
    lines.push(
      `events: sampled, ${per(sample.eventsPerBlock)} a block (standard error ${per(sample.error)}) in ${sample.ranges} ranges of blocks, ${per(sample.blocks)} blocks in all; ` +
        "events of contracts that no factory of the chain file made are among them, unless they are transfers",
    );
  else if (options.events !== undefined) lines.push("events: as --events says");
  else
    lines.push(
      `events: ASSUMED ${per(world.eventsPerBlock)} a block, as the devnet has; --sample counts them, --events says them`,
    );
  if (!sample)
    lines.push(
      `ASSUMED, as on the devnet: ${per(world.transferShare * 100)} % of events are transfers, ${per(world.eventsPerTransaction)} events a transaction`,
    );
  lines.push(
    `islands and farms: ASSUMED, as on the devnet, one reading of settings for ${per(1 / world.settingsPerEvent)} events that are no transfers`,
  );
  if (options.tokens === undefined)
    lines.push(`tokens: ASSUMED one for ${per(1 / world.tokensPerTransfer)} transfers; --tokens says how many`);
  if (!Number.isFinite(options.logRange))
    lines.push("eth_getLogs: ASSUMED that the node answers for ranges of any length; --log-range says its bound");
  return lines;
}
