// Totals with what stands behind contracts, at a few blocks of a range and added up. The look-through of every block
// would be a question per block: which ones are asked is told with the answer.
import { type OperationContext, requireTime } from "../context.ts";
import { accountsAt, type HoldingsPoint, holdersAt } from "../ledger/holdings-at.ts";
import { overlayAt } from "../ledger/kept-overlays.ts";
import { fixBlock } from "../ledger/point.ts";
import { askedWithParts, withParts } from "../ledger/shared-holdings.ts";
import type { Address } from "../parameters.ts";
import { lookThrough } from "./look-through.ts";
import { sharedTotals } from "./shared-parts.ts";

/**
 * `samples` blocks of [from, to], in the middles of as many equal parts; every block where there are not more.
 * Ascending.
 */
export function sampledBlocks({ from, to }: { from: number; to: number }, samples: number): number[] {
  const blocks = to - from + 1;
  if (samples >= blocks) return Array.from({ length: blocks }, (_, i) => from + i);
  return Array.from({ length: samples }, (_, i) => from + Math.floor(((2 * i + 1) * blocks) / (2 * samples)));
}

interface Asked {
  token: Address;
  assetId: number | undefined;
  blocks: readonly number[];
  /** Without it everybody. */
  users: readonly Address[] | undefined;
}

const ROWS_PER_BATCH = 5_000;

/** The sum of each account's totals at `blocks`; of `users` those who have something at one of them. @throws RequestTooLongError */
export async function sumTotals(context: OperationContext, asked: Asked): Promise<Map<Address, bigint>> {
  const sums = new Map<Address, bigint>();
  for (const block of asked.blocks) {
    requireTime(context);
    const batches = await totalsAt(context, asked, block);
    for (let batch = await batches.next(); !batch.done; batch = await batches.next())
      for (const { account, amount } of batch.value)
        if (amount !== "0") sums.set(account, (sums.get(account) ?? 0n) + BigInt(amount));
  }
  return sums;
}

async function totalsAt(context: OperationContext, { token, assetId, users }: Asked, number: number) {
  const { chain, snapshot } = context;
  const { point, overlay } = await snapshot.withFacts(async (facts) => {
    const fixed = await fixBlock(facts, chain, { kind: "number", number, parameter: "from", beyondHead: "refuse" });
    return { point: fixed, overlay: await overlayAt(facts, fixed, token) };
  });
  const place: HoldingsPoint = { fold: snapshot.schemas.fold, assetId, block: number, watermark: point.watermark };
  const through = await lookThrough(context, { token, point, place, overlay }, { isWhole: false });
  const shared = { issuerAddresses: through.issuerAddresses, parts: sharedTotals(through, users && new Set(users)) };
  const { text, parameters } = users
    ? askedWithParts(accountsAt(place, overlay, users), shared)
    : withParts(holdersAt(place, overlay), shared);
  return snapshot.batches<{ account: Address; amount: string }>(
    `select '0x' || encode(account, 'hex') as account, amount::text as amount from (${text}) t`,
    parameters,
    ROWS_PER_BATCH,
  );
}
