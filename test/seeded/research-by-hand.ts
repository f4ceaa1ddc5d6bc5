// What research questions are about, from the facts in PostgreSQL and from the contracts: without the fold, the lake or SQL over it.
import type { Sql } from "postgres";
import { type Address, encodePacked, type Hex, keccak256, type PublicClient, parseAbi } from "viem";
import { seeded } from "./seeded-index.ts";

const NOBODY = `0x${"0".repeat(40)}`;

interface Transfer {
  block: number;
  from: string;
  to: string;
  amount: string;
}

/** Balances by adding a token's transfers up; blocks in ascending order. */
export async function walletsAt(sql: Sql, token: string, blocks: readonly number[]): Promise<Map<string, bigint>[]> {
  const facts = sql(seeded.ponderSchema);
  const transfers = await sql<Transfer[]>`
    select block, "from", "to", amount::text from ${facts}.erc20_transfer where token = ${token} order by block, log_index`;
  const held = new Map<string, bigint>();
  const add = (account: string, amount: bigint) => {
    const after = (held.get(account) ?? 0n) + amount;
    if (after === 0n) held.delete(account);
    else if (account !== NOBODY) held.set(account, after);
  };
  let next = 0;
  return blocks.map((block) => {
    for (; (transfers[next]?.block ?? Number.POSITIVE_INFINITY) <= block; next += 1) {
      const { from, to, amount } = transfers[next] as Transfer;
      add(from, -BigInt(amount));
      add(to, BigInt(amount));
    }
    return new Map(held);
  });
}

export const sumOf = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((sum, amount) => sum + amount, 0n);

/** The mean difference of two of them, relative to twice the mean. */
export function giniOf(amounts: readonly bigint[]): number {
  const differences = amounts.flatMap((a) => amounts.map((b) => (a > b ? a - b : b - a)));
  return Number(sumOf(differences)) / (2 * amounts.length * Number(sumOf(amounts)));
}

const poolAbi = parseAbi([
  "function liquidity() view returns (uint128)",
  "function factory() view returns (address)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint32 feeProtocol, bool)",
  "function positions(bytes32) view returns (uint128 liquidity, uint256, uint256, uint128, uint128)",
]);
const managerAbi = parseAbi([
  "function factory() view returns (address)",
  "function ownerOf(uint256) view returns (address)",
  "function positions(uint256) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128, uint128)",
]);

export interface PoolAtBlock {
  tick: number;
  liquidity: bigint;
  positions: { owner: string; lower: number; upper: number; liquidity: bigint }[];
}

/** By the contracts alone; facts say which positions there may be. */
export async function readPool(
  { sql, client }: { sql: Sql; client: PublicClient },
  pool: Address,
  block: number,
): Promise<PoolAtBlock> {
  const at = { blockNumber: BigInt(block) };
  const ofPool = { address: pool, abi: poolAbi, ...at };
  const facts = sql(seeded.ponderSchema);
  const [[, tick], liquidity, factory] = await Promise.all([
    client.readContract({ ...ofPool, functionName: "slot0" }),
    client.readContract({ ...ofPool, functionName: "liquidity" }),
    client.readContract({ ...ofPool, functionName: "factory" }),
  ]);
  const [tokens] = await sql`select token0, token1, fee from ${facts}.v3_pool_created where pool = ${pool}`;
  const ids = await sql<{ manager: Address; id: string }[]>`
    select distinct manager, token_id::text as id from ${facts}.v3_nft where block <= ${block}`;
  const managers = [...new Set(ids.map(({ manager }) => manager))];
  const factories = await Promise.all(
    managers.map((address) => client.readContract({ address, abi: managerAbi, functionName: "factory", ...at })),
  );
  const positions: PoolAtBlock["positions"] = [];
  for (const { manager, id } of ids.filter(({ manager: one }) => factories[managers.indexOf(one)] === factory)) {
    const ofId = { address: manager, abi: managerAbi, args: [BigInt(id)], ...at } as const;
    const owner = await client.readContract({ ...ofId, functionName: "ownerOf" }).catch(() => undefined);
    if (owner === undefined) continue; // burnt
    const [, , token0, token1, fee, lower, upper, amount] = await client.readContract({
      ...ofId,
      functionName: "positions",
    });
    if (token0.toLowerCase() !== tokens?.token0 || token1.toLowerCase() !== tokens?.token1 || fee !== tokens?.fee)
      continue;
    positions.push({ owner: owner.toLowerCase(), lower, upper, liquidity: amount });
  }
  const direct = await sql<{ owner: Hex; lower: number; upper: number }[]>`
    select distinct owner, tick_lower as lower, tick_upper as upper from ${facts}.v3_liquidity
     where pool = ${pool} and block <= ${block} and owner <> all(${managers})`;
  for (const { owner, lower, upper } of direct) {
    const key = keccak256(encodePacked(["address", "int24", "int24"], [owner, lower, upper]));
    const [amount] = await client.readContract({ ...ofPool, functionName: "positions", args: [key] });
    positions.push({ owner, lower, upper, liquidity: amount });
  }
  return { tick, liquidity, positions };
}

/** Liquidity in range at a tick by owner, the largest first. */
export function providersAt({ positions }: PoolAtBlock, tick: number): [owner: string, liquidity: bigint][] {
  const byOwner = new Map<string, bigint>();
  for (const { owner, lower, upper, liquidity } of positions)
    if (liquidity > 0n && lower <= tick && tick < upper) byOwner.set(owner, (byOwner.get(owner) ?? 0n) + liquidity);
  return [...byOwner].sort(([, a], [, b]) => (a < b ? 1 : -1));
}
