// Takes a holding apart down to plain tokens, one contract after the other, and records what arrived on which way.
import type { Address } from "viem";
import { type Holding, wayOutOfShares } from "./account-holdings.ts";
import { type Announced, type AnnouncedContract, tokensBehind } from "./announced-contracts.ts";
import { type ChainCopy, RefusedError } from "./chain-copy.ts";
import { paymentFault } from "./payment-fault.ts";
import { takeAndMeasure, type WayOut } from "./way-out.ts";

/** What was taken apart, the holding first, then every share that came out of it. */
export type Trail = readonly string[];

export interface Arrival {
  trail: Trail;
  token: Address;
  amount: bigint;
  /** Contracts passed on the trail. */
  contracts: number;
  /** In wei of the token: by how much a wei of each share that came out on the trail is worth more than one wei. */
  coarseness: bigint;
}

export interface Refusal {
  trail: Trail;
  reason: string;
  /** Contracts that would have been passed. */
  through: readonly Address[];
  /** What is wrong with a token that cannot be paid. */
  fault: string | undefined;
}

export interface Unwound {
  arrivals: Arrival[];
  /** Shares left alone: their contracts had been passed already. */
  cycles: Trail[];
  /** What contracts refused to give, and their messages. */
  refused: Refusal[];
  notes: string[];
}

interface Step {
  way: WayOut;
  trail: Trail;
  passed: ReadonlySet<Address>;
  /** Shares that came out earlier, each with the number of contracts that have rounded it. */
  shares: readonly { amount: bigint; contracts: number }[];
}

interface Walk {
  copy: ChainCopy;
  account: Address;
  announced: Announced;
  /** By share token. */
  issuers: ReadonlyMap<Address, AnnouncedContract>;
  unwound: Unwound;
}

/** Everything that `holding` stands for at the copy's block. Afterwards the copy is as it was before. */
export function unwind(
  copy: ChainCopy,
  { account, announced, holding }: { account: Address; announced: Announced; holding: Holding },
): Promise<Unwound> {
  const made = announced.contracts.filter(({ since }) => since <= copy.block);
  const issuers = new Map(made.map((contract) => [contract.address, contract]));
  const unwound: Unwound = { arrivals: [], cycles: [], refused: [], notes: [] };
  const walk: Walk = { copy, account, announced, issuers, unwound };
  return copy.apart(async () => {
    await follow(walk, { way: holding.way, trail: [holding.id], passed: new Set(), shares: [] });
    return walk.unwound;
  });
}

async function follow(walk: Walk, { way, trail, passed, shares }: Step): Promise<void> {
  const { copy, account, issuers, unwound } = walk;
  if (way.through.some((contract) => passed.has(contract))) {
    unwound.cycles.push(trail);
    return;
  }
  const arrived = await takeAndMeasure(copy, account, way).catch(async (error: unknown) => {
    if (!(error instanceof RefusedError)) throw error;
    const fault = await paymentFault(copy, { account, way }, tokensBehind(walk.announced, trail.at(-1) ?? ""));
    unwound.refused.push({ trail, reason: error.message, through: way.through, fault });
    return undefined;
  });
  if (!arrived) return;
  unwound.notes.push(...arrived.notes);
  const passedNow = new Set([...passed, ...way.through]);
  for (const [token, amount] of arrived.counted)
    unwound.arrivals.push({
      trail,
      token,
      amount,
      contracts: passedNow.size,
      coarseness: coarsenessOf(amount, shares),
    });
  for (const [token, amount] of arrived.amounts) {
    const issuer = issuers.get(token);
    const next = issuer && wayOutOfShares(issuer, amount);
    if (!next) continue;
    const came = { amount, contracts: way.through.length };
    const onward = { trail: [...trail, `erc20:${token}`], passed: passedNow, shares: [...shares, came] };
    await follow(walk, { way: next, ...onward });
  }
}

const coarsenessOf = (amount: bigint, shares: Step["shares"]): bigint =>
  shares.reduce((sum, share) => {
    const perShare = (amount + share.amount - 1n) / share.amount;
    return perShare > 1n ? sum + (perShare - 1n) * BigInt(share.contracts) : sum;
  }, 0n);
