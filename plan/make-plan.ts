// Makes a plan from a chain file, and from a node where there is one.
import type { ChainFile } from "../chains/chain-file.ts";
import { chainIdOf, headOf, rpcCall } from "../chains/json-rpc.ts";
import { loadChain } from "../chains/load.ts";
import { nodeUrlProblem, nodeVariable } from "../chains/node-url.ts";
import type { WorldFigures } from "../core/sizing/figures.ts";
import { type Known, loadOf } from "../core/sizing/load.ts";
import { planOf } from "../core/sizing/plan.ts";
import { liveRequestsPerDay } from "../core/sizing/requests.ts";
import { UsageError } from "../machine/command-line.ts";
import { addressesIn, perRange, questionsOf, readSources } from "./log-queries.ts";
import { figuresOf, readMeasured } from "./measured.ts";
import type { PlanOptions } from "./options.ts";
import { type Sample, sampleEvents, topicsOf, transferringAmong } from "./sample.ts";
import type { Shown } from "./show.ts";

/**
 * Reads the chain's head, and a sample of its events where one is wanted.
 * @throws ChainFileError, UsageError, RateTooLowError; RpcError when the node cannot be asked
 */
export async function makePlan(options: PlanOptions): Promise<Shown> {
  const { cores } = options;
  const chain = loadChain(options.chain);
  const measured = readMeasured();
  const figures = figuresOf(measured);
  const sources = await readSources(options.chain);
  const rpcUrl = options.rpcUrl ?? (process.env[nodeVariable(process.env, chain)] || undefined);
  const rpcRate = Math.min(options.rpcRate, mostRequests(rpcUrl));
  const { head, newest } = await lastBlocks(chain, options, rpcUrl);
  if (newest < chain.startBlock)
    throw new UsageError(`the chain ends at block ${newest}, before startBlock ${chain.startBlock}`);
  const blocks = head - chain.startBlock + 1;
  const transferring = transferringAmong(sources);
  const sample =
    options.isSampled && rpcUrl !== undefined
      ? await sampleEvents(rpcCall(rpcUrl), {
          first: chain.startBlock,
          head: newest,
          mostBlocks: options.logRange,
          topics: topicsOf(sources.map(({ abi }) => abi)),
          transferring,
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
    known: knownLines({
      options,
      sample,
      world: figures.world,
      areTransfersListed: transferring !== undefined,
      rpcRate,
    }),
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

/** Ponder's `MAX_RPS` of one URL, which `ponder.config.ts` gives it 25 times where the node is on this machine. */
const MOST_PER_SECOND = 500;
const IS_OWN_NODE = /^https?:\/\/(127\.|localhost\b|\[::1\])/;

const mostRequests = (rpcUrl: string | undefined): number =>
  rpcUrl === undefined || IS_OWN_NODE.test(rpcUrl) ? Number.POSITIVE_INFINITY : MOST_PER_SECOND;

interface LastBlocks {
  /** Of the plan. */
  head: number;
  /** The last of them that there is: of blocks to come no events can be counted. */
  newest: number;
}

/** @throws UsageError without a node where one is needed, and when it is one of another chain; RpcError */
async function lastBlocks(
  chain: ChainFile,
  { head, isSampled }: PlanOptions,
  rpcUrl: string | undefined,
): Promise<LastBlocks> {
  if (head !== undefined && !isSampled) return { head, newest: head };
  if (rpcUrl === undefined)
    throw new UsageError(
      isSampled
        ? "--sample needs a node: give --rpc-url, or set RPC_URL"
        : "the last block is not known: give --head, or a node with --rpc-url or RPC_URL",
    );
  const problem = nodeUrlProblem(rpcUrl);
  if (problem !== undefined) throw new UsageError(`${nodeVariable(process.env, chain)}: ${problem}`);
  const chainId = await chainIdOf(rpcUrl);
  if (chainId !== chain.chainId)
    throw new UsageError(`the node serves chain ${chainId}, and ${chain.name} is ${chain.chainId}; correct --rpc-url`);
  const newest = await headOf(rpcUrl);
  return { head: head ?? newest, newest: Math.min(head ?? newest, newest) };
}

interface KnownFrom {
  options: PlanOptions;
  sample: Sample | undefined;
  world: WorldFigures;
  /** Whether the chain file lists whose transfers are indexed. */
  areTransfersListed: boolean;
  /** As far as Ponder uses it. */
  rpcRate: number;
}

function knownLines({ options, sample, world, areTransfersListed, rpcRate }: KnownFrom): string[] {
  const per = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const lines: string[] = [];
  if (sample)
    lines.push(
      `events: sampled, ${per(sample.eventsPerBlock)} a block${sample.error === undefined ? "" : ` (standard error ${per(sample.error)})`} in ${sample.ranges} ranges of blocks, ${per(sample.blocks)} blocks in all; ` +
        "events of contracts that no factory of the chain file made are among them, unless they are transfers" +
        (areTransfersListed
          ? "; transfers are those of the tokens that it lists, and not of what its factories make"
          : ""),
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
  if (rpcRate < options.rpcRate)
    lines.push(`requests: ${rpcRate} a second, as Ponder asks a node that is not on this machine no more often`);
  return lines;
}
