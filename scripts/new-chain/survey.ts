// What the contracts of a new chain say of themselves. What they do not say becomes a problem, named by its option.
import { readCreation } from "../../chains/check/creation.ts";
import {
  type Address,
  asAddress,
  asNumber,
  asText,
  type Decoder,
  type Reading,
  type Readings,
} from "../../chains/check/readings.ts";
import { readWrapping } from "../../chains/check/wrapping.ts";

/** A contract and the option that named it, or led to it. */
export interface Given {
  address: Address;
  option: string;
}

export const NO_ADDRESS: Address = `0x${"0".repeat(40)}`;

export class Survey {
  readonly on: Readings;
  readonly problems: string[] = [];
  #oldest: number;

  constructor(on: Readings) {
    this.on = on;
    this.#oldest = on.head;
  }

  /** The first block of all sources so far. */
  get oldest(): number {
    return this.#oldest;
  }

  /** The value read, else a problem and `instead`. */
  known<T>(reading: Reading<T>, what: string, instead: T): T {
    if (reading.kind === "value") return reading.value;
    const why = reading.kind === "absent" ? "the contract does not answer it" : (reading.why ?? "no contract is there");
    this.problems.push(`${what}: ${why}`);
    return instead;
  }

  address({ address, option }: Given, signature: string): Address {
    return this.#view({ address, option }, signature, { decode: asAddress, instead: NO_ADDRESS });
  }

  /** Of a contract without old states and without logs any block is early enough. */
  source({ address, option }: Given): { address: Address; startBlock: number } {
    const code = this.on.code(address);
    const creation = readCreation(this.on, address, this.on.head);
    if (code.kind === "value" && code.value === "0x") this.problems.push(`${option} ${address}: no contract is there`);
    const none = { block: 0, by: "code" } as const;
    const { block } =
      creation.kind === "absent" ? none : this.known(creation, `${option} ${address}, its creation`, none);
    this.#oldest = Math.min(this.#oldest, block);
    return { address, startBlock: block };
  }

  token(given: Given): { address: Address; symbol: string; decimals: number } {
    const decimals = this.#view(given, "decimals()", { decode: asNumber, instead: 0n });
    return { address: given.address, symbol: this.#symbol(given), decimals: Number(decimals) };
  }

  wrapped(given: Given): { address: Address; symbol: string; flavour: "weth9" | "transfer" } {
    const { address, option } = given;
    const what = `${option} ${address}, deposit() and withdraw(uint256)`;
    const wrapping = this.known(readWrapping(this.on, address), what, "weth9");
    if (wrapping === "silent") this.problems.push(`${option} ${address}: wraps without any log`);
    return { address, symbol: this.#symbol(given), flavour: wrapping === "transfer" ? wrapping : "weth9" };
  }

  #symbol(given: Given): string {
    return this.#view(given, "symbol()", { decode: asText, instead: "" });
  }

  #view<T>({ address, option }: Given, signature: string, as: { decode: Decoder<T>; instead: T }): T {
    return this.known(this.on.view(address, signature, as.decode), `${option} ${address}, ${signature}`, as.instead);
  }
}
