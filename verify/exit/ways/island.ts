// Shares of an island. KodiakIsland.sol `burn`
import { type Address, parseAbi, zeroAddress } from "viem";
import { poolAbi, storageKey } from "../../pool-contracts.ts";
import type { ChainCopy } from "../chain-copy.ts";
import type { WayOut } from "../way-out.ts";

const abi = parseAbi([
  "function paused() view returns (bool)",
  "function manager() view returns (address)",
  "function unpause()",
  "function totalSupply() view returns (uint256)",
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function lowerTick() view returns (int24)",
  "function upperTick() view returns (int24)",
  "function burn(uint256 burnAmount, address receiver) returns (uint256, uint256, uint128)",
]);

interface PlacedIsland {
  island: Address;
  pool: Address;
}

export function burnIslandShares(placed: PlacedIsland, shares: bigint): WayOut {
  const { island, pool } = placed;
  return {
    through: [island, pool],
    payer: island,
    async take(copy, account) {
      const notes = await open(copy, island);
      const retained = await worthOfCutLiquidity(copy, placed, shares);
      const burn = { from: account, to: island, abi, call: "burn", args: [shares, account] };
      return { receipts: [await copy.perform(burn)], notes, retained };
    },
  };
}

/** A pause is no loss: its manager can end it. */
async function open({ client, perform }: ChainCopy, island: Address): Promise<string[]> {
  const isPaused = await client.readContract({ address: island, abi, functionName: "paused" });
  if (!isPaused) return [];
  const manager = await client.readContract({ address: island, abi, functionName: "manager" });
  if (manager === zeroAddress) return [];
  await perform({ from: manager, to: island, abi, call: "unpause", args: [] });
  return [`${island} was paused: its manager opened it`];
}

/**
 * An island burns whole units of liquidity; one can be worth several wei. Resolves to the worth of the part of a unit that it leaves,
 * calculated from what the pool would pay for the whole position, rounded down.
 */
async function worthOfCutLiquidity(
  { client }: ChainCopy,
  { island, pool }: PlacedIsland,
  shares: bigint,
): Promise<Map<Address, bigint>> {
  const own = { address: island, abi } as const;
  const [lower, upper] = [
    await client.readContract({ ...own, functionName: "lowerTick" }),
    await client.readContract({ ...own, functionName: "upperTick" }),
  ];
  const key = storageKey(island, lower, upper);
  const [liquidity] = await client.readContract({
    address: pool,
    abi: poolAbi,
    functionName: "positions",
    args: [key],
  });
  const supply = await client.readContract({ ...own, functionName: "totalSupply" });
  if (liquidity === 0n || supply === 0n) return new Map();
  const { result } = await client.simulateContract({
    address: pool,
    abi: poolAbi,
    functionName: "burn",
    args: [lower, upper, liquidity],
    account: island,
  });
  const cut = (shares * liquidity) % supply;
  const worth = (all: bigint) => (cut * all) / (supply * liquidity);
  const tokens = [
    await client.readContract({ ...own, functionName: "token0" }),
    await client.readContract({ ...own, functionName: "token1" }),
  ];
  return new Map(tokens.map((token, i) => [token.toLowerCase() as Address, worth(result[i] ?? 0n)]));
}
