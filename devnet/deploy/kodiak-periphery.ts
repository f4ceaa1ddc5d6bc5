// Uniswap's v3 periphery is published as bytecode that only fits Uniswap's pools. Two replacements make it fit the
// kodiak flavour; each must apply exactly once, otherwise the bytecode is not the one for which they were made.
import type { Hex } from "viem";
import type { Artifact } from "../compile/artifacts.ts";

/** keccak-256 of Uniswap's pool bytecode: periphery derives pool addresses from it. */
const uniswapPoolInitCodeHash = "e34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54";

/** The ABI decoder's check that `slot0().feeProtocol` fits a uint8: PUSH1 0xff, DUP2, AND, DUP2, EQ. */
const uint8Check = "60ff81168114";
/** The same length, always true: DUP1, three JUMPDESTs (no-ops), DUP2, EQ. Periphery never uses the value itself. */
const noCheck = "805b5b5b8114";

/** Periphery for a factory whose pools have this init code hash and a wider `feeProtocol`. */
export function adaptPeriphery({ abi, bytecode }: Artifact, poolHash: Hex): Artifact {
  const located = replaceOnce(bytecode, uniswapPoolInitCodeHash, poolHash.slice(2));
  return { abi, bytecode: replaceOnce(located, uint8Check, noCheck) };
}

function replaceOnce(bytecode: Hex, wanted: string, replacement: string): Hex {
  const parts = bytecode.split(wanted);
  if (parts.length !== 2) throw new Error(`${wanted} occurs ${parts.length - 1} times in the bytecode, expected once`);
  return parts.join(replacement) as Hex;
}
