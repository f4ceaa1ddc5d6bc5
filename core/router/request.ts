// What is asked of the router.
import type { GasCharge } from "./gas.ts";

/** A leg through v2 pairs only, through v3 pools only, or through both. */
export type Protocol = "v2" | "v3" | "mixed";

export function protocolOf(kinds: readonly ("v2" | "v3")[]): Protocol {
  const first = kinds[0] ?? "v3";
  return kinds.every((kind) => kind === first) ? first : "mixed";
}

export const allProtocols: readonly Protocol[] = ["v2", "v3", "mixed"];

/** `exactIn`: `amount` is sold, the most output is sought. `exactOut`: `amount` is bought, the least input is sought. */
export type TradeType = "exactIn" | "exactOut";

export interface RouteRequest {
  /** Lower-case addresses of two different tokens. Native coins are the caller's business: ask for the wrapped token. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** In smallest units, above 0. */
  readonly amount: bigint;
  readonly type: TradeType;
  /** Which legs are allowed; all by default. Mixed legs exist for `exactIn` only: no router contract executes others. */
  readonly protocols?: readonly Protocol[];
  /** What gas costs, in the token of the quote; without it the choice is made before gas. */
  readonly gas?: GasCharge;
  /** Pools a leg may pass, at least 1; as many as pay by default, 20 at most. */
  readonly maxHops?: number;
  /** Legs a route may have; 20 by default. */
  readonly maxLegs?: number;
}
