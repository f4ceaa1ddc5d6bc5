// A tree over who has how much, as OpenZeppelin's MerkleProof checks it on chain, with everybody's proof.
import { setImmediate as nextTurn } from "node:timers/promises";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import type { Claim } from "../questions/claims.ts";

const LEAF_ENCODING = ["address", "uint256"];
/** A proof takes a fifth of a millisecond. */
const PROOFS_PER_PIECE = 50;

interface WrittenTree {
  root: string;
  /** JSON, `{root, leafEncoding, …about, proofs: [{account, amount, proof}]}`. */
  pieces: AsyncGenerator<string, undefined>;
}

/**
 * A leaf is keccak256(bytes.concat(keccak256(abi.encode(account, amount)))). The tree is made at once, which takes a tenth
 * of a millisecond for each claim; proofs are made as they are taken.
 * @throws Error when there are no claims: there is no such tree
 */
export function writeTree(claims: readonly Claim[], about: Readonly<Record<string, unknown>>): WrittenTree {
  const tree = StandardMerkleTree.of(
    claims.map(({ account, amount }) => [account, String(amount)]),
    LEAF_ENCODING,
  );
  return { root: tree.root, pieces: treePieces(tree, about) };
}

async function* treePieces(
  tree: StandardMerkleTree<string[]>,
  about: Readonly<Record<string, unknown>>,
): AsyncGenerator<string, undefined> {
  const head = JSON.stringify({ root: tree.root, leafEncoding: LEAF_ENCODING, ...about });
  let piece = `${head.slice(0, -1)},"proofs":[\n`;
  for (const [i, [account, amount]] of tree.entries()) {
    const entry = JSON.stringify({ account, amount, proof: tree.getProof(i) });
    piece += i === 0 ? entry : `,\n${entry}`;
    if ((i + 1) % PROOFS_PER_PIECE !== 0) continue;
    yield piece;
    piece = "";
    await nextTurn();
  }
  yield `${piece}\n]}\n`;
  return undefined;
}
