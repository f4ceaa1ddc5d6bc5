// Rewards as claims for three contracts: for each a tree over all accounts, and everybody's proof.
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { type Address, encodePacked, getAddress, type Hex, keccak256, maxUint128, numberToHex } from "viem";
import { balanceTree } from "./balance-tree.ts";

/** Claims are above zero, in the order of the answer: a claim's index is its place in the list. */
export interface Claim {
  account: Address;
  /** Raw units of the reward token. */
  amount: bigint;
}

export const FORMATS = ["openzeppelin", "merkle-distributor", "sablier"] as const;
export type Format = (typeof FORMATS)[number];

export interface ClaimsTree {
  root: Hex;
  /** The content of the format's file, a JSON document of all claims with their proofs, which are made as they are taken. */
  texts: Iterable<string>;
}

/** Undefined where an amount does not fit the contract's type, which only Sablier's uint128 knows. */
export const claimsTrees: Readonly<Record<Format, (claims: readonly Claim[]) => ClaimsTree | undefined>> = {
  openzeppelin: (claims) =>
    standardTree(
      ["address", "uint256"],
      claims.map(({ account, amount }) => [account, String(amount)]),
    ),
  "merkle-distributor": distributorTree,
  sablier: (claims) =>
    claims.some(({ amount }) => amount > maxUint128)
      ? undefined
      : standardTree(
          ["uint256", "address", "uint128"],
          claims.map(({ account, amount }, index) => [String(index), account, String(amount)]),
        ),
};

/** Leaves keccak256(bytes.concat(keccak256(abi.encode(…)))), as OpenZeppelin's MerkleProof and Sablier's lockups want them. */
function standardTree(leafEncoding: string[], values: string[][]): ClaimsTree {
  const tree = StandardMerkleTree.of(values, leafEncoding);
  const head = { root: tree.root, leafEncoding };
  const texts = documentTexts({ head, brackets: "[]" }, values, (value, i) =>
    JSON.stringify({ value, proof: tree.getProof(i) }),
  );
  return { root: tree.root as Hex, texts };
}

/** Leaves keccak256(abi.encodePacked(index, account, amount)); the document is as Uniswap's own scripts write it. */
function distributorTree(claims: readonly Claim[]): ClaimsTree {
  const leaves = claims.map(({ account, amount }, index) =>
    keccak256(encodePacked(["uint256", "address", "uint256"], [BigInt(index), account, amount])),
  );
  const tree = balanceTree(leaves);
  const total = claims.reduce((sum, { amount }) => sum + amount, 0n);
  const head = { merkleRoot: tree.root, tokenTotal: numberToHex(total) };
  const texts = documentTexts({ head, brackets: "{}" }, claims, ({ account, amount }, index) => {
    const claim = { index, amount: numberToHex(amount), proof: tree.proofOf(leaves[index] as Hex) };
    return `"${getAddress(account)}":${JSON.stringify(claim)}`;
  });
  return { root: tree.root, texts };
}

interface DocumentShape {
  /** The fields before `claims`. */
  head: object;
  /** Of a list or of an object. */
  brackets: "[]" | "{}";
}

function* documentTexts<T>(
  { head, brackets }: DocumentShape,
  claims: readonly T[],
  entryOf: (claim: T, index: number) => string,
): Generator<string, undefined> {
  yield `${JSON.stringify(head).slice(0, -1)},"claims":${brackets[0]}`;
  for (const [i, claim] of claims.entries()) yield `${i === 0 ? "" : ","}${entryOf(claim, i)}`;
  yield `${brackets[1]}}\n`;
  return undefined;
}
