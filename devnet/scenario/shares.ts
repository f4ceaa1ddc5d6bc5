// Tokens that cannot be minted at will (island and vault shares, launched tokens): their balances are read from the chain.
import type { Address } from "viem";
import type { Random } from "./random.ts";
import { invoke, readView, type World } from "./world.ts";

export const ALWAYS = Number.POSITIVE_INFINITY;

/** Balance at the last sealed block. Within a step something else may spend it first, so using it may revert. */
export function sharesOf(world: World, token: Address, account: Address): Promise<bigint> {
  return readView<bigint>(world, { name: "MintableToken", to: token, call: "balanceOf", args: [account] });
}

/** A random part of `whole`, from `least` to `most` percent, rounded down. */
export function partOf(random: Random, whole: bigint, [least, most]: readonly [number, number]): bigint {
  return (whole * BigInt(random.between(least * 10_000, most * 10_000))) / 1_000_000n;
}

export interface Parcel {
  token: Address;
  from: Address;
  to: Address;
  amount: bigint;
}

/** Sends shares; may revert, as they may have been spent meanwhile. */
export function sendShares(world: World, { token, from, to, amount }: Parcel): void {
  invoke(world, { name: "MintableToken", to: token, call: "transfer", args: [to, amount], from, reverts: "maybe" });
}
