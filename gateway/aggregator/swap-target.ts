// Which contracts the aggregator contract may be made to call. It holds other people's allowances: a call to a token could
// spend them.
import type { ProviderSettings } from "../quote-settings.ts";
import type { ProviderAnswer, ProviderRequest } from "./provider.ts";
import { ProviderFailure } from "./provider-failure.ts";

/** Precompiles, and what nobody could have deployed. */
const FIRST_DEPLOYABLE = 0x10000n;

/** @throws ProviderFailure when the transaction cannot be made through the aggregator contract */
export function refuseBadTarget(
  { transaction }: ProviderAnswer,
  { request, settings }: { request: ProviderRequest; settings: Pick<ProviderSettings, "targets"> },
): void {
  if (!transaction) return;
  const { to, value } = transaction;
  const isOfTheSwap = [request.tokenIn, request.tokenOut, request.taker].includes(to);
  const isForeign = settings.targets !== undefined && !settings.targets.includes(to);
  if (isOfTheSwap || isForeign || BigInt(to) < FIRST_DEPLOYABLE)
    throw new ProviderFailure("error", `the transaction goes to ${to}, which is not its contract`);
  if (value !== 0n) throw new ProviderFailure("error", "the transaction wants native coin for a wrapped token");
}
