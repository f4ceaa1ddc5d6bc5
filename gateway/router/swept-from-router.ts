// Tokens that lie in a router contract. Where a swap's output gathers there, the router pays out all that it holds of it.
import type { Route } from "../../core/router/route.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import { assetAmounts } from "../history/asset-amounts.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";

/** Whether the route's transaction pays by way of the router: see `swapTransaction`. */
export const isGathered = ({ type, legs }: Pick<Route, "type" | "legs">, isNativeOut: boolean): boolean =>
  isNativeOut || (type === "exactIn" && legs.length > 1);

/** Raw units of `token` that the router holds at the point; 0 without a router. */
export async function sweptFromRouter(
  { snapshot }: Pick<OperationContext, "snapshot">,
  point: BlockPoint,
  { router, token }: { router: Address | undefined; token: Address },
): Promise<bigint> {
  if (router === undefined) return 0n;
  const { fold, cached } = asOf(snapshot, point);
  const place = { fold, block: point.block, prepared: cached };
  const [held = 0n] = await assetAmounts(place, [{ kind: "erc20", key: token, account: router }]);
  return held;
}
