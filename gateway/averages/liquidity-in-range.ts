// What liquidity accounts had on average in a v3 pool while its price was within their positions.
import { weighInside } from "../../core/averages/v3/weigh-inside.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { HeldAs } from "../backing/held-as.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { clockOf, type Weight } from "./clock.ts";
import { V3Over } from "./v3-over.ts";

interface LiquidityPart {
  heldAs: HeldAs;
  /** Liquidity; rounded down once for each position and owner. */
  amount: bigint;
}

interface LiquidityInRange {
  /** What all blocks weigh together. */
  total: bigint;
  parts: ReadonlyMap<Address, readonly LiquidityPart[]>;
}

/**
 * Of everybody, by position: Σ weight · liquidity over the blocks at whose end `tickLower <= tick < tickUpper`, divided by the weight of
 * all blocks. An island is an account like any other.
 * @throws InvalidInputError naming `weight`
 */
export async function liquidityInRange(
  { snapshot }: OperationContext,
  { pool, from, to, weight }: { pool: V3Pool; from: BlockPoint; to: BlockPoint; weight: Weight },
): Promise<LiquidityInRange> {
  const range = { from, to };
  const clock = await clockOf(snapshot, range, weight);
  const total = clock.at(to.block + 1) - clock.at(from.block);
  const [over] = await new V3Over(snapshot, range).poolsOver([pool]);
  if (!over) return { total, parts: new Map() };
  const { positions, history } = over;
  const inside = weighInside(history.slots, positions, clock);
  const sums = new Map<string, { owner: Address; heldAs: HeldAs; sum: bigint }>();
  for (const [i, { owner, id, manager, liquidity }] of positions.entries()) {
    if (owner === ZERO_ADDRESS) continue; // anybody may mint to it, and nobody is there to claim
    const key = `${owner} ${manager} ${id}`;
    const of = sums.get(key) ?? {
      owner,
      heldAs: { kind: "v3-position", id: String(id), contract: pool.address },
      sum: 0n,
    };
    of.sum += liquidity * (inside[i] ?? 0n);
    sums.set(key, of);
  }
  const parts = new Map<Address, LiquidityPart[]>();
  for (const { owner, heldAs, sum } of sums.values())
    if (sum >= total) parts.set(owner, [...(parts.get(owner) ?? []), { heldAs, amount: sum / total }]);
  return { total, parts };
}
