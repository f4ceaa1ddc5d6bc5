/** Tokens come from it when they are minted and go to it when they are burnt; it belongs to nobody. */
export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
