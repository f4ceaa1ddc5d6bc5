/** Where tokens come from and go to; nobody's. */
export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
