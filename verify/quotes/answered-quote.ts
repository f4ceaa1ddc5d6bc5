// Compares one answer of /router/quote with the contracts at the block that it names: every pool that it passes, and every path.
import type { Address, Hex } from "viem";
import { isUnsynced, type Pool, type Step } from "../../core/router/pool.ts";
import { protocolOf, type TradeType } from "../../core/router/request.ts";
import type { AnsweredHop, AnsweredQuote, ListedPool } from "./gateway-answers.ts";
import { readPools, stateText } from "./pools-at-block.ts";
import { askQuoters, type PathQuestion, type QuotingChain, quoterCall } from "./quoters.ts";

export interface QuoteAtBlock {
  chain: QuotingChain;
  rpcUrl: string;
  /** By address; all that the answer passes. */
  listed: ReadonlyMap<Address, ListedPool>;
  type: TradeType;
  answer: AnsweredQuote;
  blockHash: Hex;
}

export interface Finding {
  what: string;
  isSame: boolean;
  detail: string;
}

type Hops = readonly AnsweredHop[];

/** @throws Error when the node does not have the block, or a pool is not listed */
export async function findingsOf(quote: QuoteAtBlock): Promise<Finding[]> {
  const { answer, listed, rpcUrl, blockHash } = quote;
  const hops = [...new Map(answer.route.flat().map((hop) => [hop.address, hop])).values()];
  const passed = hops.map(({ address }) => {
    const pool = listed.get(address);
    if (!pool) throw new Error(`a quote passes ${address}, which the gateway does not list as a market`);
    return pool;
  });
  const pools = await readPools(rpcUrl, passed, { blockHash });
  const states = hops.map((hop): Finding => {
    const [shown, said] = [shownState(hop), stateText(pools.get(hop.address))];
    const what = `state of a ${hop.type.replace("-", " ")}`;
    return { what, isSame: shown === said, detail: `${hop.address}: quoted ${shown}, contract ${said}` };
  });
  return [...states, sumFinding(quote), ...(await pathFindings(quote, pools))];
}

function shownState(hop: AnsweredHop): string {
  const { type, reserve0, reserve1, unsynced0 = "0", unsynced1 = "0" } = hop;
  if (type === "v2-pool")
    return `reserves ${reserve0?.quotient} ${reserve1?.quotient} unsynced ${unsynced0} ${unsynced1}`;
  return `price ${hop.sqrtRatioX96} tick ${hop.tickCurrent} liquidity ${hop.liquidity}`;
}

function sumFinding({ answer, type }: QuoteAtBlock): Finding {
  const { amount, quote, route } = answer;
  const paths = route.map(amountsOf);
  const sums = [paths.reduce((sum, [taken]) => sum + taken, 0n), paths.reduce((sum, [, given]) => sum + given, 0n)];
  const stated = type === "exactIn" ? [amount, quote] : [quote, amount];
  return { what: "paths add up to the whole", isSame: sums.join() === stated.join(), detail: `${sums}, not ${stated}` };
}

const amountsOf = (hops: Hops): [amountIn: bigint, amountOut: bigint] => [
  BigInt(hops[0]?.amountIn ?? 0),
  BigInt(hops.at(-1)?.amountOut ?? 0),
];

/** For paths whose pools no earlier path of the route has moved. */
async function pathFindings(quote: QuoteAtBlock, pools: ReadonlyMap<Address, Pool>): Promise<Finding[]> {
  const { chain, type, listed } = quote;
  const findings: Finding[] = [];
  for (const hops of untouched(quote.answer.route)) {
    const path = hops.flatMap(({ address, tokenIn }): Step[] => {
      const pool = pools.get(address);
      return pool ? [{ pool, tokenIn: tokenIn.address }] : [];
    });
    const [amountIn, amountOut] = amountsOf(hops);
    const [amount, other] = type === "exactIn" ? [amountIn, amountOut] : [amountOut, amountIn];
    const question = { path, amount, type, factory: factoryOf(hops, listed) };
    if (!quoterCall(chain, question)) continue;
    const said = await askAlong(quote, question);
    const contract = typeof said === "bigint" ? String(said) : `refuses: ${said.refused}`;
    const detail = `${amount} along ${hops.map(({ address }) => address).join(" ")}: quoted ${other}, contract ${contract}`;
    const what = `path ${protocolOf(path.map(({ pool }) => pool.kind))} ${type}`;
    findings.push({ what, isSame: said === other, detail });
  }
  return findings;
}

/**
 * Quoters know only reserves. Where a path also sells tokens that lie in its pairs, each pool is asked by itself; for a pair, what
 * lies there is added to what is sold.
 */
async function askAlong(
  { chain, rpcUrl, blockHash }: QuoteAtBlock,
  question: PathQuestion,
): Promise<bigint | { refused: string }> {
  const { path, type } = question;
  const isWhole = type === "exactOut" || !path.some(({ pool }) => isUnsynced(pool));
  let { amount } = question;
  for (const part of isWhole ? [path] : path.map((step) => [step])) {
    const call = quoterCall(chain, { ...question, path: part, amount: amount + (isWhole ? 0n : unsyncedIn(part)) });
    const [said = { refused: "no quoter" }] = call ? await askQuoters(rpcUrl, [call], { blockHash }) : [];
    if (typeof said !== "bigint") return said;
    amount = said;
  }
  return amount;
}

function unsyncedIn([step]: readonly Step[]): bigint {
  if (step?.pool.kind !== "v2") return 0n;
  return (step.tokenIn === step.pool.token0 ? step.pool.unsynced0 : step.pool.unsynced1) ?? 0n;
}

/** Paths are carried out in their order: those that pass no pool of an earlier one. */
function untouched(route: readonly Hops[]): Hops[] {
  const moved = new Set<Address>();
  return route.filter((hops) => {
    const isFirst = hops.every(({ address }) => !moved.has(address));
    for (const { address } of hops) moved.add(address);
    return isFirst;
  });
}

function factoryOf(hops: Hops, listed: ReadonlyMap<Address, ListedPool>): Address {
  const v3 = hops.find(({ type }) => type === "v3-pool");
  return (v3 && listed.get(v3.address)?.factory) ?? "0x";
}
