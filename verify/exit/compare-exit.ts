// Holds what arrived against what was answered, way by way.
import type { Address } from "viem";
import type { Answer, Answers } from "./account-answers.ts";
import type { Holding } from "./account-holdings.ts";
import { type Announced, tokensBehind } from "./announced-contracts.ts";
import type { Trail, Unwound } from "./unwind.ts";
import { isDust } from "./ways/v2-pair.ts";

/** One token on one way. */
export interface Line {
  trail: Trail;
  token: Address;
  answered: bigint;
  received: bigint;
  contracts: number;
  /** Those that the answer names. */
  through: Answer["through"];
  /** In wei: one of what each contract pays; where that is a share, what the share is worth. */
  allowed: bigint;
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);
export const differenceOf = ({ answered, received }: Line): bigint => received - answered;
export const isWithin = (line: Line): boolean => size(differenceOf(line)) <= line.allowed;
export const isWithinOneWeiEach = (line: Line): boolean => size(differenceOf(line)) <= BigInt(line.contracts);

export interface ExitComparison {
  account: Address;
  block: number;
  /** Kinds of what the account holds, as the contracts say; one for each holding. */
  kinds: string[];
  lines: Line[];
  /** What could not be compared, and why; no fault of the answers. */
  skipped: string[];
  /** What was answered but could not be taken out. */
  stranded: string[];
  notes: string[];
}

/** Neither a difference beyond rounding nor anything stranded. */
export const isRight = ({ lines, stranded }: ExitComparison): boolean => stranded.length === 0 && lines.every(isWithin);

export interface Taken {
  holding: Holding;
  unwound: Unwound;
}

interface Question {
  account: Address;
  block: number;
  announced: Announced;
}

export function compareExit(question: Question, taken: readonly Taken[], answered: Answers): ExitComparison {
  const comparison: ExitComparison = {
    account: question.account,
    block: question.block,
    kinds: taken.map(({ holding }) => holding.kind),
    lines: [],
    skipped: [],
    stranded: [],
    notes: taken.flatMap(({ unwound }) => unwound.notes),
  };
  const answers = withoutCutOff(comparison, taken, new Comparable(question.announced, answered));
  for (const line of linesOf(answers, taken)) {
    const why = whyNot(answered, line);
    if (why === undefined || (isWithin(line) && !answered.untold.has(line.token))) comparison.lines.push(line);
    else comparison.skipped.push(`${shown(line.trail)}: ${line.received} of ${line.token} arrived; ${why}`);
  }
  return comparison;
}

/** Why a difference would say nothing. */
const whyNot = ({ untold, flagged, overdrawn }: Answers, { token, through }: Line): string | undefined =>
  untold.get(token) ?? (flagged.has(token) ? "it drifts" : owing(overdrawn, through));

function owing(overdrawn: Answers["overdrawn"], through: Answer["through"]): string | undefined {
  const contract = [...through].find((one) => overdrawn.has(one));
  return contract === undefined ? undefined : `${contract} owes more than it holds, and pays who comes first`;
}

/** Says what cannot be compared; gives back the answers that can. */
function withoutCutOff(
  { skipped, stranded }: ExitComparison,
  taken: readonly Taken[],
  comparable: Comparable,
): readonly Answer[] {
  for (const { unwound } of taken) {
    for (const trail of unwound.cycles)
      skipped.push(`${shown(trail)} closes a cycle; answered behind it: ${comparable.cutOff(trail)}`);
    for (const { trail, reason } of unwound.refused) {
      const list = comparable.isForgiven(trail, reason) ? skipped : stranded;
      list.push(`${shown(trail)}: ${reason}; answered: ${comparable.cutOff(trail)}`);
    }
  }
  return comparable.answers;
}

export const shown = (trail: Trail): string => trail.join(" → ");

const NONE: Answer["through"] = new Set();

function linesOf(answers: readonly Answer[], taken: readonly Taken[]): Line[] {
  const keyOf = (token: Address, trail: Trail): string => `${token} ${trail.join()}`;
  const lines = new Map<string, Line>();
  for (const { token, trail, amount, contracts, through } of answers) {
    const line = { trail, token, answered: amount, received: 0n, contracts, through, allowed: BigInt(contracts) };
    lines.set(keyOf(token, trail), line);
  }
  for (const { token, trail, amount, contracts, coarseness } of taken.flatMap(({ unwound }) => unwound.arrivals)) {
    const line = lines.get(keyOf(token, trail)) ?? {
      trail,
      token,
      answered: 0n,
      received: 0n,
      contracts,
      through: NONE,
    };
    const allowed = BigInt(line.contracts) + coarseness;
    lines.set(keyOf(token, trail), { ...line, received: line.received + amount, allowed });
  }
  return [...lines.values()];
}

/** The answers that there is something to compare with. */
class Comparable {
  answers: readonly Answer[];
  readonly #announced: Announced;
  readonly #odd: ReadonlySet<Address>;
  readonly #overdrawn: Answers["overdrawn"];

  constructor(announced: Announced, { answers, untold, flagged, overdrawn }: Answers) {
    this.answers = answers;
    this.#announced = announced;
    this.#odd = new Set([...untold.keys(), ...flagged]);
    this.#overdrawn = overdrawn;
  }

  /** Drops what was answered on ways that begin like `start`, and says what that was. */
  cutOff(start: Trail): string {
    const isBehind = ({ trail }: Answer) => start.every((asset, i) => trail[i] === asset);
    const behind = this.answers.filter(isBehind);
    this.answers = this.answers.filter((answer) => !isBehind(answer));
    return behind.map(({ token, amount }) => `${amount} of ${token}`).join(", ") || "nothing";
  }

  /** A pair's dust, contracts over a token that cannot be told, or ones that owe more than they hold. */
  isForgiven(trail: Trail, reason: string): boolean {
    const tokens = tokensBehind(this.#announced, trail.at(-1) ?? "");
    const issuer = trail.at(-1)?.split(":")[1] ?? "";
    return isDust(reason) || this.#overdrawn.has(issuer) || tokens.some((token) => this.#odd.has(token));
  }
}
