// One answer of /router/quote against the contracts at the block that it names: every pool that it passes, and every path.
import type { Address, Hex } from "viem";
import type { Pool, Step } from "../../core/router/pool.ts";
import { protocolOf, type TradeType } from "../../core/router/request.ts";
import type { AnsweredHop, AnsweredQuote, ListedPool } from "./gateway-answers.ts";
import { readPools, stateText } from "./pools-at-block.ts";
import { askQuoters, type QuotingChain, quoterCall } from "./quoters.ts";

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
    if (!pool) throw new Error(`a quote passes ${address}, which no market is`);
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

const shownState = ({ type, reserve0, reserve1, sqrtRatioX96, tickCurrent, liquidity }: AnsweredHop): string =>
  type === "v2-pool"
    ? `reserves ${reserve0?.quotient} ${reserve1?.quotient}`
    : `price ${sqrtRatioX96} tick ${tickCurrent} liquidity ${liquidity}`;

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

/** Of paths before which no other has moved one of their pools. */
async function pathFindings(quote: QuoteAtBlock, pools: ReadonlyMap<Address, Pool>): Promise<Finding[]> {
  const { chain, rpcUrl, type, blockHash, listed } = quote;
  const calls = untouched(quote.answer.route).flatMap((hops) => {
    const path = hops.flatMap(({ address, tokenIn }): Step[] => {
      const pool = pools.get(address);
      return pool ? [{ pool, tokenIn: tokenIn.address }] : [];
    });
    const [amountIn, amountOut] = amountsOf(hops);
    const [amount, other] = type === "exactIn" ? [amountIn, amountOut] : [amountOut, amountIn];
    const call = quoterCall(chain, { path, amount, type, factory: factoryOf(hops, listed) });
    const what = `path ${protocolOf(path.map(({ pool }) => pool.kind))} ${type}`;
    return call ? [{ call, what, other, text: `${amount} along ${hops.map(({ address }) => address).join(" ")}` }] : [];
  });
  const said = await askQuoters(
    rpcUrl,
    calls.map(({ call }) => call),
    { blockHash },
  );
  return calls.map(({ what, other, text }, i) => {
    const answer = said[i];
    const contract = typeof answer === "bigint" ? String(answer) : `refuses: ${answer?.refused}`;
    return { what, isSame: answer === other, detail: `${text}: quoted ${other}, contract ${contract}` };
  });
}

/** Paths are carried out in their order. */
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
