// The devnet's tokens: honest ones of four decimals, both wrapped-native flavours, odd ones, hostile ones, and noise.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { deployContracts } from "./deploy-contracts.ts";

export interface TokensDeployment {
  /** Wrapped native of flavour `transfer`: wrapping shows as Transfers from and to zero. The wrapped native of every router. */
  wbera: Address;
  /** Wrapped native of flavour `weth9`: wrapping shows as Deposit and Withdrawal. */
  weth: Address;
  /** Plain tokens anyone may mint: `mint(to, amount)`. */
  honey: Address; // 18 decimals, a dollar
  usdc: Address; // 6 decimals, a dollar
  usdt: Address; // 6 decimals, a dollar
  wbtc: Address; // 8 decimals
  ohm: Address; // 9 decimals
  ibgt: Address; // 18 decimals
  kdk: Address; // 18 decimals
  yeet: Address; // 18 decimals
  bera: Address; // 18 decimals, "beraETH"
  /** Takes 1 % and shows it with a second Transfer to its treasury. */
  feeOnTransfer: Address;
  /** Credits the receiver 1 % less than its Transfer says. */
  silentSkim: Address;
  /** `rebase(numerator, denominator)` changes every balance without an event. */
  rebasing: Address;
  /** `name()` and `symbol()` answer bytes32. */
  bytes32Metadata: Address;
  hostile: {
    /** `mintMax(to)` emits Transfer(0, to, 2^256-1), as often as it is called. */
    overflowing: Address;
    /** `spend(from, to, amount)` emits a Transfer from any account, whatever its balance. */
    phantomSpend: Address;
    /** Behaves, but its name carries NUL and control characters. */
    nulName: Address;
    /** Behaves, but `decimals()` is 255. */
    decimals255: Address;
    /** Behaves, but `name()` and `symbol()` revert. */
    revertingName: Address;
    /** Behaves, but its name is 10,000 bytes long. */
    hugeName: Address;
  };
  noise: {
    /** ERC-721-like: Transfers with three indexed fields. */
    nft: Address;
    /** `topicOnly()`, `threeWords()`, `twoIndexedShortData()`: logs that carry Transfer's topic0 and nothing it promises. */
    malformed: Address;
  };
}

/** Deploys all of them in one block. */
export async function deployTokens(chain: DevChain): Promise<TokensDeployment> {
  const control = "Nul\u0000Token\u0001\u0007\u001b[31m";
  const at = await deployContracts(chain, {
    wbera: { name: "WrappedNative", args: ["Wrapped Bera", "WBERA"] },
    weth: { name: "WETH9" },
    honey: { name: "MintableToken", args: ["Honey", "HONEY", 18] },
    usdc: { name: "MintableToken", args: ["USD Coin", "USDC.e", 6] },
    usdt: { name: "MintableToken", args: ["Tether USD", "USDT0", 6] },
    wbtc: { name: "MintableToken", args: ["Wrapped Bitcoin", "WBTC", 8] },
    ohm: { name: "MintableToken", args: ["Olympus", "OHM", 9] },
    ibgt: { name: "MintableToken", args: ["Infrared BGT", "iBGT", 18] },
    kdk: { name: "MintableToken", args: ["Kodiak", "KDK", 18] },
    yeet: { name: "MintableToken", args: ["Yeet", "YEET", 18] },
    bera: { name: "MintableToken", args: ["Dinero Bera ETH", "beraETH", 18] },
    feeOnTransfer: { name: "FeeOnTransferToken", args: ["Honest Fee", "FEE", 18] },
    silentSkim: { name: "SilentSkimToken", args: ["Silent Skim", "SKIM", 18] },
    rebasing: { name: "RebasingToken", args: ["Rebasing", "REBASE", 9] },
    bytes32Metadata: { name: "Bytes32Token" },
    overflowing: { name: "OverflowingToken", args: ["Overflowing", "OVER", 18] },
    phantomSpend: { name: "PhantomSpendToken", args: ["Phantom Spend", "PHANTOM", 18] },
    nulName: { name: "MintableToken", args: [control, "NUL\u0000\n", 18] },
    decimals255: { name: "MintableToken", args: ["Decimals 255", "D255", 255] },
    revertingName: { name: "RevertingNameToken" },
    hugeName: { name: "MintableToken", args: ["long ".repeat(2000), "HUGE", 18] },
    nft: { name: "NftLike" },
    malformed: { name: "MalformedTransfers" },
  });
  const { overflowing, phantomSpend, nulName, decimals255, revertingName, hugeName, nft, malformed, ...plain } = at;
  return {
    ...plain,
    hostile: { overflowing, phantomSpend, nulName, decimals255, revertingName, hugeName },
    noise: { nft, malformed },
  };
}
