// What v3 pools and position managers say at a block: their storage, and what closing a token id's position would pay.
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  encodePacked,
  type Hex,
  keccak256,
  type PublicClient,
  parseAbi,
} from "viem";
import { callContract, isContractFailure } from "./contract-failure.ts";

export const poolAbi = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 index, uint16 cardinality, uint16 next, uint32 feeProtocol, bool unlocked)",
  "function liquidity() view returns (uint128)",
  "function feeGrowthGlobal0X128() view returns (uint256)",
  "function feeGrowthGlobal1X128() view returns (uint256)",
  "function protocolFees() view returns (uint128, uint128)",
  "function tickBitmap(int16 word) view returns (uint256)",
  "function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)",
  "function positions(bytes32) view returns (uint128, uint256, uint256, uint128, uint128)",
  "function snapshotCumulativesInside(int24, int24) view returns (int56, uint160, uint32)",
  "function burn(int24 tickLower, int24 tickUpper, uint128 amount) returns (uint256, uint256)",
  "function collect(address recipient, int24 tickLower, int24 tickUpper, uint128 amount0, uint128 amount1) returns (uint128, uint128)",
]);

export const managerAbi = parseAbi([
  "function positions(uint256) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128, uint128)",
  "function ownerOf(uint256) view returns (address)",
  "function multicall(bytes[] data) payable returns (bytes[] results)",
  "function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline)) payable returns (uint256 amount0, uint256 amount1)",
  "function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max)) payable returns (uint256 amount0, uint256 amount1)",
]);

export interface Read {
  address: Address;
  abi: Abi;
  functionName: string;
  args: readonly unknown[];
}

/** Reads per request: the aggregating code is sent with them as creation code, at most 49,152 bytes. */
const READS_PER_REQUEST = 140;
const MOST = 2n ** 128n - 1n;
/** The last tick that any pool can have. v3-core TickMath.MAX_TICK */
const MAX_TICK = 887_272;

/**
 * One answer per read, as a list of values; undefined where the contract reverts, or gives nothing that can be read.
 * @throws Error when the node cannot answer
 */
export async function readAll(
  client: PublicClient,
  reads: readonly Read[],
  block: number,
): Promise<(readonly unknown[] | undefined)[]> {
  const answers: (readonly unknown[] | undefined)[] = [];
  for (let from = 0; from < reads.length; from += READS_PER_REQUEST)
    answers.push(...(await readTogether(client, reads.slice(from, from + READS_PER_REQUEST), block)));
  return answers;
}

/** If there is no answer at all, it may have been too long: the answer counts as created code, at most 24,576 bytes. */
async function readTogether(
  client: PublicClient,
  reads: readonly Read[],
  block: number,
): Promise<(readonly unknown[] | undefined)[]> {
  const options = { allowFailure: true, deployless: true, batchSize: 0, blockNumber: BigInt(block) } as const;
  const results = await client.multicall({ contracts: reads, ...options });
  if (reads.length > 1 && results.every(({ status }) => status === "failure")) {
    const half = Math.ceil(reads.length / 2);
    return [
      ...(await readTogether(client, reads.slice(0, half), block)),
      ...(await readTogether(client, reads.slice(half), block)),
    ];
  }
  const answers: (readonly unknown[] | undefined)[] = [];
  for (const [i, read] of reads.entries()) {
    const one = results[i];
    answers.push(one?.status === "success" ? listOf(one.result) : await readAlone(client, read, block));
  }
  return answers;
}

/** Values of an answer in a form that can be compared. */
export const asText = (values: readonly unknown[]): string =>
  values.map((value) => String(value).toLowerCase()).join(", ");

const listOf = (result: unknown): readonly unknown[] => (Array.isArray(result) ? result : [result]);

/** What failed among others may have failed for want of gas, or because the node did. */
async function readAlone(
  client: PublicClient,
  { address, abi, functionName, args }: Read,
  block: number,
): Promise<readonly unknown[] | undefined> {
  const data = await callContract(
    client,
    { to: address, data: encodeFunctionData({ abi, functionName, args }) },
    block,
  );
  if (data === undefined) return undefined;
  try {
    return listOf(decodeFunctionResult({ abi, functionName, data }));
  } catch {
    return undefined;
  }
}

/** Every initialised tick of the pool, from all words of its bitmap. */
export async function readInitialisedTicks(
  client: PublicClient,
  { pool, tickSpacing }: { pool: Address; tickSpacing: number },
  block: number,
): Promise<number[]> {
  const outermost = Math.floor(MAX_TICK / tickSpacing) >> 8;
  const words = Array.from({ length: 2 * (outermost + 1) }, (_, i) => i - outermost - 1);
  const answers = await readAll(
    client,
    words.map((word) => ({ address: pool, abi: poolAbi, functionName: "tickBitmap", args: [word] })),
    block,
  );
  return words.flatMap((word, i) => {
    const bits = answers[i]?.[0];
    if (typeof bits !== "bigint") throw new Error(`${pool} does not answer tickBitmap(${word}) at block ${block}`);
    return bitsOf(bits).map((bit) => (word * 256 + bit) * tickSpacing);
  });
}

const bitsOf = (word: bigint): number[] =>
  Array.from({ length: 256 }, (_, bit) => bit).filter((bit) => (word >> BigInt(bit)) & 1n);

/** The key of a pool's own position. v3-core Position.get */
export const storageKey = (owner: string, tickLower: number, tickUpper: number): Hex =>
  keccak256(encodePacked(["address", "int24", "int24"], [owner as Address, tickLower, tickUpper]));

export interface Exit {
  /** False where the pool could not pay the amounts, as with a token that is paused: then they are what the manager owes. */
  isPaid: boolean;
  principal0: bigint;
  principal1: bigint;
  fees0: bigint;
  fees1: bigint;
}

interface OwnedNft {
  manager: Address;
  tokenId: bigint;
  owner: Address;
  liquidity: bigint;
}

/**
 * `decreaseLiquidity(all)` then `collect(max)` by the owner, tried at the block: what `collect` pays, the principal apart. Where that is
 * refused, the manager's own books say what it would be, without moving a token: one token must not hide all other pools.
 */
export async function tryExit(client: PublicClient, nft: OwnedNft, block: number): Promise<Exit> {
  const { tokenId, owner } = nft;
  const max = { tokenId, recipient: owner, amount0Max: MOST, amount1Max: MOST };
  const collect = encodeFunctionData({ abi: managerAbi, functionName: "collect", args: [max] });
  const collected = await closeAnd(client, { nft, last: collect, block }).catch((error: unknown) => {
    if (isContractFailure(error)) return undefined;
    throw error;
  });
  if (collected) {
    const paid = decodeFunctionResult({ abi: managerAbi, functionName: "collect", data: collected.last });
    return { isPaid: true, ...apart(paid, collected.principal) };
  }
  const read = encodeFunctionData({ abi: managerAbi, functionName: "positions", args: [tokenId] });
  const { last, principal } = await closeAnd(client, { nft, last: read, block });
  const position = decodeFunctionResult({ abi: managerAbi, functionName: "positions", data: last });
  return { isPaid: false, ...apart([position[10], position[11]], principal) };
}

type Two = readonly [bigint, bigint];

/** In one call: all liquidity is taken out, then `last`. */
async function closeAnd(
  client: PublicClient,
  { nft, last, block }: { nft: OwnedNft; last: Hex; block: number },
): Promise<{ principal: Two; last: Hex }> {
  const { manager, tokenId, owner, liquidity } = nft;
  const all = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: 2n ** 64n };
  const decrease = encodeFunctionData({ abi: managerAbi, functionName: "decreaseLiquidity", args: [all] });
  const { result } = await client.simulateContract({
    address: manager,
    abi: managerAbi,
    functionName: "multicall",
    args: [liquidity > 0n ? [decrease, last] : [last]],
    account: owner,
    blockNumber: BigInt(block),
  });
  const principal: Two =
    liquidity > 0n
      ? decodeFunctionResult({ abi: managerAbi, functionName: "decreaseLiquidity", data: result[0] ?? "0x" })
      : [0n, 0n];
  return { principal, last: result.at(-1) ?? "0x" };
}

function apart(whole: Two, principal: Two): Omit<Exit, "isPaid"> {
  const [principal0, principal1] = [smaller(principal[0], whole[0]), smaller(principal[1], whole[1])];
  return { principal0, principal1, fees0: whole[0] - principal0, fees1: whole[1] - principal1 };
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
