// What happens in a live block: a function of its number, so that the check of an answer can calculate it.

export interface LiveTransfer {
  token: string;
  from: string;
  to: string;
  amount: bigint;
}

export interface LiveWorld {
  /** The tokens that change, each with accounts that hold far more than they will send. */
  tokens: readonly { address: string; accounts: readonly string[] }[];
  transfersPerBlock: number;
}

/** Large enough that one transfer shows in the double that an answer gives. */
const LEAST = 10n ** 18n;

/** A number below `bound`, from two others. */
function pick(block: number, place: number, bound: number): number {
  let mixed = Math.imul(block, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) % bound;
}

export function transfersOf({ tokens, transfersPerBlock }: LiveWorld, block: number): LiveTransfer[] {
  return Array.from({ length: transfersPerBlock }, (_, i) => {
    const token = tokens[i % tokens.length];
    if (!token) throw new Error("a live world needs a token");
    const { address, accounts } = token;
    const of = (place: number) => accounts[pick(block, 3 * i + place, accounts.length)] ?? "";
    return { token: address, from: of(0), to: of(1), amount: LEAST * BigInt(1 + pick(block, 3 * i + 2, 100_000)) };
  });
}
