// The number that names a direct position: one that no token id stands for.
import { encodePacked, keccak256 } from "viem";
import type { Address } from "../parameters.ts";

interface DirectPosition {
  pool: string;
  owner: string;
  tickLower: number;
  tickUpper: number;
}

/** The same positions are named for every block. */
const known = new Map<string, bigint>();
const MOST_KNOWN = 20_000;

/** uint256(keccak256(abi.encodePacked(pool, owner, tickLower, tickUpper))), ticks as int24. */
export function directPositionId({ pool, owner, tickLower, tickUpper }: DirectPosition): bigint {
  const name = `${pool} ${owner} ${tickLower} ${tickUpper}`;
  const id =
    known.get(name) ??
    BigInt(
      keccak256(
        encodePacked(
          ["address", "address", "int24", "int24"],
          [pool as Address, owner as Address, tickLower, tickUpper],
        ),
      ),
    );
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, id);
  return id;
}
