// Where and when a quote is made: the block, its pools, its gas price.
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { awaitNextLook } from "../ledger/next-look.ts";
import { type BlockPoint, fixBlock } from "../ledger/point.ts";
import type { RouterState } from "./router-state.ts";
import { routerStateAt } from "./router-state-at.ts";

export interface RouterPlace {
  point: BlockPoint;
  state: RouterState;
  /** Base fee of the block and the chain file's tip. */
  gasPriceWei: bigint;
  /** Unix seconds of the last synced block, which deadlines are counted from. */
  latestTimestamp: number;
}

/** @throws what fixBlock and routerStateAt throw */
export async function openRouter(context: OperationContext, choice: BlockChoice): Promise<RouterPlace> {
  const { chain, snapshot } = context;
  await awaitNextLook(context, choice);
  const { point, baseFee, latest } = await snapshot.withFacts(async (facts) => {
    const fixed = await fixBlock(facts, chain, choice);
    const [row] = await facts.rows<{ base_fee: string | null }>(
      `select base_fee::text as base_fee from ${facts.schemas.ponder}.block where number = ${fixed.block}`,
    );
    return { point: fixed, baseFee: BigInt(row?.base_fee ?? 0), latest: facts.state.lastSyncedTimestamp };
  });
  const state = await routerStateAt(context, point);
  return {
    point,
    state,
    gasPriceWei: baseFee + BigInt(chain.gasTipWei),
    latestTimestamp: latest ?? point.timestamp ?? 0,
  };
}
