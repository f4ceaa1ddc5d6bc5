// `--fresh-quotes`: follows a running product over HTTP. After every new block it asks for quotes until one is of that block,
// and compares each with the contracts at the block that it names.
import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hex, numberToHex } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { Pool } from "../../core/router/pool.ts";
import { postOne } from "../../devnet/json-rpc.ts";
import type { Plan } from "../arguments.ts";
import type { VerifyEnvironment } from "../environment.ts";
import { seededRandom } from "../sample-blocks.ts";
import { type Finding, findingsOf } from "./answered-quote.ts";
import {
  type AnsweredQuote,
  GatewayAnswers,
  type ListedPool,
  type Question,
  type ShownBlock,
} from "./gateway-answers.ts";
import { type NewBlock, nextBlock, replaceBlocks } from "./new-block.ts";
import { readBlock, readPools } from "./pools-at-block.ts";
import { amountOf, depthOf, pickOne, type Random } from "./questions.ts";
import { QuotesReport } from "./quotes-report.ts";

interface Follower {
  chain: ChainFile;
  rpcUrl: string;
  gateway: GatewayAnswers;
  random: Random;
  report: QuotesReport;
  listed: Map<Address, ListedPool>;
  /** From a block's arrival at the node to its first quote, in milliseconds. */
  delays: number[];
  held: number;
  /** Compared quotes of the new block that pass a pool which that block moved. */
  telling: number;
  /** How many of those were the first ones. */
  tellingFirst: number;
}

/** A quote, with the block that the gateway shows before and after it. */
interface AnsweredRequest {
  question: Question;
  before: ShownBlock;
  answer: AnsweredQuote;
  after: ShownBlock;
  at: number;
}

/** Quotes of each block after the first one. */
const MORE_QUOTES = 3;
const PATIENCE_MS = 60_000;
const PAUSE_MS = 5;
/** After which a block is not the newest one any more. */
const SETTLE_MS = 3_000;
/** Share of what a pool holds. */
const MOST_SOLD = 0.1;

/** Resolves to the exit code: 1 with any difference. @throws Error when no quote passed a pool that its block moved */
export async function runFreshQuotes(environment: VerifyEnvironment, plan: Plan): Promise<number> {
  const { chain, rpcUrl, gatewayUrl } = environment;
  const gateway = new GatewayAnswers(gatewayUrl, chain.chainId);
  const [random, report] = [seededRandom(plan.seed), new QuotesReport()];
  const follower = {
    chain,
    rpcUrl,
    gateway,
    random,
    report,
    listed: new Map(),
    delays: [],
    held: 0,
    telling: 0,
    tellingFirst: 0,
  };
  await listPools(follower);
  let head = await readBlock(rpcUrl);
  for (let block = 0; block < (plan.freshQuotes ?? 0); block++) {
    const place = { rpcUrl, listed: follower.listed };
    const isReplacing = plan.isReorg && block % 2 === 1;
    const next = await (isReplacing ? replaceBlocks(place, 1 + (block % 5)) : nextBlock(place, head));
    await followBlock(follower, next);
    head = next.head;
  }
  for (const line of report.lines()) console.log(line);
  console.log(summary(follower, plan));
  if (follower.telling === 0) throw new Error("no quote passed a pool that its block moved: nothing is proven");
  return report.differing === 0 ? 0 : 1;
}

async function listPools({ listed, gateway }: Follower): Promise<void> {
  for (const pool of await gateway.pools()) if (pool.protocol !== "curve") listed.set(pool.address, pool);
  if (listed.size === 0) throw new Error("the gateway knows no pool: nothing can be quoted");
}

async function followBlock(follower: Follower, block: NewBlock): Promise<void> {
  const { delays, report, telling: reportedBefore, held: heldBefore } = follower;
  const answered = await askUntilShown(follower, block);
  const first = answered.at(-1);
  if (first && isOf(first, block)) {
    delays.push(first.at - block.since);
    if (passesMoved(first, block)) follower.tellingFirst += 1;
  } else report.passOver("the next block was shown before a quote of this one");
  for (let more = 0; more < MORE_QUOTES; more++) answered.push(...(await askOnce(follower, block)));
  for (const one of answered) await hold(follower, block, one);
  const delay =
    first && isOf(first, block) ? `first quote after ${Math.round(first.at - block.since)} ms` : "overtaken";
  console.log(
    `block ${block.head.number}${block.replaced > 0 ? ` (${block.replaced} replaced)` : ""}: ${block.moved.size} pools moved, ` +
      `${delay}, ${follower.held - heldBefore} quotes compared, ${follower.telling - reportedBefore} of them through moved pools`,
  );
}

/** All quotes up to the first one of the block. A question whose route passes a moved pool is asked again. */
async function askUntilShown(follower: Follower, block: NewBlock): Promise<AnsweredRequest[]> {
  const answered: AnsweredRequest[] = [];
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(PAUSE_MS)) {
    const reused = answered.findLast((one) => passesMoved(one, block));
    answered.push(...(await askOnce(follower, block, reused?.question)));
    const last = answered.at(-1);
    if (last && (isOf(last, block) || last.before.number > block.head.number)) return answered;
  }
  throw new Error(`block ${block.head.number} is not quoted ${PATIENCE_MS / 1_000} s after it came`);
}

/** Whether the answer is of this branch's block: the gateway showed it before or after, and no other block of its number. */
function isOf({ before, answer, after }: AnsweredRequest, { head }: NewBlock): boolean {
  const shown = [before, after].filter(({ number }) => number === head.number);
  return Number(answer.blockNumber) === head.number && shown.every(({ hash }) => hash === head.hash);
}

const passesMoved = ({ answer }: AnsweredRequest, { moved }: NewBlock): boolean =>
  answer.route.flat().some(({ address }) => moved.has(address));

/** Undefined where the question has no route. */
async function askOnce(follower: Follower, block: NewBlock, reused?: Question): Promise<AnsweredRequest[]> {
  const { gateway } = follower;
  const question = reused ?? (await drawQuestion(follower, block));
  const before = await gateway.shown();
  const answer = await gateway.quote(question);
  const at = performance.now();
  const after = await gateway.shown();
  if (answer) return [{ question, before, answer, after, at }];
  follower.report.passOver("no route");
  return [];
}

/** About a pool that the block moved, if there is one. */
async function drawQuestion({ random, listed, rpcUrl }: Follower, { moved, head }: NewBlock): Promise<Question> {
  const pool = pickOne(random, [...moved.values()]) ?? (await anyPool({ random, listed, rpcUrl }, head.hash));
  const { token0, token1 } = pool;
  const [tokenIn, tokenOut] = random() < 0.5 ? [token0, token1] : [token1, token0];
  const type = random() < 0.3 ? "exactOut" : "exactIn";
  const depth = depthOf(pool, type === "exactIn" ? tokenIn : tokenOut);
  return { tokenIn, tokenOut, amount: amountOf(random, depth, MOST_SOLD), type };
}

async function anyPool(
  { random, listed, rpcUrl }: Pick<Follower, "random" | "listed" | "rpcUrl">,
  blockHash: Hex,
): Promise<Pool> {
  const pools = await readPools(rpcUrl, [...listed.values()], { blockHash });
  const pool = pickOne(random, [...pools.values()]);
  if (!pool) throw new Error(`no pool is there at block ${blockHash}`);
  return pool;
}

async function hold(follower: Follower, block: NewBlock, answered: AnsweredRequest): Promise<void> {
  const { chain, rpcUrl, report, listed } = follower;
  const { question, before, answer, after } = answered;
  const named = Number(answer.blockNumber);
  const blockHash = await hashAt(rpcUrl, named);
  if (answer.route.flat().some(({ address }) => !listed.has(address))) await listPools(follower);
  const quote = { chain, rpcUrl, listed, type: question.type, answer };
  const read = async () =>
    blockHash && (await unlessReplaced(rpcUrl, [before, after], () => findingsOf({ ...quote, blockHash })));
  let findings = await read();
  if (findings && !findings.every(({ isSame }) => isSame)) {
    // anvil gives the next block's state for its newest block's hash while it makes the next block: what counts is what it says later
    await sleep(SETTLE_MS);
    findings = await read();
    if (findings?.every(({ isSame }) => isSame)) report.passOver("the node gave the state of the next block at first");
  }
  if (!findings) return report.passOver("blocks were replaced meanwhile");
  const isNewest = before.number <= named && named <= after.number;
  const shown = `block ${named}, while ${before.number} and then ${after.number} are shown`;
  report.compare("the block named is the newest one shown", isNewest, () => shown);
  for (const { what, isSame, detail } of findings) report.compare(what, isSame, () => `block ${named}: ${detail}`);
  follower.held += 1;
  if (named === block.head.number && blockHash === block.head.hash && passesMoved(answered, block))
    follower.telling += 1;
}

async function hashAt(rpcUrl: string, number: number): Promise<Hex | undefined> {
  const block = await postOne<{ hash: Hex } | null>(rpcUrl, "eth_getBlockByNumber", [numberToHex(number), false]);
  return block?.hash;
}

/** Undefined where one of the blocks shown around the quote is of a branch that is gone. */
async function unlessReplaced(
  rpcUrl: string,
  shown: readonly ShownBlock[],
  find: () => Promise<Finding[]>,
): Promise<Finding[] | undefined> {
  const areThere = async () =>
    (await Promise.all(shown.map(async ({ number, hash }) => (await hashAt(rpcUrl, number)) === hash))).every(Boolean);
  if (!(await areThere())) return undefined;
  try {
    const findings = await find();
    return (await areThere()) ? findings : undefined;
  } catch (error) {
    // a node does not answer about a block that it has replaced
    if (await areThere()) throw error;
    return undefined;
  }
}

function summary(
  { delays, held, telling, tellingFirst, report, gateway }: Follower,
  { freshQuotes, seed }: Plan,
): string {
  const sorted = delays.map(Math.round).sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return (
    `${freshQuotes} new blocks, first quote of each ${at(0)} to ${at(1)} ms after the node had it, median ${at(0.5)} ms; ` +
    `${held} quotes compared with eth_call at the block named, ${telling} of them through pools that the block moved ` +
    `(of the first quotes ${tellingFirst}); ` +
    `${gateway.refusals} answers of 503 asked again; ${report.compared} comparisons, ${report.differing} differences (seed ${seed})`
  );
}
