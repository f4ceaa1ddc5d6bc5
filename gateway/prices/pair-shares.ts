// Shares of v2 pairs: parts of what the pair itself holds, whatever its reserves say (UniswapV2Pair.sol, `burn`).
import { fairPairAmounts } from "../../core/prices/fair-amounts.ts";
import { heldOfBoth } from "../backing/ledger.ts";
import type { LedgerAt } from "../backing/ledger-at.ts";
import type { V2Pair } from "../protocols/v2/pairs-at.ts";
import type { BackedShare, MeanPrices } from "./share.ts";

export async function pairShares(
  ledger: LedgerAt,
  pairs: readonly V2Pair[],
  means: MeanPrices,
): Promise<BackedShare[]> {
  const held = await heldOfBoth(ledger, pairs);
  return pairs.map(({ address, token0, token1 }, i) => {
    const [amount0 = 0n, amount1 = 0n] = held[i] ?? [];
    const actual = { amount0, amount1 };
    const mean = means.get(address);
    const fair = mean ? fairPairAmounts(actual, mean) : actual;
    const partsOf = ({ amount0, amount1 }: typeof actual) => [
      { token: token0, amount: amount0 },
      { token: token1, amount: amount1 },
    ];
    return { share: address, parts: partsOf(actual), fairParts: partsOf(fair) };
  });
}
