// What launch pools and their factory log (PandaFactory, PandaPool). A pool's own first logs precede its factory's.
import { parseAbi, parseAbiItem } from "viem";

export const launchDeployed = parseAbiItem(
  "event PandaDeployed(address indexed pandaPool, address indexed implementation)",
);

export const launchFactoryAbi = [
  launchDeployed,
  ...parseAbi([
    "event IncentiveSet(address indexed token, uint256 amount)",
    "event IncentiveClaimed(address indexed pandaPool, uint256 amount)",
    "event FactorySet(address indexed factory, bytes32 initCodeHash)",
    "event WberaSet(address indexed wbera)",
    "event TreasurySet(address indexed treasury)",
    "event PandaPoolFeesSet(uint16 buyFee, uint16 sellFee, uint16 graduationFee, uint16 deployerFeeShare)",
    "event MinRaiseSet(address indexed baseToken, uint256 minRaise)",
    "event MinTradeSizeSet(address indexed baseToken, uint256 minTradeSize)",
    "event AllowedImplementationSet(address indexed implementation, bool allowed)",
  ]),
] as const;

/** Of a swap, index 0 is the launched token and 1 the base token. */
export const launchPoolAbi = parseAbi([
  "event PoolInitialized(address pandaToken, address baseToken, uint256 sqrtPa, uint256 sqrtPb, uint256 vestingPeriod, address deployer, bytes data)",
  "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
  "event Sync(uint256 pandaReserve, uint256 baseReserve, uint256 sqrtPrice)",
  "event LiquidityMoved(uint256 amountPanda, uint256 amountBase)",
  "event TokensClaimed(address indexed user, uint256 amount)",
  "event ExcessCollected(uint256 excessPandaTokens, uint256 excessBaseTokens)",
]);
