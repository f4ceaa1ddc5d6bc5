// The peer: a plain Ponder project that keeps price, tick and liquidity of v3 pools in its handlers, and no fee growth.
import { createConfig, factory } from "ponder";
import { parseAbi, parseAbiItem } from "viem";

const { DATABASE_URL, RPC_URL, BENCH_CHAIN_ID, BENCH_POLLING_MS, BENCH_V3_FACTORY } = process.env;

export default createConfig({
  database: { kind: "postgres", connectionString: DATABASE_URL ?? "", poolConfig: { max: 10 } },
  chains: { chain: { id: Number(BENCH_CHAIN_ID), rpc: RPC_URL ?? "", pollingInterval: Number(BENCH_POLLING_MS) } },
  contracts: {
    V3Pool: {
      abi: parseAbi([
        "event Initialize(uint160 sqrtPriceX96, int24 tick)",
        "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
        "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
        "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
      ]),
      chain: "chain",
      startBlock: 0,
      address: factory({
        address: BENCH_V3_FACTORY as `0x${string}`,
        event: parseAbiItem(
          "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
        ),
        parameter: "pool",
      }),
    },
  },
});
