// What rules see of a chain. A rule asks for readings and draws conclusions. A reading that does not exist yet is `unknown` to
// the rule and is noted. All noted readings are read in one request, and the rules run again until nothing is noted.
import type { Hex } from "viem";
import { hexToString, toFunctionSelector } from "viem/utils";
import type { Answer, Question } from "./node.ts";

export type Address = `0x${string}`;

export type Reading<T> =
  | { kind: "value"; value: T }
  /** The contract does not answer this: it is of another kind. */
  | { kind: "absent" }
  /** Not read: `why` is undefined where another finding already gives the reason, or where the reading is still to come. */
  | { kind: "unknown"; why: string | undefined };

const unread: { kind: "unknown"; why: undefined } = { kind: "unknown", why: undefined };

/** Decodes a view's answer; undefined: the answer is not of this kind. */
export type Decoder<T> = (data: Hex) => T | undefined;

export class Readings {
  /** The newest block. */
  readonly head: number;
  readonly #answers = new Map<string, Answer>();
  readonly #wanted = new Map<string, Question>();

  constructor(head: number) {
    this.head = head;
  }

  /** The questions that rules have asked and that have no answer yet, each once. */
  get wanted(): Question[] {
    return [...this.#wanted.values()];
  }

  /** `answers` belong to `questions`, in the same order. */
  add(questions: readonly Question[], answers: readonly Answer[]): void {
    for (const [index, question] of questions.entries()) {
      const key = JSON.stringify(question);
      this.#answers.set(key, answers[index] ?? { kind: "trouble", message: "no answer", mayPass: false });
      this.#wanted.delete(key);
    }
  }

  /** Any question; an answer counts as a value whatever it is. */
  ask(method: string, params: readonly unknown[]): Reading<unknown> {
    const question = { method, params };
    const key = JSON.stringify(question);
    const answer = this.#answers.get(key);
    if (answer === undefined) {
      this.#wanted.set(key, question);
      return unread;
    }
    if (answer.kind === "trouble") return { kind: "unknown", why: answer.message };
    return answer.kind === "revert" ? { kind: "absent" } : answer;
  }

  /** `0x` where there is none. */
  code(address: Address, block: number | "latest" = "latest"): Reading<Hex> {
    const at = block === "latest" ? block : quantity(block);
    const reading = this.ask("eth_getCode", [address, at]);
    if (reading.kind !== "value") return reading;
    const { value } = reading;
    return typeof value === "string" && value.startsWith("0x")
      ? { kind: "value", value: value as Hex }
      : { kind: "unknown", why: "eth_getCode answers no code" };
  }

  /**
   * What a view answers at the head. It is named by its signature, with its argument where it has one. At an address without
   * code every view is unknown: one finding says that there is no contract.
   */
  view<T>(to: Address, call: string | readonly [string, Address | number], decode: Decoder<T>): Reading<T> {
    const [signature, argument] = typeof call === "string" ? [call] : call;
    const data = toFunctionSelector(signature) + (argument === undefined ? "" : wordOf(argument));
    const code = this.code(to);
    const reading = this.ask("eth_call", [{ to, data }, "latest"]);
    if (code.kind !== "value" || code.value === "0x") return unread;
    if (reading.kind !== "value") return reading;
    const value = typeof reading.value === "string" ? decode(reading.value as Hex) : undefined;
    return value === undefined ? { kind: "absent" } : { kind: "value", value };
  }
}

export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;

const wordOf = (value: Address | number): string =>
  (typeof value === "number" ? value.toString(16) : value.slice(2)).padStart(64, "0");

const WORD_CHARACTERS = 66;

export const asNumber: Decoder<bigint> = (data) =>
  data.length >= WORD_CHARACTERS ? BigInt(data.slice(0, WORD_CHARACTERS)) : undefined;

export const asAddress: Decoder<Address> = (data) => {
  const number = asNumber(data);
  return number === undefined || number >= 2n ** 160n ? undefined : `0x${number.toString(16).padStart(40, "0")}`;
};

/** A `string`, or the `bytes32` of early tokens. */
export const asText: Decoder<string> = (data) => {
  const first = asNumber(data);
  if (first === undefined) return undefined;
  if (data.length === WORD_CHARACTERS) return hexToString(data).replace(/\0+$/, "");
  const length = asNumber(`0x${data.slice(WORD_CHARACTERS)}`);
  if (first !== 32n || length === undefined || length > BigInt(data.length)) return undefined;
  const from = 2 + 128;
  return hexToString(`0x${data.slice(from, from + 2 * Number(length))}`);
};
