// Compares one token's served answers with its contract, block by block, and says what any difference means.
import type { Address } from "viem";
import { ZERO_ADDRESS } from "../core/zero-address.ts";
import type { ContractAnswer, Contracts } from "./contract-answers.ts";
import { openRecount, type Recount } from "./event-recount.ts";
import { sampleBlocks } from "./sample-blocks.ts";
import type { Served, ServedAnswer, ServedToken } from "./served-answers.ts";

const STRANGERS = 3;
/** For this many accounts the answer to `users=` is compared, too. */
const QUERIED_BY_NAME = 25;
const MOST_NOTED = 10;

export type Verdict = "exact" | "drift" | "unreadable" | "quarantined" | "WRONG";

export interface Difference {
  block: number;
  /** `totalSupply`, an account, or another sum that must add up. */
  what: string;
  served: bigint;
  contract: ContractAnswer;
}

export interface TokenReport {
  token: ServedToken;
  /** The block at which an earlier run has flagged the token as drifting; a comparison at sampled blocks has it among them. */
  flagged: number | undefined;
  verdict: Verdict;
  /** First and last block compared, and how many. */
  blocks: number[];
  accounts: number;
  comparisons: number;
  /** How many numbers differ; the first few in `noted`. */
  differences: number;
  /** The first difference that is not with a contract: answers that contradict each other. */
  contradiction: string | undefined;
  noted: Difference[];
  /** The first difference where the contract answers with a number; its block is the one that is flagged. */
  readable: Difference | undefined;
  /** By block, ascending: its hash, and the first number that differs there. */
  differing: Map<number, { blockHash: string | undefined; first: Difference }>;
  /** Sum of all differences, raw units. */
  weiOff: bigint;
  detail: string;
}

export interface Comparison {
  served: Served;
  contracts: Contracts;
  /** The first block that is indexed, and the last that is compared. */
  start: number;
  head: number;
  /** The first block that may be picked. */
  first: number;
  isWeth9(token: Address): boolean;
  random: () => number;
  samples: number;
  /** Instead of samples. */
  block: number | undefined;
  /** At most this many accounts, picked at random. */
  accounts: number | undefined;
}

/** @throws Error when the node and the product have different blocks of the same number, before or after they were asked */
export async function compareToken(comparison: Comparison, token: ServedToken): Promise<TokenReport> {
  const report: TokenReport = {
    token,
    flagged: undefined,
    verdict: "exact",
    blocks: [],
    accounts: 0,
    comparisons: 0,
    differences: 0,
    contradiction: undefined,
    noted: [],
    readable: undefined,
    differing: new Map(),
    weiOff: 0n,
    detail: "",
  };
  if (token.quarantine !== undefined) return { ...report, verdict: "quarantined", detail: token.quarantine };
  const past = await comparison.served.pastOf(token.address);
  report.flagged = await comparison.served.driftOf(token.address);
  report.blocks = blocksFor(comparison, past, report.flagged);
  const accounts = accountsFor(comparison, past.accounts);
  report.accounts = accounts.length;
  for (const block of report.blocks) await compareBlock(comparison, { report, block, accounts });
  return report.differences === 0 ? report : await explain(comparison, report);
}

function blocksFor(
  { block, first: start, head, samples, random }: Comparison,
  past: { first: number; last: number },
  flagged: number | undefined,
): number[] {
  if (block !== undefined) return [block];
  const within = (place: number) => Math.max(start, Math.min(place, head));
  const life = { start, first: within(past.first), last: within(past.last), head };
  const blocks = new Set(sampleBlocks(life, samples, random));
  if (flagged !== undefined && flagged >= start && flagged <= head) blocks.add(flagged);
  return [...blocks].sort((a, b) => a - b);
}

/** The accounts to compare, some that never held anything, and always the zero address last. */
function accountsFor({ accounts, random }: Comparison, everHeld: readonly Address[]): Address[] {
  const holders = everHeld.filter((account) => account !== ZERO_ADDRESS);
  const picked = accounts === undefined || accounts >= holders.length ? holders : pick(holders, accounts, random);
  const strangers = Array.from({ length: STRANGERS }, () => randomAddress(random));
  return [...picked, ...strangers, ZERO_ADDRESS];
}

const randomAddress = (random: () => number): Address =>
  `0x${Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join("")}`;

function pick<T>(items: readonly T[], count: number, random: () => number): T[] {
  const rest = [...items];
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(Math.floor(random() * rest.length), 1),
  ).flat();
}

async function compareBlock(
  comparison: Comparison,
  task: { report: TokenReport; block: number; accounts: Address[] },
): Promise<void> {
  const { served, contracts, random } = comparison;
  const { report, block } = task;
  const { address } = report.token;
  const answer = await served.holdersAt(address, block);
  // Where history was pruned, those who held the token only before that are not among the task's.
  const others = comparison.accounts === undefined ? answer.holdings.keys() : [];
  const accounts = [...new Set([...others, ...task.accounts])];
  await contracts.requireSameBlock(block, answer.blockHash);
  const byName = pick(
    accounts.filter((account) => account !== ZERO_ADDRESS && !answer.issuers.has(account)),
    QUERIED_BY_NAME,
    random,
  );
  const named = await served.accountsAt(address, block, byName);
  const contract = await contracts.answersAt({ token: address, block, accounts });
  // Both were asked by number: a reorg in between would look like a difference.
  await contracts.requireSameBlock(block, answer.blockHash);
  const note = (what: string, value: bigint, truth: ContractAnswer) => {
    report.comparisons += 1;
    if (value !== truth) noteDifference(report, { block, what, served: value, contract: truth }, answer.blockHash);
  };
  note("totalSupply", answer.supply, contract.supply);
  const agree = (what: string, value: bigint, other: bigint) => {
    note(what, value, other);
    if (value !== other) report.contradiction ??= `${what} at block ${block}: ${value}, but ${other} elsewhere`;
  };
  agree("accounts and unattributed together", answer.accountedFor, answer.supply);
  agree(...writtenByRest("all holders", answer), 0n);
  agree(...writtenByRest("users=", named), 0n);
  for (const [account, amount] of answer.holdings)
    if (!answer.issuers.has(account)) agree(`${account} (balance)`, answer.wallets.get(account) ?? 0n, amount);
  for (const [i, account] of accounts.entries())
    note(account, heldBy(answer, account), contract.balances[i] ?? "unreadable");
  for (const account of byName) {
    const amount = named.wallets.get(account);
    const what = `${account} (${amount === undefined ? "left out of " : ""}users=)`;
    note(what, amount ?? -1n, contract.balances[accounts.indexOf(account)] ?? "unreadable");
    agree(`${what} and all holders`, amount ?? -1n, heldBy(answer, account));
  }
}

/** Entries that REST writes otherwise: 1 stands for the first one and all after it. */
const writtenByRest = (question: string, { restDiffers }: Pick<ServedAnswer, "restDiffers">): [string, bigint] =>
  restDiffers === undefined
    ? [`entries of ${question} that REST writes otherwise`, 0n]
    : [`entries of ${question} that REST writes otherwise, first ${restDiffers};`, 1n];

function noteDifference(report: TokenReport, difference: Difference, blockHash: string | undefined): void {
  const { block, served, contract } = difference;
  report.differences += 1;
  if (contract !== "unreadable") {
    report.weiOff += served > contract ? served - contract : contract - served;
    report.readable ??= difference;
  }
  if (!report.differing.has(block)) report.differing.set(block, { blockHash, first: difference });
  if (report.noted.length < MOST_NOTED) report.noted.push(difference);
}

/** The zero address is nobody's account: what the supply holds beyond all accounts must be there. */
function heldBy({ holdings, supply }: ServedAnswer, account: Address): bigint {
  if (account !== ZERO_ADDRESS) return holdings.get(account) ?? 0n;
  let rest = supply;
  for (const amount of holdings.values()) rest -= amount;
  return rest;
}

/** Does the contract disagree with its own events, or do we? The logs are counted again up to each block that differs. */
async function explain(comparison: Comparison, report: TokenReport): Promise<TokenReport> {
  const { served, contracts, start } = comparison;
  const { address } = report.token;
  if (report.contradiction !== undefined) return { ...report, verdict: "WRONG", detail: report.contradiction };
  const recount = openRecount(contracts.client, {
    token: address,
    isWeth9: comparison.isWeth9(address),
    from: start,
  });
  for (const [block, { blockHash, first }] of report.differing) {
    const answer = await served.holdersAt(address, block);
    const events = await recount.upTo(block);
    for (const hash of new Set([blockHash, answer.blockHash])) await contracts.requireSameBlock(block, hash);
    if (!isFaithful(answer, events))
      return { ...report, verdict: "WRONG", detail: `${textOf(first)}; its events say otherwise than we do` };
  }
  const { readable, noted } = report;
  const [first] = noted;
  if (!readable) return { ...report, verdict: "unreadable", detail: first ? textOf(first) : "" };
  return { ...report, verdict: "drift", detail: `${textOf(readable)}; its events add up to what is served` };
}

/** Whether the answer says what the events do; the zero address is nobody's account. */
function isFaithful(answer: ServedAnswer, events: Recount): boolean {
  const counted = [...events.holdings].filter(([account]) => account !== ZERO_ADDRESS);
  return (
    events.supply === answer.supply &&
    counted.length === answer.holdings.size &&
    counted.every(([account, amount]) => answer.holdings.get(account) === amount)
  );
}

const textOf = ({ block, what, served, contract }: Difference): string =>
  `${what} at block ${block}: served ${served}, contract ${contract}`;
