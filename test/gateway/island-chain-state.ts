// Islands at one block, twice: as the gateway reads them, and as their contracts say.
import { type Address, type PublicClient, parseAbi } from "viem";
import { islandsAt } from "../../gateway/catalogue/island-positions.ts";
import { type Operation, RequestScope, type Service } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { fixBlock } from "../../gateway/history/point.ts";

const islandAbi = parseAbi([
  "function lowerTick() view returns (int24)",
  "function upperTick() view returns (int24)",
  "function manager() view returns (address)",
  "function managerFeeBPS() view returns (uint16)",
  "function managerTreasury() view returns (address)",
  "function managerBalance0() view returns (uint256)",
  "function managerBalance1() view returns (uint256)",
  "function getUnderlyingBalances() view returns (uint256, uint256)",
]);

export interface IslandNumbers {
  island: Address;
  token0: Address;
  token1: Address;
  tickLower: number;
  tickUpper: number;
  manager: string;
  managerFeeBps: number;
  treasury: string | undefined;
  managerBalance0: bigint;
  managerBalance1: bigint;
  underlying0: bigint;
  underlying1: bigint;
}

export interface AnsweredIsland extends IslandNumbers {
  /** All that is the manager's, booked or not. */
  managers0: bigint;
  managers1: bigint;
}

const islandsOperation: Operation<number, AnsweredIsland[]> = {
  name: "islands",
  async run(block, context) {
    const point = await context.snapshot.withFacts((facts) => fixBlock(facts, context.chain, blockNumbered(block)));
    return (await islandsAt(context, point, { whole: true })).map(({ island, row, sides }) => {
      if (!row || !sides) throw new Error(`island ${island.address} is not complete`);
      const [side0, side1] = sides;
      return {
        ...row,
        island: island.address,
        token0: island.token0,
        token1: island.token1,
        underlying0: side0.underlying,
        underlying1: side1.underlying,
        managers0: side0.managerBalance + side0.managerPart,
        managers1: side1.managerBalance + side1.managerPart,
      };
    });
  },
};

export async function answeredIslands(service: Service, block: number): Promise<AnsweredIsland[]> {
  const scope = new RequestScope(service);
  try {
    return await scope.run(islandsOperation, block);
  } finally {
    await scope.close();
  }
}

const views = islandAbi.map(({ name }) => name);
/** A deployless call is a contract's creation, whose answer is its code: at most 24 KiB. */
const ISLANDS_AT_ONCE = 5;

/** What the contracts say of the same islands; fields that they are not asked for are copied. */
export async function chainIslands(
  client: PublicClient,
  answered: readonly AnsweredIsland[],
  block: number,
): Promise<AnsweredIsland[]> {
  const answers: unknown[] = [];
  for (let from = 0; from < answered.length; from += ISLANDS_AT_ONCE) {
    const contracts = answered
      .slice(from, from + ISLANDS_AT_ONCE)
      .flatMap(({ island }) =>
        views.map((functionName) => ({ address: island, abi: islandAbi, functionName }) as const),
      );
    const at = { blockNumber: BigInt(block), deployless: true, batchSize: 0 } as const;
    answers.push(...(await client.multicall({ contracts, allowFailure: false, ...at })));
  }
  return answered.map((one, i) => {
    const [lower, upper, manager, fee, treasury, balance0, balance1, underlying] = answers.slice(
      i * views.length,
      (i + 1) * views.length,
    ) as [number, number, string, number, string, bigint, bigint, readonly [bigint, bigint]];
    return {
      ...one,
      tickLower: lower,
      tickUpper: upper,
      manager: manager.toLowerCase(),
      managerFeeBps: fee,
      treasury: treasury.toLowerCase(),
      managerBalance0: balance0,
      managerBalance1: balance1,
      underlying0: underlying[0],
      underlying1: underlying[1],
    };
  });
}
