// The seeded devnet keeps its promises: the sizes, the awkward cases and, for the same seed, the very same chain.
import { type Address, type Hex, numberToHex, toEventHash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { loadChain } from "../../chains/load.ts";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { onStage } from "../../devnet/scenario/stage.ts";
import { sqrtPriceAt } from "../../devnet/scenario/v3-pools.ts";
import { readView } from "../../devnet/scenario/world.ts";
import { startSeededDevnet } from "../../devnet/seeded.ts";
import { freePort } from "../../machine/ports.ts";
import { type OpenedDevnet, openSeededDevnet } from "./seeded-index.ts";

const DAY = 86_400;
const TRANSFER = toEventHash("Transfer(address,address,uint256)");
const ZERO = `0x${"0".repeat(64)}`;
const DEAD = `0x${"0".repeat(24)}000000000000000000000000000000000000dead`;

interface Log {
  address: Address;
  topics: readonly Hex[];
  data: Hex;
  blockNumber: Hex;
}

let devnet: OpenedDevnet;
let logs: Log[];
let genesisTime: number;

beforeAll(async () => {
  devnet = await openSeededDevnet();
  logs = await devnet.chain.rpc<Log[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
  genesisTime = Number((await devnet.chain.client.getBlock({ blockNumber: 0n })).timestamp);
});

const logsOf = (signature: string): Log[] => {
  const topic = toEventHash(signature);
  return logs.filter(({ topics }) => topics[0] === topic);
};
const transfersOf = (token: Address): Log[] =>
  logs.filter((log) => log.topics[0] === TRANSFER && log.topics.length === 3 && log.address === token);

async function timeOf(block: Hex): Promise<number> {
  return Number((await devnet.chain.client.getBlock({ blockNumber: BigInt(block) })).timestamp);
}

describe("sizes", () => {
  test("1,500 blocks over 40 days, 150 accounts, 12 tokens with transfers", () => {
    expect(devnet.head.number).toBeGreaterThanOrEqual(1_500);
    expect(devnet.head.timestamp - genesisTime).toBeGreaterThanOrEqual(40 * DAY);
    const own = new Set<string>(devnet.chain.accounts);
    const receivers = logs
      .filter(({ topics }) => topics[0] === TRANSFER && topics.length === 3)
      .map(({ topics }) => `0x${topics[2]?.slice(26) ?? ""}`)
      .filter((account) => own.has(account));
    expect(new Set(receivers).size).toBeGreaterThanOrEqual(150);
    const { hostile, noise: _, ...tokens } = devnet.at.tokens;
    const moved = [...Object.values(tokens), ...Object.values(hostile)].filter(
      (token) => transfersOf(token).length > 5,
    );
    expect(moved.length).toBeGreaterThanOrEqual(12);
  });

  test("v3 pools of every tier in both flavours, v2 pairs, islands", () => {
    const pools = [...devnet.world.stage.v3.values()];
    const tiers = (flavour: string) => new Set(pools.filter((pool) => pool.flavour === flavour).map(({ fee }) => fee));
    expect(tiers("uniswap")).toEqual(new Set([100, 500, 3_000, 10_000]));
    expect(tiers("kodiak")).toEqual(new Set([100, 500, 3_000, 10_000]));
    expect(devnet.world.stage.v2.size).toBeGreaterThanOrEqual(3);
    expect(devnet.world.stage.islands.size).toBeGreaterThanOrEqual(4);
  });

  test("decimals of 6, 8, 9 and 18", async () => {
    const { usdc, wbtc, ohm, honey } = devnet.at.tokens;
    const decimals = [usdc, wbtc, ohm, honey].map((to) =>
      readView<number>(devnet.world, { name: "MintableToken", to, call: "decimals" }),
    );
    expect(await Promise.all(decimals)).toEqual([6, 8, 9, 18]);
  });
});

describe("pools", () => {
  test("every kind of event of a v3 pool and of position NFTs occurs", () => {
    const least: Record<string, number> = {
      "Swap(address,address,int256,int256,uint160,uint128,int24)": 500,
      "Mint(address,address,int24,int24,uint128,uint256,uint256)": 100,
      "Burn(address,int24,int24,uint128,uint256,uint256)": 50,
      "Collect(address,address,int24,int24,uint128,uint128)": 50,
      "Flash(address,address,uint256,uint256,uint256,uint256)": 10,
      "SetFeeProtocol(uint8,uint8,uint8,uint8)": 1,
      "SetFeeProtocol(uint32,uint32,uint32,uint32)": 1,
      "CollectProtocol(address,address,uint128,uint128)": 3,
      "ProtocolFeesEarned(uint128,uint128)": 50,
      "IncreaseLiquidity(uint256,uint128,uint256,uint256)": 60,
      "DecreaseLiquidity(uint256,uint128,uint256,uint256)": 20,
      "Collect(uint256,address,uint256,uint256)": 20,
    };
    const counted = Object.keys(least).map((signature) => [signature, logsOf(signature).length] as const);
    expect(counted.filter(([signature, count]) => count < (least[signature] ?? 0))).toEqual([]);
  });

  test("one is minutes old and one less than a week when the seeded part ends", async () => {
    const created = logsOf("PoolCreated(address,address,uint24,int24,address)");
    const ages = await Promise.all(
      created.map(async ({ blockNumber }) => devnet.head.timestamp - (await timeOf(blockNumber))),
    );
    expect(ages.filter((age) => age < 1_800).length).toBeGreaterThanOrEqual(1);
    expect(ages.filter((age) => age >= 1_800 && age < 7 * DAY).length).toBeGreaterThanOrEqual(1);
  });

  test("swaps end exactly at the price they were limited to, and cross many ticks", () => {
    const swaps = logsOf("Swap(address,address,int256,int256,uint160,uint128,int24)").map(({ address, data }) => ({
      address,
      sqrtPriceX96: BigInt(`0x${data.slice(2 + 128, 2 + 192)}`),
      tick: Number(BigInt.asIntN(24, BigInt(`0x${data.slice(-64)}`))),
    }));
    const limits = new Set(
      [...devnet.world.stage.v3.values()].flatMap(({ baseTick, tickSpacing }) =>
        [-3, -2, -1, 0, 1, 2, 3].map((steps) => sqrtPriceAt(baseTick + steps * tickSpacing)),
      ),
    );
    expect(swaps.filter(({ sqrtPriceX96 }) => limits.has(sqrtPriceX96)).length).toBeGreaterThan(30);
    const jumps = swaps.map(({ address, tick }, index) => {
      const before = swaps.slice(0, index).findLast((earlier) => earlier.address === address);
      return before === undefined ? 0 : Math.abs(tick - before.tick);
    });
    expect(Math.max(...jumps)).toBeGreaterThan(1_000);
  });

  test("the protocol fee of the pairs is on for a while: shares are minted to its receiver", () => {
    const [owner] = devnet.chain.accounts;
    const pairs = new Set([...devnet.world.stage.v2.values()].map(({ address }) => address));
    const toOwner = logs.filter(
      ({ address, topics }) => pairs.has(address) && topics[1] === ZERO && topics[2]?.slice(26) === owner?.slice(2),
    );
    expect(toOwner.length).toBeGreaterThan(0);
  });
});

describe("tokens", () => {
  test("move to zero, to the dead address, to themselves, of nothing, and mint to zero", () => {
    const kinds = logs.filter(({ topics }) => topics[0] === TRANSFER && topics.length === 3);
    const some = (fits: (log: Log) => boolean): boolean => kinds.some(fits);
    expect(some(({ topics }) => topics[1] === ZERO && topics[2] === ZERO)).toBe(true);
    expect(some(({ topics }) => topics[2] === DEAD)).toBe(true);
    expect(some(({ topics }) => topics[1] !== ZERO && topics[1] === topics[2])).toBe(true);
    expect(some(({ data }) => data === ZERO)).toBe(true);
  });

  test("one lives and dies: its supply is zero in the end", async () => {
    const to = onStage(devnet.world.stage.named, "mayfly");
    expect(transfersOf(to).length).toBeGreaterThan(10);
    expect(await readView<bigint>(devnet.world, { name: "MintableToken", to, call: "totalSupply" })).toBe(0n);
  });

  test("both flavours of wrapping occur", () => {
    const { wbera, weth } = devnet.at.tokens;
    const wraps = (signature: string): number => logsOf(signature).filter(({ address }) => address === weth).length;
    expect(wraps("Deposit(address,uint256)")).toBeGreaterThan(20);
    expect(wraps("Withdrawal(address,uint256)")).toBeGreaterThan(20);
    expect(transfersOf(wbera).filter(({ topics }) => topics[1] === ZERO).length).toBeGreaterThan(20);
  });
});

describe("the same seed", () => {
  test("is deployed at the addresses of the chain file", () => {
    expect(loadChain("devnet")).toEqual(chainFileOf(devnet.at));
  });

  test("gives the same blocks again, and another seed gives others", async () => {
    const steps = 110;
    const hashAt = async (number: number): Promise<Hex> =>
      (await devnet.chain.client.getBlock({ blockNumber: BigInt(number) })).hash;
    for (const [seed, isSame] of [
      ["tidemark", true],
      ["another", false],
    ] as const) {
      const again = await startSeededDevnet({ port: await freePort(), steps, seed });
      const { number, hash } = again.head;
      await again.stop();
      expect((await hashAt(number)) === hash, `${seed} at ${numberToHex(number)}`).toBe(isSame);
    }
  });
});
