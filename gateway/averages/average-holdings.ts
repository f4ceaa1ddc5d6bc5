// What everybody had of a token on average over a range of blocks: wallets.
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { summedAmounts } from "../history/range-holdings.ts";
import type { Address } from "../parameters.ts";

export interface AveragePart {
  heldAs: { kind: string; contract: Address };
  amount: bigint;
}

export interface AveragesInput {
  token: Address;
  assetId: number | undefined;
  from: BlockPoint;
  to: BlockPoint;
  weight: "blocks" | "seconds";
}

export interface AverageHoldings {
  parts: ReadonlyMap<Address, readonly AveragePart[]>;
  weightTotal: bigint;
}

export async function averageHoldings(
  { snapshot }: OperationContext,
  { token, assetId, from, to }: AveragesInput,
): Promise<AverageHoldings> {
  const { fold } = snapshot.schemas;
  const { text, parameters } = summedAmounts({ fold, assetId, from: from.block, to: to.block });
  const rows = await snapshot.rows<{ account: Address; sum: string }>(
    `select '0x' || encode(account, 'hex') as account, rank::text as sum from (${text}) s`,
    parameters,
  );
  const weightTotal = BigInt(to.block - from.block + 1);
  const parts = rows.map(
    ({ account, sum }) =>
      [account, [{ heldAs: { kind: "balance", contract: token }, amount: BigInt(sum) / weightTotal }]] as const,
  );
  return { parts: new Map(parts), weightTotal };
}
