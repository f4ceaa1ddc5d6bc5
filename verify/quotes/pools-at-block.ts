// What pools' contracts say at one block, as the router's kernel sees a pool, without its ticks.
import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex, parseAbi } from "viem";
import type { Pool } from "../../core/router/pool.ts";
import { postBatch, postOne } from "../../devnet/json-rpc.ts";
import { poolAbi } from "../pool-contracts.ts";
import type { ListedPool } from "./gateway-answers.ts";
import { type AtBlock, blockText } from "./quoters.ts";

const pairAbi = parseAbi(["function getReserves() view returns (uint112, uint112, uint32)"]);

/** Of a pool's contracts, in order. */
function callsOf({ address: to, protocol, token0, token1 }: ListedPool): { to: Address; data: Hex }[] {
  if (protocol !== "v2")
    return [
      { to, data: reads.slot0 },
      { to, data: reads.liquidity },
    ];
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [to] });
  return [
    { to, data: reads.getReserves },
    { to: token0, data },
    { to: token1, data },
  ];
}

const reads = {
  getReserves: encodeFunctionData({ abi: pairAbi, functionName: "getReserves" }),
  slot0: encodeFunctionData({ abi: poolAbi, functionName: "slot0" }),
  liquidity: encodeFunctionData({ abi: poolAbi, functionName: "liquidity" }),
};

/** Leaves out pools that did not exist yet. @throws Error when the node does not know the block */
export async function readPools(
  rpcUrl: string,
  pools: readonly ListedPool[],
  block: AtBlock,
): Promise<Map<Address, Pool>> {
  const calls = pools.flatMap((pool) => callsOf(pool).map((call) => ({ pool, call })));
  const answers = await postBatch(
    rpcUrl,
    calls.map(({ call }) => ({ method: "eth_call", params: [call, blockText(block)] })),
  );
  const said = new Map<Address, Hex[]>();
  for (const [i, answer] of answers.entries()) {
    const address = calls[i]?.pool.address ?? "0x";
    if (answer instanceof Error) throw answer;
    said.set(address, [...(said.get(address) ?? []), answer as Hex]);
  }
  return new Map(
    pools.flatMap((pool): [Address, Pool][] => {
      const words = said.get(pool.address) ?? [];
      return words.length === 0 || words.includes("0x") ? [] : [[pool.address, poolFrom(pool, words)]];
    }),
  );
}

function poolFrom(
  { address, protocol, token0, token1, fee }: ListedPool,
  [first = "0x", second = "0x", third = "0x"]: Hex[],
): Pool {
  const named = { address, token0, token1, fee: fee ?? 0 };
  if (protocol === "v2") {
    const [reserve0, reserve1] = decodeFunctionResult({ abi: pairAbi, functionName: "getReserves", data: first });
    const [unsynced0, unsynced1] = [BigInt(second) - reserve0, BigInt(third) - reserve1];
    return { kind: "v2", ...named, reserve0, reserve1, unsynced0, unsynced1 };
  }
  const [sqrtPriceX96, tick] = decodeFunctionResult({ abi: poolAbi, functionName: "slot0", data: first });
  const liquidity = decodeFunctionResult({ abi: poolAbi, functionName: "liquidity", data: second });
  return { kind: "v3", ...named, tickSpacing: 0, sqrtPriceX96, tick, liquidity, ticks: [] };
}

/** The numbers that a swap moves. */
export const stateText = (pool: Pool | undefined): string => {
  if (!pool) return "not there";
  return pool.kind === "v2"
    ? `reserves ${pool.reserve0} ${pool.reserve1} unsynced ${pool.unsynced0} ${pool.unsynced1}`
    : `price ${pool.sqrtPriceX96} tick ${pool.tick} liquidity ${pool.liquidity}`;
};

export interface NodeBlock {
  number: number;
  hash: Hex;
  parentHash: Hex;
}

/** The newest block, or that of the hash. @throws Error when the node does not have it */
export async function readBlock(rpcUrl: string, hash?: Hex): Promise<NodeBlock> {
  const method = hash === undefined ? "eth_getBlockByNumber" : "eth_getBlockByHash";
  const block = await postOne<(Omit<NodeBlock, "number"> & { number: Hex }) | null>(rpcUrl, method, [
    hash ?? "latest",
    false,
  ]);
  if (!block) throw new Error(`the node has no block ${hash}`);
  return { number: Number(block.number), hash: block.hash, parentHash: block.parentHash };
}

/** Addresses with a log in the block, those of its last log first. */
export async function readLogging(rpcUrl: string, blockHash: Hex): Promise<Address[]> {
  const logs = await postOne<{ address: Address }[]>(rpcUrl, "eth_getLogs", [{ blockHash }]);
  return [...new Set(logs.map(({ address }) => address.toLowerCase() as Address).reverse())];
}
