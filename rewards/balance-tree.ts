// The tree of Uniswap's merkle-distributor: leaves in ascending order, pairs hashed in ascending order, and the last of an odd
// row carried up as it is.
import { concat, type Hex, keccak256 } from "viem";

export interface BalanceTree {
  root: Hex;
  proofOf(leaf: Hex): Hex[];
}

const pairHash = (a: Hex, b: Hex): Hex => keccak256(a < b ? concat([a, b]) : concat([b, a]));

/** @throws RangeError without leaves */
export function balanceTree(leaves: readonly Hex[]): BalanceTree {
  const lowest = [...new Set(leaves)].sort();
  const rows = [lowest];
  for (let row = lowest; row.length > 1; rows.push(row)) row = rowAbove(row);
  const root = rows.at(-1)?.[0];
  if (root === undefined) throw new RangeError("a tree needs a leaf");
  const places = new Map(lowest.map((leaf, place) => [leaf, place]));
  return {
    root,
    proofOf(leaf) {
      const place = places.get(leaf);
      if (place === undefined) throw new RangeError(`${leaf} is no leaf of the tree`);
      return rows.flatMap((row, height) => row[Math.floor(place / 2 ** height) ^ 1] ?? []);
    },
  };
}

function rowAbove(row: readonly Hex[]): Hex[] {
  const above: Hex[] = [];
  for (let i = 0; i < row.length; i += 2) {
    const [left, right] = [row[i] as Hex, row[i + 1]];
    above.push(right === undefined ? left : pairHash(left, right));
  }
  return above;
}
