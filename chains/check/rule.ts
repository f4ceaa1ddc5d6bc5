// A rule: it makes findings from a chain file and from readings of the chain. Rules send no requests themselves.
import type { ChainFile } from "../chain-file.ts";
import { type Finding, mistake, notice } from "./findings.ts";
import { type Address, asAddress, asNumber, type Reading, type Readings } from "./readings.ts";

export type Rule = (chain: ChainFile, on: Readings) => Finding[];

/** A contract that the file lists, and where. */
export interface Field {
  path: string;
  address: Address;
}

/** The notice that a field could not be checked, where no other finding says so. */
export const unchecked = (path: string, reading: Reading<unknown>): Finding[] =>
  reading.kind === "unknown" && reading.why !== undefined
    ? [notice(path, `could not be checked (${reading.why})`)]
    : [];

/** The kind of contract that a field stands for, and a view that each such contract has. */
export interface Kind {
  /** With its article. */
  what: string;
  signature: string;
  argument?: Address | number;
}

/** The contract is of this kind. */
export function isOfKind(on: Readings, { path, address }: Field, { what, signature, argument }: Kind): Finding[] {
  const answer = on.view(address, argument === undefined ? signature : [signature, argument], asNumber);
  if (answer.kind !== "absent") return unchecked(path, answer);
  const factory = on.view(address, "factory()", asAddress);
  const hint = factory.kind === "value" ? `; it is a contract of factory ${factory.value}` : "";
  return [mistake(path, `${address} is not ${what}, it does not answer ${signature}${hint}`)];
}

/** Which other contract a contract names, and which one the file lists. */
export interface Reference {
  /** A view that answers an address; where there are several, a contract of this kind has one of them. */
  signatures: readonly string[];
  /** The field that lists it; undefined: the file does not list it, and any answer is right. */
  listed: Field | undefined;
  /** `notice` where the contract's owner may change the reference, or where it matters for quotes alone. */
  kind?: Finding["kind"];
  /** True: this contract names the right one, and the finding is about the listed contract. Else it is about this contract. */
  isTrusted?: boolean;
}

/** The contract names the one that the file lists. Other rules deal with a contract that lacks these views. */
export function names(on: Readings, { path, address }: Field, reference: Reference): Finding[] {
  const { signatures, listed, kind = "mistake", isTrusted = false } = reference;
  return signatures.flatMap((signature) => {
    const answer = on.view(address, signature, asAddress);
    if (answer.kind === "unknown") return unchecked(path, answer);
    if (answer.kind === "absent" || listed === undefined || answer.value === listed.address) return [];
    return isTrusted
      ? [{ kind, path: listed.path, text: `is ${listed.address}, but ${signature} of ${path} is ${answer.value}` }]
      : [{ kind, path, text: `its ${signature} is ${answer.value}, but ${listed.path} is ${listed.address}` }];
  });
}
