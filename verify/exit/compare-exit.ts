// Compares what arrived with what was answered, way by way.
import type { Address } from "viem";
import type { Answer, Answers } from "./account-answers.ts";
import type { Holding } from "./account-holdings.ts";
import { type Announced, contractsBehind, tokensBehind } from "./announced-contracts.ts";
import { Overdrawn } from "./overdrawn.ts";
import type { Refusal, Trail, Unwound } from "./unwind.ts";
import { isDust } from "./ways/v2-pair.ts";

/** One token on one way. */
export interface Line {
  trail: Trail;
  token: Address;
  answered: bigint;
  /** The amount answered, before it was cut because contracts hold too little. */
  owed: bigint;
  received: bigint;
  contracts: number;
  /** In wei: one for what each contract pays, or where that is a share, what a wei of it is worth; and the rounding of a cut. */
  allowed: bigint;
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);
export const differenceOf = ({ owed, received }: Line): bigint => received - owed;
export const isWithin = (line: Line): boolean => size(differenceOf(line)) <= line.allowed;
export const isWithinOneWeiEach = (line: Line): boolean => size(differenceOf(line)) <= BigInt(line.contracts);

export interface ExitComparison {
  account: Address;
  block: number;
  /** Kinds of what the account holds, as the contracts say; one for each holding. */
  kinds: string[];
  /** How many tokens it has in its wallet, where contracts and answers agree that it has nothing else; else undefined. */
  inWalletAlone: number | undefined;
  lines: Line[];
  /** What could not be compared, and why; no fault of the answers. */
  skipped: string[];
  /** What was answered but could not be taken out. */
  stranded: string[];
  notes: string[];
}

/** Neither a difference beyond rounding nor anything stranded. */
export const isRight = ({ lines, stranded }: ExitComparison): boolean => stranded.length === 0 && lines.every(isWithin);

/**
 * 1 with anything wrong; 0 where all is right, or nobody has anything to take out but in wallets.
 * @throws Error when no amount was compared, nothing is stranded, and somebody has nothing even there
 */
export function exitCodeOf(comparisons: readonly ExitComparison[]): number {
  if (comparisons.some(({ lines, stranded }) => lines.length + stranded.length > 0))
    return comparisons.every(isRight) ? 0 : 1;
  if (comparisons.some(({ skipped }) => skipped.length > 0))
    throw new Error("nothing was verified: everything was skipped, as it says above");
  if (comparisons.length > 0 && comparisons.every(({ inWalletAlone }) => inWalletAlone !== undefined)) return 0;
  throw new Error("nothing was verified: there is nothing to take out, nor in a wallet");
}

export interface Taken {
  holding: Holding;
  unwound: Unwound;
}

interface Question {
  account: Address;
  block: number;
  announced: Announced;
  /** Contracts that owe more than they hold. */
  overdrawn?: Overdrawn;
  /** Contracts about whose holdings answers say nothing. */
  incomplete?: ReadonlySet<string>;
}

export function compareExit(question: Question, taken: readonly Taken[], answered: Answers): ExitComparison {
  const comparison: ExitComparison = {
    account: question.account,
    block: question.block,
    kinds: taken.map(({ holding }) => holding.kind),
    inWalletAlone:
      taken.length + answered.answers.length === 0 && answered.inWallet > 0 ? answered.inWallet : undefined,
    lines: [],
    skipped: [],
    stranded: [],
    notes: taken.flatMap(({ unwound }) => unwound.notes),
  };
  const overdrawn = question.overdrawn ?? new Overdrawn([]);
  const comparable = new Comparable({ ...question, overdrawn }, answered);
  const answers = withoutCutOff(comparison, taken, comparable);
  for (const line of linesOf(answers, taken, overdrawn)) {
    const why = whyNot(answered, line) ?? comparable.silenceOn(line);
    if (why === undefined || (isWithin(line) && !answered.unanswered.has(line.token))) comparison.lines.push(line);
    else comparison.skipped.push(`${shown(line.trail)}: ${line.received} of ${line.token} arrived; ${why}`);
  }
  return comparison;
}

/** Why a difference would say nothing. */
const whyNot = ({ unanswered, flagged }: Answers, { token }: Line): string | undefined =>
  unanswered.get(token) ?? (flagged.has(token) ? "it drifts" : undefined);

/** Notes what cannot be compared; returns the answers that can. */
function withoutCutOff(
  { skipped, stranded }: ExitComparison,
  taken: readonly Taken[],
  comparable: Comparable,
): readonly Answer[] {
  for (const { unwound } of taken) {
    for (const trail of unwound.cycles)
      skipped.push(`${shown(trail)} closes a cycle; answered beyond it: ${comparable.cutOff(trail)}`);
    for (const refusal of unwound.refused) {
      const { trail, reason } = refusal;
      const why = comparable.excuseFor(refusal);
      const list = why === undefined ? stranded : skipped;
      list.push(
        `${shown(trail)}: ${[reason, ...(why ? [why] : [])].join("; ")}; answered: ${comparable.cutOff(trail)}`,
      );
    }
  }
  return comparable.answers;
}

export const shown = (trail: Trail): string => trail.join(" → ");

function linesOf(answers: readonly Answer[], taken: readonly Taken[], overdrawn: Overdrawn): Line[] {
  const keyOf = (token: Address, trail: Trail): string => `${token} ${trail.join()}`;
  const lines = new Map<string, Line>();
  for (const { token, trail, amount, contracts, paths } of answers) {
    const claims = paths.map((one) => overdrawn.claimBehind(one));
    const owed = claims.reduce((sum, { claim }) => sum + claim, 0n);
    const allowed = claims.reduce((sum, { blur }) => sum + blur, BigInt(contracts));
    lines.set(keyOf(token, trail), { trail, token, answered: amount, owed, received: 0n, contracts, allowed });
  }
  for (const { token, trail, amount, contracts, coarseness } of taken.flatMap(({ unwound }) => unwound.arrivals)) {
    const line = lines.get(keyOf(token, trail)) ?? {
      trail,
      token,
      answered: 0n,
      owed: 0n,
      received: 0n,
      contracts,
      allowed: BigInt(contracts),
    };
    const allowed = line.allowed + coarseness;
    lines.set(keyOf(token, trail), { ...line, received: line.received + amount, allowed });
  }
  return [...lines.values()];
}

/** The answers that can be compared with something. */
class Comparable {
  answers: readonly Answer[];
  readonly #announced: Announced;
  readonly #odd: ReadonlySet<Address>;
  readonly #overdrawn: Overdrawn;
  readonly #incomplete: ReadonlySet<string>;

  constructor(
    { announced, overdrawn, incomplete = new Set() }: Question & { overdrawn: Overdrawn },
    { answers, unanswered, flagged }: Answers,
  ) {
    this.answers = answers;
    this.#announced = announced;
    this.#odd = new Set([...unanswered.keys(), ...flagged]);
    this.#overdrawn = overdrawn;
    this.#incomplete = incomplete;
  }

  /** Drops the answers on ways that begin like `start`, and says which they were. */
  cutOff(start: Trail): string {
    const isBehind = ({ trail }: Answer) => start.every((asset, i) => trail[i] === asset);
    const behind = this.answers.filter(isBehind);
    this.answers = this.answers.filter((answer) => !isBehind(answer));
    return behind.map(({ token, amount }) => `${amount} of ${token}`).join(", ") || "nothing";
  }

  /** Why more may arrive than was answered: answers leave out what a contract on the way holds. */
  silenceOn({ trail, owed, received }: Pick<Line, "trail" | "owed" | "received">): string | undefined {
    const passed = trail.flatMap((asset) => contractsBehind(this.#announced, asset));
    const silent = received < owed ? undefined : passed.find((contract) => this.#incomplete.has(contract));
    return silent === undefined ? undefined : `what ${silent} holds cannot be attributed to accounts`;
  }

  /** Why the refusal does not make any answer wrong; undefined where there is no such reason. */
  excuseFor({ trail, reason, through, fault }: Refusal): string | undefined {
    if (isDust(reason)) return "dust";
    if (fault !== undefined) return fault;
    const overdrawn = through.find((contract) => this.#overdrawn.has(contract));
    if (overdrawn !== undefined)
      return `${overdrawn} owes more than it holds, and pays claims in full until nothing is left`;
    const odd = tokensBehind(this.#announced, trail.at(-1) ?? "").find((token) => this.#odd.has(token));
    return odd === undefined
      ? this.silenceOn({ trail, owed: 0n, received: 0n })
      : `the balances of ${odd} are unknown, or drift`;
  }
}
