// How callers name the native coin. Pools have only the wrapped token, so routes are sought for that.
import type { ChainFile } from "../../chains/chain-file.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { InvalidInputError } from "../errors.ts";
import { type Address, address } from "../parameters.ts";

export interface TokenChoice {
  /** Of the native coin: the wrapped token's. */
  address: Address;
  isNative: boolean;
}

/** Stand for the native coin in the interfaces of others; documents in use write the zero address with two zeros too many. */
const NATIVE_ADDRESSES = [ZERO_ADDRESS, `${ZERO_ADDRESS}00`, "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"];

/**
 * An address, or the native coin as its symbol or `ETH` in any case, the zero address, or 0xEeee….
 * @throws InvalidInputError naming `parameter`
 */
export function tokenChoice(
  text: string,
  { nativeSymbol, wrappedNative }: Pick<ChainFile, "nativeSymbol" | "wrappedNative">,
  parameter: string,
): TokenChoice {
  const symbols = [nativeSymbol.toLowerCase(), "eth"];
  const wanted = text.toLowerCase();
  if (symbols.includes(wanted) || NATIVE_ADDRESSES.includes(wanted))
    return { address: wrappedNative.address, isNative: true };
  const parsed = address.safeParse(text);
  if (parsed.success) return { address: parsed.data, isNative: false };
  throw new InvalidInputError(parameter, `must be a 0x-prefixed address of 40 hex digits, or ${nativeSymbol}`);
}
