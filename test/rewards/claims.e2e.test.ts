// 1,000 rewards as claims on the real contracts: Uniswap's merkle-distributor as npm has it, and OpenZeppelin's MerkleProof.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Abi,
  type Address,
  concat,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shareOut } from "../../core/rewards/share-out.ts";
import type { DevChain } from "../../devnet/chain.ts";
import { compileSolidity } from "../../devnet/compile/solidity.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { balanceTree } from "../../rewards/balance-tree.ts";
import { type Claim, claimsTrees, type Format } from "../../rewards/claims.ts";
import { startAnvil } from "../devnet/contracts/anvil.ts";
import { accountOf } from "../support/reference-ledger.ts";

const COUNT = 1_000;
const BUDGET = 10n ** 24n + 7n;
const require = createRequire(import.meta.url);
const random = seedRandom("claims");

const points = Array.from({ length: COUNT }, () => BigInt(random.between(1, 1_000_000_000)) ** 2n);
const counted = points.map((one, i) => ({ account: accountOf(i + 1), average: one, points: one }));
const { rewards } = shareOut(counted, {
  ...{ budget: BUDGET, excluded: new Set<string>(), minimum: 0n, most: undefined, treasury: undefined },
});
const claims = rewards.map(({ account, amount }): Claim => ({ account: account as Address, amount }));

interface Standard {
  root: Hex;
  claims: { value: string[]; proof: Hex[] }[];
}
interface Distributor {
  merkleRoot: Hex;
  tokenTotal: Hex;
  claims: Record<Address, { index: number; amount: Hex; proof: Hex[] }>;
}
const documentOf = (format: Format): unknown => JSON.parse([...(claimsTrees[format](claims)?.texts ?? [])].join(""));
const standard = documentOf("openzeppelin") as Standard;
const distributor = documentOf("merkle-distributor") as Distributor;
const lockup = documentOf("sablier") as Standard;

let chain: DevChain;
let stop: (() => Promise<void>) | undefined;
let [token, uniswap, proofs] = [] as unknown as [Address, Address, Address];
const artifact = (name: string) =>
  JSON.parse(readFileSync(require.resolve(`@uniswap/merkle-distributor/build/${name}.json`), "utf8")) as {
    abi: Abi;
    bytecode: string;
  };
const codeOf = (bytecode: string): Hex => `0x${bytecode.replace(/^0x/, "")}`;
const erc20 = artifact("TestERC20");
const uniswapDistributor = artifact("MerkleDistributor");
const verifier = compileSolidity({
  ...{ compiler: "solc-0.7.6", files: ["../../test/rewards/claims.sol"] },
  settings: { evmVersion: "istanbul", optimizerRuns: 200 },
}).get("Claims")!;

beforeAll(async () => {
  ({ chain, stop } = await startAnvil());
  const from = chain.accounts[0]!;
  const create = ({ abi, bytecode }: { abi: Abi; bytecode: string }, args: unknown[]) =>
    chain.create(from, encodeDeployData({ abi, bytecode: codeOf(bytecode), args }));
  token = await create(erc20, ["Reward", "RWD", BUDGET]);
  uniswap = await create(uniswapDistributor, [token, distributor.merkleRoot]);
  proofs = await create(verifier, [standard.root, lockup.root]);
  await chain.send({ from, to: token, data: call(erc20.abi, "transfer", [uniswap, BUDGET]) });
  await chain.seal();
});
afterAll(() => stop?.());

const call = (abi: Abi, functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi, functionName, args });
const read = async <T>(address: Address, abi: Abi, [functionName, ...args]: [string, ...unknown[]]): Promise<T> =>
  (await chain.client.readContract({ address, abi, functionName, args })) as T;

const distributorClaims = Object.entries(distributor.claims).map(
  ([account, { index, amount, proof }]) => [BigInt(index), account as Address, BigInt(amount), proof] as const,
);
const standardClaims = standard.claims.map(
  ({ value: [account, amount], proof }) => [account as Address, BigInt(amount!), proof] as const,
);

/** The same claim with each field changed alone: a number by one, an account or a hash of the proof for another's. */
function changed(claim: readonly unknown[]): unknown[][] {
  return claim.map((field, place) => {
    const other = Array.isArray(field)
      ? [...field.slice(0, -1), `0x${"ab".repeat(32)}`]
      : typeof field === "bigint"
        ? field + 1n
        : accountOf(COUNT + 5);
    return claim.map((same, i) => (i === place ? other : same));
  });
}

const isRefused = (to: Address, data: Hex): Promise<boolean> =>
  chain.client.call({ to, data, account: chain.accounts[1]! }).then(
    () => false,
    () => true,
  );

async function claimAll(to: Address, abi: Abi, all: readonly (readonly unknown[])[]): Promise<void> {
  const [, from] = chain.accounts;
  for (let i = 0; i < all.length; i += 250) {
    for (const args of all.slice(i, i + 250))
      chain.queue({ from: from!, to, data: call(abi, "claim", args), gas: 400_000n });
    // throws where one of them reverts
    await chain.seal();
  }
}

describe("1,000 rewards", () => {
  it("sum up to the budget, and are one claim each", () => {
    expect(claims.reduce((sum, { amount }) => sum + amount, 0n)).toBe(BUDGET);
    expect([distributorClaims.length, standardClaims.length, lockup.claims.length]).toEqual([COUNT, COUNT, COUNT]);
    expect(BigInt(distributor.tokenTotal)).toBe(BUDGET);
  });

  it("are refused with any field changed, by both contracts", { timeout: 240_000 }, async () => {
    const tried = [
      ...distributorClaims.flatMap((claim) => changed(claim).map((args) => [uniswap, uniswapDistributor.abi, args])),
      ...standardClaims.flatMap((claim) => changed(claim).map((args) => [proofs, verifier.abi, args])),
    ] as [Address, Abi, unknown[]][];
    expect(tried).toHaveLength(COUNT * 7);
    const accepted: unknown[] = [];
    for (let i = 0; i < tried.length; i += 100)
      await Promise.all(
        tried.slice(i, i + 100).map(async ([to, abi, args]) => {
          if (!(await isRefused(to, call(abi, "claim", args)))) accepted.push(args);
        }),
      );
    expect(accepted).toEqual([]);
  });

  it("are all paid by Uniswap's distributor, to the last wei, and none twice", { timeout: 240_000 }, async () => {
    await claimAll(uniswap, uniswapDistributor.abi, distributorClaims);
    expect(await read<bigint>(token, erc20.abi, ["balanceOf", uniswap])).toBe(0n);
    for (const [, account, amount] of distributorClaims.slice(0, 50))
      expect(await read<bigint>(token, erc20.abi, ["balanceOf", account])).toBe(amount);
    const again = await Promise.all(
      distributorClaims.map((claim) => isRefused(uniswap, call(uniswapDistributor.abi, "claim", claim))),
    );
    expect(again.filter((refused) => !refused)).toEqual([]);
  });

  it("are all accepted by OpenZeppelin's MerkleProof, and none twice", { timeout: 240_000 }, async () => {
    await claimAll(proofs, verifier.abi, standardClaims);
    for (const [account, amount] of standardClaims.slice(0, 50))
      expect(await read<bigint>(proofs, verifier.abi, ["paid", account])).toBe(amount);
    const again = await Promise.all(
      standardClaims.map((claim) => isRefused(proofs, call(verifier.abi, "claim", claim))),
    );
    expect(again.filter((refused) => !refused)).toEqual([]);
  });

  it("have the leaves of Sablier's lockups, and none of another amount", { timeout: 120_000 }, async () => {
    for (const { value, proof } of lockup.claims.slice(0, 200)) {
      const [index, recipient, amount] = [BigInt(value[0]!), value[1]!, BigInt(value[2]!)];
      expect(await read<boolean>(proofs, verifier.abi, ["isLockupClaim", index, recipient, amount, proof])).toBe(true);
      const more = ["isLockupClaim", index, recipient, amount + 1n, proof] as [string, ...unknown[]];
      expect(await read<boolean>(proofs, verifier.abi, more)).toBe(false);
    }
  });
});

describe("Uniswap's tree", () => {
  it("leads from every leaf to its root, however many there are", () => {
    for (let count = 1; count <= 33; count++) {
      const leaves = Array.from({ length: count }, (_, i) => keccak256(numberToHex(i)));
      const tree = balanceTree(leaves);
      for (const leaf of leaves)
        expect(
          tree.proofOf(leaf).reduce((hash, other) => keccak256(concat([hash, other].sort() as Hex[])), leaf),
          `${count}`,
        ).toBe(tree.root);
    }
  });

  it("needs a leaf, and knows its own alone", () => {
    const leaf: Hex = `0x${"1".repeat(64)}`;
    expect(() => balanceTree([])).toThrow(RangeError);
    expect(balanceTree([leaf])).toMatchObject({ root: leaf });
    expect(balanceTree([leaf]).proofOf(leaf)).toEqual([]);
    expect(() => balanceTree([leaf]).proofOf(`0x${"2".repeat(64)}`)).toThrow(RangeError);
  });
});

describe("A claim above what Sablier's uint128 holds", () => {
  it("leaves out that format alone", () => {
    const large = [{ account: accountOf(1) as Address, amount: 2n ** 128n }];
    expect(claimsTrees.sablier(large)).toBeUndefined();
    expect(claimsTrees.openzeppelin(large)?.root).toMatch(/^0x[0-9a-f]{64}$/);
  });
});
