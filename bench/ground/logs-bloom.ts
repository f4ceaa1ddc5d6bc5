// The logs bloom of a block (Ethereum Yellow Paper, section 4.4.3): an indexer skips blocks whose bloom does not match.
import { hexToBytes, keccak256 } from "viem";
import type { Hex } from "./synthetic-chain.ts";

const BLOOM_BYTES = 256;
const bitsOf = new Map<Hex, number[]>();

/** The three bits that `value` (an address or a topic) sets. */
function bloomBits(value: Hex): number[] {
  const stored = bitsOf.get(value);
  if (stored) return stored;
  const hash = hexToBytes(keccak256(value));
  const bits = [0, 2, 4].map((i) => (((hash[i] ?? 0) << 8) + (hash[i + 1] ?? 0)) & 0x7ff);
  bitsOf.set(value, bits);
  return bits;
}

/** 256 bytes in hex with the bits of all `values` set. */
export function logsBloom(values: Iterable<Hex>): Hex {
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const value of values)
    for (const bit of bloomBits(value)) {
      const byte = BLOOM_BYTES - 1 - Math.floor(bit / 8);
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit % 8));
    }
  return `0x${bloom.toString("hex")}`;
}
