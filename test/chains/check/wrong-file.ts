// One wrong chain file: what is changed in the right one of the test's chain, and the lines that must be printed for it.
import type { ChainFile } from "../../../chains/chain-file.ts";
import type { Deployment } from "../../../devnet/deploy/all.ts";
import type { V2Deployment } from "../../../devnet/deploy/v2.ts";

export type Address = `0x${string}`;

/** What there is on the test's chain beside the devnet's contracts. */
export interface Ground {
  at: Deployment;
  otherV2: V2Deployment;
  /** By address, from the receipts. */
  createdIn: ReadonlyMap<string, number>;
  head: number;
}

export interface WrongFile {
  title: string;
  /** Changes a copy of the right file. */
  spoil(chain: ChainFile, ground: Ground): void;
  /** The mistakes' lines, in order: beginnings of what they must say. */
  lines(ground: Ground): string[];
}

/** There is no contract at this address. */
export const EOA: Address = "0x00000000000000000000000000000000000a11ce";
export const first = (chain: ChainFile) => chain.v3!.deployments[0]!;
export const second = (chain: ChainFile) => chain.v3!.deployments[1]!;
export const none = (address: string) => `there is no contract at ${address}`;
