// A rule: from a chain file and what was read of the chain to findings. Rules ask nobody themselves.
import type { ChainFile } from "../chain-file.ts";
import { type Finding, mistake, notice } from "./findings.ts";
import { type Address, asAddress, asNumber, type Reading, type Readings } from "./readings.ts";

export type Rule = (chain: ChainFile, on: Readings) => Finding[];

/** A contract that the file lists, and where. */
export interface Field {
  path: string;
  address: Address;
}

/** That a field could not be checked, where nothing else says so. */
export const unchecked = (path: string, reading: Reading<unknown>): Finding[] =>
  reading.kind === "unknown" && reading.why !== undefined
    ? [notice(path, `could not be checked (${reading.why})`)]
    : [];

/** What the file takes a contract for, and a view that each such contract has. */
export interface Kind {
  /** With its article. */
  what: string;
  signature: string;
  argument?: Address | number;
}

/** That the contract is of this kind. */
export function isOfKind(on: Readings, { path, address }: Field, { what, signature, argument }: Kind): Finding[] {
  const answer = on.view(address, argument === undefined ? signature : [signature, argument], asNumber);
  if (answer.kind !== "absent") return unchecked(path, answer);
  const factory = on.view(address, "factory()", asAddress);
  const hint = factory.kind === "value" ? `; it is a contract of factory ${factory.value}` : "";
  return [mistake(path, `${address} is not ${what}, it does not answer ${signature}${hint}`)];
}

/** What a contract says of another one, and what the file says. */
export interface Reference {
  /** A view that answers an address; several: of which a contract of this kind has one. */
  signatures: readonly string[];
  /** Where the file has it; undefined: the file does not list it, and whatever is answered is right. */
  listed: Field | undefined;
  /** `notice` where its owner may change it, or where it decides about quotes alone. */
  kind?: Finding["kind"];
  /** The finding is about the listed contract, and this one knows the right one; else it is about this contract. */
  isTrusted?: boolean;
}

/** That the contract names the one that the file lists. A contract without these views is left to other rules. */
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
