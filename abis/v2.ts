// What Uniswap v2 contracts log: v2-core IUniswapV2Factory, IUniswapV2Pair. Shares are ERC-20: their Transfers are in erc20.ts.
import { parseAbi, parseAbiItem } from "viem";

export const v2PairCreated = parseAbiItem(
  "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 ordinal)",
);

export const v2FactoryAbi = [v2PairCreated] as const;

export const v2PairAbi = parseAbi([
  "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
  "event Mint(address indexed sender, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)",
  "event Sync(uint112 reserve0, uint112 reserve1)",
]);
