// What the chain says, branch by branch: the holdings after each block, computed only from the logs of that branch.
// Deliberately another method than the product's: no SQL, no intervals, one map after another.
import type { Hex } from "viem";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";

export interface LogEntry {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

export type Holdings = ReadonlyMap<string, bigint>;

export interface BranchBlock {
  number: number;
  hash: Hex;
  logs: readonly LogEntry[];
  /** Token to (account to amount) after this block; zero amounts are absent. */
  holdings: ReadonlyMap<string, Holdings>;
  /** Milliseconds since the epoch between which this block was part of the chain. */
  since: number;
  until: number;
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const DEPOSIT = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const WITHDRAWAL = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";
const accountOf = (topic: Hex | undefined): string => `0x${(topic ?? "").slice(26)}`;

/** Which fact table a log belongs to; undefined for logs that are not facts. */
export function factTableOf({
  topics,
  data,
}: LogEntry): "erc20_transfer" | "weth9_deposit" | "weth9_withdrawal" | undefined {
  if (topics[0] === TRANSFER && topics.length === 3 && data.length === 66) return "erc20_transfer";
  if (topics[0] === DEPOSIT) return "weth9_deposit";
  if (topics[0] === WITHDRAWAL) return "weth9_withdrawal";
  return undefined;
}

/** What the fact of a log says: addresses and amount in order, separated by spaces. */
export const factTextOf = ({ address, topics, data }: LogEntry): string =>
  [address.toLowerCase(), ...topics.slice(1).map(accountOf), BigInt(data)].join(" ");

/** Signed changes of one log: [account, change] pairs. */
function changesOf(log: LogEntry): [string, bigint][] {
  const amount = BigInt(log.data);
  switch (factTableOf(log)) {
    case "erc20_transfer": {
      const [from, to] = [accountOf(log.topics[1]), accountOf(log.topics[2])];
      const changes: [string, bigint][] = [];
      if (from !== ZERO_ADDRESS) changes.push([from, -amount]);
      if (to !== ZERO_ADDRESS || from === ZERO_ADDRESS) changes.push([to, amount]);
      return changes;
    }
    case "weth9_deposit":
      return [[accountOf(log.topics[1]), amount]];
    case "weth9_withdrawal":
      return [[accountOf(log.topics[1]), -amount]];
    default:
      return [];
  }
}

function applied(before: ReadonlyMap<string, Holdings>, logs: readonly LogEntry[]): ReadonlyMap<string, Holdings> {
  const after = new Map(before);
  const touched = new Map<string, Map<string, bigint>>();
  for (const log of logs) {
    const token = log.address.toLowerCase();
    let accounts = touched.get(token);
    if (!accounts) {
      accounts = new Map(before.get(token));
      touched.set(token, accounts);
      after.set(token, accounts);
    }
    for (const [account, change] of changesOf(log)) {
      const amount = (accounts.get(account) ?? 0n) + change;
      if (amount === 0n) accounts.delete(account);
      else accounts.set(account, amount);
    }
  }
  return after;
}

/** Milliseconds since the epoch. */
export interface AnswerTime {
  from: number;
  to: number;
  graceMs: number;
  settledAt: number;
}

export class BranchHistory {
  /** Every block that ever existed, by number; the last one of each number is the present one unless it was cut. */
  readonly blocks: BranchBlock[][] = [];

  append(number: number, { hash, logs, since }: { hash: Hex; logs: readonly LogEntry[]; since: number }): void {
    const parent = number === 0 ? undefined : this.at(number - 1);
    const holdings = applied(parent?.holdings ?? new Map(), logs);
    const versions = this.blocks[number] ?? [];
    versions.push({ number, hash, logs, holdings, since, until: Number.POSITIVE_INFINITY });
    this.blocks[number] = versions;
  }

  /** Blocks above `number` leave the chain now. */
  cut(number: number): void {
    for (const versions of this.blocks.slice(number + 1))
      for (const block of versions) block.until = Math.min(block.until, Date.now());
  }

  /** The present block of that number. @throws Error when there is none */
  at(number: number): BranchBlock {
    const block = this.blocks[number]?.findLast(({ until }) => until === Number.POSITIVE_INFINITY);
    if (!block) throw new Error(`block ${number} is not on the chain`);
    return block;
  }

  /**
   * Blocks of that number that the answer to a request lasting from `from` to `to` may describe: those on the chain at some moment of
   * it, or replaced at most `graceMs` before it, unless the product was seen to have followed (`settledAt`) since.
   */
  during(number: number, { from, to, graceMs, settledAt }: AnswerTime): BranchBlock[] {
    return (this.blocks[number] ?? []).filter(
      ({ since, until }) => since <= to && until >= from - graceMs && !(until < settledAt && settledAt < from),
    );
  }

  /** Present blocks in order. */
  present(): BranchBlock[] {
    return this.blocks.flatMap((versions) => versions.filter(({ until }) => until === Number.POSITIVE_INFINITY));
  }
}
