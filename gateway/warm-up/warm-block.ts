// Makes ready for the newest block what was asked about the ones before: all of it in one transaction, so that what many
// requests would read one by one is read together.
import type { Operation, OperationContext } from "../context.ts";
import { GatewayError } from "../errors.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { pointOf } from "../ledger/recall-point.ts";
import { warmHolders } from "../operations/balances-text.ts";
import { warmHoldings } from "../operations/glanced-balances.ts";
import { launchesPage } from "../operations/launches.ts";
import { poolsPage } from "../operations/pools.ts";
import { warmPrices } from "../operations/token-prices.ts";
import type { Address } from "../parameters.ts";
import { gasCostIn } from "../router/gas-price.ts";
import { openRouter } from "../router/place.ts";
import { vaultsAt } from "../vaults/vaults-at.ts";
import { askedLately, type Subject } from "./asked-lately.ts";

type Warm = (context: OperationContext, point: BlockPoint, keys: readonly string[]) => Promise<unknown>;

/** Asks the same again, of the newest block. `keys`: what was asked beside the block, as JSON. */
const again =
  <Input>(operation: Operation<Input & { block: { kind: "latest" } }, unknown>): Warm =>
  async (context, _, keys) => {
    for (const key of keys) await operation.run({ ...(JSON.parse(key) as Input), block: { kind: "latest" } }, context);
  };

const warmRouter: Warm = async (context) => {
  const place = await openRouter(context, { kind: "latest" });
  await gasCostIn(context, place, { address: context.chain.wrappedNative.address, decimals: undefined });
};

// Facts stay locked for single reads: whoever held the locks while waiting for another request's work could keep Ponder
// waiting, behind which that request waits for the same locks.

/** First what others are made of, then what takes longest to make for who comes before it is ready. */
const inTurn: readonly [Subject, Warm][] = [
  ["look-through", (context, point, keys) => warmHoldings(context, point, keys as Address[])],
  ["price", (context, point, keys) => warmPrices(context, point, keys as Address[])],
  ["router", warmRouter],
  ["vaults", (context, point) => vaultsAt(context, point)],
  ["launches", again(launchesPage)],
  ["holders", (context, point, keys) => warmHolders(context, point, keys as Address[])],
  ["pools", again(poolsPage)],
];

/** What cannot be told of one subject says nothing of the others. */
function requireGoingOn(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error;
}

export const warmBlock: Operation<undefined, void> = {
  name: "warmUp",
  async run(_, context) {
    const point = await pointOf(context, { kind: "latest" });
    for (const [subject, warm] of inTurn) {
      const keys = askedLately(context.chain.chainId, subject);
      if (keys.length > 0) await warm(context, point, keys).catch(requireGoingOn);
    }
  },
};
