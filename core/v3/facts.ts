// What the contracts said, as plain rows in event order: the reducer's only input. Addresses are lower-case,
// amounts raw token units.
// v3-core contracts/interfaces/pool/IUniswapV3PoolEvents.sol, IUniswapV3PoolOwnerActions' events,
// v3-periphery contracts/interfaces/INonfungiblePositionManager.sol
import type { FactPlace } from "../fact-place.ts";
import type { Amounts } from "../math/liquidity-amounts.ts";

interface PoolFactPlace extends FactPlace {
  pool: string;
}

interface Range {
  tickLower: number;
  tickUpper: number;
}

export interface InitializeFact extends PoolFactPlace {
  kind: "initialize";
  sqrtPriceX96: bigint;
  tick: number;
}

/** `amount` is liquidity; `amount0`, `amount1` were paid in. */
export interface MintFact extends PoolFactPlace, Range, Amounts {
  kind: "mint";
  sender: string;
  owner: string;
  amount: bigint;
}

/** `amount` is liquidity, 0 for a poke; `amount0`, `amount1` became owed to the owner, nothing was paid out. */
export interface BurnFact extends PoolFactPlace, Range, Amounts {
  kind: "burn";
  owner: string;
  amount: bigint;
}

/** Amounts paid out of what was owed. */
export interface CollectFact extends PoolFactPlace, Range, Amounts {
  kind: "collect";
  owner: string;
}

/** Amounts are the pool's changes: positive came in. Price, liquidity and tick are those after the swap. */
export interface SwapFact extends PoolFactPlace, Amounts {
  kind: "swap";
  sqrtPriceX96: bigint;
  liquidity: bigint;
  tick: number;
}

/** `paid0`, `paid1`: what came back beyond the loan. */
export interface FlashFact extends PoolFactPlace {
  kind: "flash";
  paid0: bigint;
  paid1: bigint;
}

/** Of either flavour; each number is one token's setting, not the packed slot. */
export interface SetFeeProtocolFact extends PoolFactPlace {
  kind: "setFeeProtocol";
  feeProtocol0Old: number;
  feeProtocol1Old: number;
  feeProtocol0New: number;
  feeProtocol1New: number;
}

export interface CollectProtocolFact extends PoolFactPlace, Amounts {
  kind: "collectProtocol";
}

/** `kodiak` flavour only, logged by the pool just before the `Swap` it belongs to, when there was any protocol fee. */
interface ProtocolFeesEarnedFact extends PoolFactPlace, Amounts {
  kind: "protocolFeesEarned";
}

export type PoolFact =
  | InitializeFact
  | MintFact
  | BurnFact
  | CollectFact
  | SwapFact
  | FlashFact
  | SetFeeProtocolFact
  | CollectProtocolFact
  | ProtocolFeesEarnedFact;

/** The manager's `IncreaseLiquidity`: right after the pool's `Mint` to the manager, in the same transaction. */
export interface IncreaseLiquidityFact extends FactPlace, Amounts {
  kind: "increaseLiquidity";
  tokenId: bigint;
  liquidity: bigint;
}

/** The manager's `DecreaseLiquidity`: right after the pool's `Burn`. */
export interface DecreaseLiquidityFact extends FactPlace, Amounts {
  kind: "decreaseLiquidity";
  tokenId: bigint;
  liquidity: bigint;
}

/** The manager's own `Collect`: what it took off the token id, which the pool may have paid some wei short. */
export interface CollectTokenFact extends FactPlace, Amounts {
  kind: "collectToken";
  tokenId: bigint;
}

/** The manager's ERC-721 `Transfer`. */
export interface TransferTokenFact extends FactPlace {
  kind: "transferToken";
  tokenId: bigint;
  from: string;
  to: string;
}

export type ManagerFact = IncreaseLiquidityFact | DecreaseLiquidityFact | CollectTokenFact | TransferTokenFact;

export type V3Fact = PoolFact | ManagerFact;
