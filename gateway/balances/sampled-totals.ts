// Totals with what stands behind contracts, at a few blocks of a range and added up. The look-through of every block
// would be a question per block: which ones are asked is told with the answer.
import { type OperationContext, requireTime } from "../context.ts";
import { accountsAt, holdersAt } from "../history/holdings-at.ts";
import { pointOf } from "../history/point.ts";
import { readTogether } from "../history/shared-statements.ts";
import type { Address } from "../parameters.ts";
import { type HeldToken, type LookedThrough, lookThrough } from "./look-through.ts";
import { givenWithParts, withParts } from "./shared-holdings.ts";
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

interface SamplesInput {
  token: Address;
  assetId: number | undefined;
  blocks: readonly number[];
  /** Without it everybody. */
  users: readonly Address[] | undefined;
}

const ROWS_PER_BATCH = 5_000;
/** Blocks looked through together: so many first, then as many as the room for what they give allows. */
const FIRST_TOGETHER = 3;
const MOST_TOGETHER = 25;
const MOST_PARTS = 100_000;

/** The sum of each account's totals at `blocks`; of `users` those who have something at one of them. @throws RequestTooLongError */
export async function sumTotals(context: OperationContext, input: SamplesInput): Promise<Map<Address, bigint>> {
  const sums = new Map<Address, bigint>();
  let together = FIRST_TOGETHER;
  for (let blocks = input.blocks; blocks.length > 0; ) {
    requireTime(context);
    const samples = await lookThroughAll(context, await locateSamples(context, input, blocks.slice(0, together)));
    await context.snapshot.open();
    for (const sample of samples) await addTotals(sums, totalsOf(context, sample, input.users));
    blocks = blocks.slice(together);
    const parts = Math.max(...samples.map(({ through }) => through.parts.size));
    together = Math.min(Math.max(Math.floor(MOST_PARTS / (parts + 1)), 1), MOST_TOGETHER);
  }
  return sums;
}

type Batches = AsyncIterator<{ account: Address; amount: string }[]>;

async function addTotals(sums: Map<Address, bigint>, batches: Batches): Promise<void> {
  for (let batch = await batches.next(); !batch.done; batch = await batches.next())
    for (const { account, amount } of batch.value)
      if (amount !== "0") sums.set(account, (sums.get(account) ?? 0n) + BigInt(amount));
}

async function locateSamples(
  context: OperationContext,
  { token, assetId }: SamplesInput,
  blocks: readonly number[],
): Promise<HeldToken[]> {
  const { fold } = context.snapshot.schemas;
  const located: HeldToken[] = [];
  for (const number of blocks) {
    const point = await pointOf(context, { kind: "number", number, parameter: "from", beyondHead: "refuse" });
    located.push({ token, point, place: { fold, assetId, block: number } });
  }
  return located;
}

type Sample = HeldToken & { through: LookedThrough };

const lookThroughAll = (context: OperationContext, located: readonly HeldToken[]): Promise<Sample[]> =>
  readTogether(context, located, async (held) => ({
    ...held,
    through: await lookThrough(context, held, { isWhole: false }),
  }));

function totalsOf({ snapshot }: OperationContext, { place, through }: Sample, users: readonly Address[] | undefined) {
  const shared = { issuerAddresses: through.issuerAddresses, parts: sharedTotals(through, users && new Set(users)) };
  const { text, parameters } = users
    ? givenWithParts(accountsAt(place, users), shared)
    : withParts(holdersAt(place), shared);
  return snapshot.batches<{ account: Address; amount: string }>(
    `select '0x' || encode(account, 'hex') as account, amount::text as amount from (${text}) t`,
    parameters,
    ROWS_PER_BATCH,
  );
}
