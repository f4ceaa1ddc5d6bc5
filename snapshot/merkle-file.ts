// A tree over who has how much, as OpenZeppelin's MerkleProof checks it on chain, with everybody's proof.
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { openLineFile } from "./line-file.ts";

export const LEAF_ENCODING = ["address", "uint256"];

export interface Claim {
  account: string;
  /** Raw units. */
  amount: bigint;
}

/**
 * Writes `{root, leafEncoding, …about, proofs: [{account, amount, proof}]}` and returns the root. A leaf is
 * keccak256(bytes.concat(keccak256(abi.encode(account, amount)))).
 * @throws Error when there is nobody to make a tree of
 */
export async function writeMerkleFile(
  path: string,
  claims: readonly Claim[],
  about: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (claims.length === 0) throw new Error("--merkle: nobody holds the token at this block, so there is no tree");
  const tree = StandardMerkleTree.of(
    claims.map(({ account, amount }) => [account, String(amount)]),
    LEAF_ENCODING,
  );
  const file = openLineFile(path);
  const head = JSON.stringify({ root: tree.root, leafEncoding: LEAF_ENCODING, ...about });
  await file.write(`${head.slice(0, -1)},"proofs":[\n`);
  for (const [i, [account, amount]] of tree.entries()) {
    const entry = JSON.stringify({ account, amount, proof: tree.getProof(i) });
    await file.write(i === 0 ? entry : `,\n${entry}`);
  }
  await file.write("\n]}\n");
  await file.close();
  return tree.root;
}
