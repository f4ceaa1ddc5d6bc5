// The two ways a pool splits its fee between liquidity and protocol.

/**
 * `uniswap`: the protocol takes fee ÷ n, n of 4…10, 0 for nothing; slot0 packs two nibbles.
 * `kodiak`: the protocol takes fee × n ÷ 10,000; slot0 packs two times 16 bits.
 */
export type V3Flavour = "uniswap" | "kodiak";

const KODIAK_DENOMINATOR = 10_000n;

/** The protocol's part of a fee, rounded down. `feeProtocol` is one token's setting. */
export function protocolFeeRoundingDown(flavour: V3Flavour, feeProtocol: number, fee: bigint): bigint {
  if (feeProtocol === 0) return 0n;
  return flavour === "uniswap" ? fee / BigInt(feeProtocol) : (fee * BigInt(feeProtocol)) / KODIAK_DENOMINATOR;
}

export interface FeeProtocol {
  feeProtocol0: number;
  feeProtocol1: number;
}

/** Both tokens' settings out of `slot0().feeProtocol`. */
export function unpackFeeProtocol(flavour: V3Flavour, packed: number): FeeProtocol {
  return flavour === "uniswap"
    ? { feeProtocol0: packed % 16, feeProtocol1: packed >> 4 }
    : { feeProtocol0: packed % 65_536, feeProtocol1: Math.floor(packed / 65_536) };
}
