// Blooms are read by hashes of addresses and topics, and the same few occur in block after block. Ponder 0.17.7 computes four hashes
// for every log, in JavaScript: half of its work for a block of 300 transfers before the rows were made.
//
// This takes viem's place in Ponder's reader of blooms.
import { type Hex, keccak256 as hash, hexToBytes as toBytes } from "viem";

export { hexToNumber } from "viem";

const MOST_HASHES = 50_000;
/** As it stands in a block: 256 bytes. */
const BLOOM_LENGTH = 514;

const hashes = new Map<Hex, Hex>();
let bloom: { hex: Hex; bytes: Uint8Array } | undefined;

/** As viem's. */
export function keccak256(value: Hex): Hex {
  const stored = hashes.get(value);
  if (stored !== undefined) return stored;
  if (hashes.size >= MOST_HASHES) hashes.clear();
  const made = hash(value);
  hashes.set(value, made);
  return made;
}

/** As viem's, for callers that only read the bytes: for a bloom, which is read many times, the same array is returned again. */
export function hexToBytes(hex: Hex): Uint8Array {
  if (hex.length !== BLOOM_LENGTH) return toBytes(hex);
  if (bloom?.hex !== hex) bloom = { hex, bytes: toBytes(hex) };
  return bloom.bytes;
}
