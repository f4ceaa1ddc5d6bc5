// What the chain says at one block against the fold's rows as of that block: every number of every pool, tick, position and token
// id, and that what has no row there has none on the chain either.
import { type Address, encodePacked, keccak256, type PublicClient, parseAbi } from "viem";
import { type StoredSpan, stateAt } from "./v3-states.ts";

const poolAbi = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 index, uint16 cardinality, uint16 next, uint32 feeProtocol, bool unlocked)",
  "function liquidity() view returns (uint128)",
  "function feeGrowthGlobal0X128() view returns (uint256)",
  "function feeGrowthGlobal1X128() view returns (uint256)",
  "function protocolFees() view returns (uint128, uint128)",
  "function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)",
  "function positions(bytes32) view returns (uint128, uint256, uint256, uint128, uint128)",
]);
const managerAbi = parseAbi([
  "function positions(uint256) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128, uint128)",
  "function ownerOf(uint256) view returns (address)",
]);

export interface PoolInfo {
  address: Address;
  flavour: string;
  token0: string;
  token1: string;
  fee: number;
  createdBlock: number;
}

export interface StoredHistory {
  pools: ReadonlyMap<string, PoolInfo>;
  spans: readonly StoredSpan[];
}

export interface ChainComparison {
  /** Numbers compared, by what they belong to. */
  compared: Record<string, number>;
  differences: string[];
}

type Number = string | number | bigint | boolean;

/** One call and the numbers it must answer; none where it must revert. */
interface Expectation {
  what: string;
  call: { address: Address; abi: typeof poolAbi | typeof managerAbi; functionName: string; args: readonly unknown[] };
  /** What of the answer is compared with `numbers`. */
  pick(answer: readonly unknown[]): unknown[];
  numbers: readonly Number[] | undefined;
}

const all = (answer: readonly unknown[]): unknown[] => [...answer];

function poolExpectations({ address, flavour }: PoolInfo, stored: readonly string[]): Expectation[] {
  const [price = "", tick = "", liquidity = "", growth0 = "", growth1 = "", fees0 = "", fees1 = "", fee0, fee1] =
    stored;
  const read = (functionName: string) => ({ address, abi: poolAbi, functionName, args: [] });
  const packed = Number(fee0) + Number(fee1) * (flavour === "kodiak" ? 65_536 : 16);
  return [
    { what: "slot0", call: read("slot0"), pick: (a) => [a[0], a[1], a[5]], numbers: [price, tick, packed] },
    { what: "liquidity", call: read("liquidity"), pick: all, numbers: [liquidity] },
    { what: "feeGrowthGlobal", call: read("feeGrowthGlobal0X128"), pick: all, numbers: [growth0] },
    { what: "feeGrowthGlobal", call: read("feeGrowthGlobal1X128"), pick: all, numbers: [growth1] },
    { what: "protocolFees", call: read("protocolFees"), pick: all, numbers: [fees0, fees1] },
  ];
}

function tickExpectation(pool: PoolInfo, tick: string, stored: readonly string[] | undefined): Expectation {
  const call = { address: pool.address, abi: poolAbi, functionName: "ticks", args: [Number(tick)] };
  const pick = (a: readonly unknown[]) => [a[0], a[1], a[2], a[3], a[7]];
  const numbers = stored ? [...stored, true] : [0, 0, 0, 0, false];
  return { what: stored ? "ticks" : "ticks that are not", call, pick, numbers };
}

function positionExpectation(
  pool: PoolInfo,
  [owner = "", lower, upper]: readonly string[],
  stored: readonly string[] | undefined,
): Expectation {
  const range = [owner as Address, Number(lower), Number(upper)] as const;
  const key = keccak256(encodePacked(["address", "int24", "int24"], range));
  const call = { address: pool.address, abi: poolAbi, functionName: "positions", args: [key] };
  const numbers = stored ?? [0, 0, 0, 0, 0];
  return { what: stored ? "pool positions" : "pool positions that are not", call, pick: all, numbers };
}

function nftExpectations(
  pools: StoredHistory["pools"],
  [manager, tokenId]: readonly string[],
  stored: readonly string[] | undefined,
): Expectation[] {
  const [address = "", owner = "", ...rest] = stored ?? [];
  const pool = pools.get(address);
  const read = (functionName: string) => {
    const args = [BigInt(tokenId ?? "")];
    return { address: manager as Address, abi: managerAbi, functionName, args };
  };
  const what = stored ? "token ids" : "token ids that are not";
  const key = pool ? [pool.token0, pool.token1, pool.fee] : [];
  return [
    { what, call: read("positions"), pick: (a) => a.slice(2), numbers: stored && [...key, ...rest] },
    { what, call: read("ownerOf"), pick: all, numbers: stored && [owner] },
  ];
}

function expectationsOf(history: StoredHistory, key: string, text: string | undefined): Expectation[] {
  const [kind, address = "", ...rest] = key.split(" ");
  const stored = text?.split(",");
  if (kind === "nft") return nftExpectations(history.pools, [address, ...rest], stored);
  const pool = history.pools.get(address);
  if (pool === undefined) throw new Error(`no pool ${address}`);
  if (kind === "pool") return stored ? poolExpectations(pool, stored) : [];
  if (kind === "tick") return [tickExpectation(pool, rest[0] ?? "", stored)];
  return [positionExpectation(pool, rest, stored)];
}

/** A deployless call is a contract's creation, whose answer is its code: at most 24 KiB. */
const CALLS_AT_ONCE = 40;

async function readAll(
  client: PublicClient,
  { calls, block }: { calls: readonly Expectation["call"][]; block: number },
): Promise<{ status: string; result?: unknown }[]> {
  const answers = [];
  for (let from = 0; from < calls.length; from += CALLS_AT_ONCE) {
    const part = await client.multicall({
      contracts: calls.slice(from, from + CALLS_AT_ONCE) as {
        address: Address;
        abi: typeof poolAbi;
        functionName: "liquidity";
      }[],
      blockNumber: BigInt(block),
      allowFailure: true,
      deployless: true,
      batchSize: 0,
    });
    // one error for all of them is the node's, not a contract's
    const refusal = part.length > 1 ? part[0]?.error : undefined;
    if (refusal !== undefined && part.every(({ error }) => error === refusal))
      throw new Error(`the node refused block ${block}: ${refusal.message.slice(0, 100)}`);
    answers.push(...part);
  }
  return answers;
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value.toLowerCase() : typeof value === "boolean" ? String(Number(value)) : String(value);

/** With `isWhole`, also what the chain must not have: every tick, position and token id there is at another block. */
export async function compareWithChain(
  client: PublicClient,
  history: StoredHistory,
  { block, isWhole }: { block: number; isWhole: boolean },
): Promise<ChainComparison> {
  const state = stateAt(history.spans, block);
  const isThere = (key: string) => (history.pools.get(key.split(" ")[1] ?? "")?.createdBlock ?? 0) <= block;
  const keys = isWhole ? new Set(history.spans.map(({ key }) => key).filter(isThere)) : state.keys();
  const expected = [...keys].flatMap((key) => expectationsOf(history, key, state.get(key)));
  const answers = await readAll(client, { calls: expected.map(({ call }) => call), block });
  const comparison: ChainComparison = { compared: {}, differences: [] };
  for (const [index, { what, call, pick, numbers }] of expected.entries()) {
    const answer = answers[index];
    const values: unknown = answer?.result;
    const given =
      answer?.status !== "success" ? undefined : pick(Array.isArray(values) ? values : [values]).map(asText);
    comparison.compared[what] = (comparison.compared[what] ?? 0) + (numbers?.length ?? 1);
    const wanted = numbers?.map(asText);
    if (given?.join() === wanted?.join()) continue;
    const name = `block ${block}: ${call.functionName}(${call.args}) of ${call.address}`;
    comparison.differences.push(`${name}: chain ${given ?? "reverts"}, fold ${wanted ?? "nothing"}`);
  }
  return comparison;
}
