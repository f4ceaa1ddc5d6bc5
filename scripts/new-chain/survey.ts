// What the contracts of a new chain say about themselves. What they do not say becomes a problem, named by its option.
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

/** Stands for an address that has a problem on record already: no further problem is noted about it. */
export const NO_ADDRESS: Address = `0x${"0".repeat(40)}`;

/** What a reading is about, and what is used instead where there is none. */
interface Sought<T> {
  of: Given;
  what: string;
  instead: T;
}

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

  /** The value read; otherwise notes a problem and returns `instead`. That an address has no contract is noted once. */
  known<T>(reading: Reading<T>, { of, what, instead }: Sought<T>): T {
    if (reading.kind === "value") return reading.value;
    const why = reading.kind === "absent" ? "the contract does not answer it" : reading.why;
    if (why === undefined) this.#noContract(of);
    else this.problems.push(`${of.option} ${of.address}, ${what}: ${why}`);
    return instead;
  }

  address(of: Given, signature: string): Address {
    const address = this.#view(of, signature, { decode: asAddress, instead: undefined });
    if (address === NO_ADDRESS) this.problems.push(`${of.option} ${of.address}, ${signature}: it is the zero address`);
    return address ?? NO_ADDRESS;
  }

  /** For a contract without old states and without logs, any block is early enough. */
  source(of: Given): { address: Address; startBlock: number } {
    const { address } = of;
    const code = this.on.code(address);
    const creation = readCreation(this.on, address, this.on.head);
    if (code.kind === "value" && code.value === "0x") this.#noContract(of);
    const none = { block: 0, by: "code" } as const;
    const { block } =
      creation.kind === "absent" ? none : this.known(creation, { of, what: "its creation", instead: none });
    this.#oldest = Math.min(this.#oldest, block);
    return { address, startBlock: block };
  }

  token(given: Given): { address: Address; symbol: string; decimals: number } {
    const decimals = this.#view(given, "decimals()", { decode: asNumber, instead: 0n });
    return { address: given.address, symbol: this.#symbol(given), decimals: Number(decimals) };
  }

  wrapped(given: Given): { address: Address; symbol: string; flavour: "weth9" | "transfer" } {
    const { address, option } = given;
    const sought = { of: given, what: "deposit() and withdraw(uint256)", instead: "weth9" } as const;
    const wrapping = this.known(readWrapping(this.on, address), sought);
    if (wrapping === "silent") this.problems.push(`${option} ${address}: wraps without any log`);
    return { address, symbol: this.#symbol(given), flavour: wrapping === "transfer" ? wrapping : "weth9" };
  }

  #symbol(given: Given): string {
    return this.#view(given, "symbol()", { decode: asText, instead: "" });
  }

  #view<T, U>(of: Given, signature: string, as: { decode: Decoder<T>; instead: U }): T | U {
    return this.known<T | U>(this.on.view(of.address, signature, as.decode), {
      of,
      what: signature,
      instead: as.instead,
    });
  }

  #noContract({ address, option }: Given): void {
    if (address !== NO_ADDRESS) this.problems.push(`${option} ${address}: no contract is there`);
  }
}
