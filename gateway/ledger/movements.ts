// A token's changes above the fold's watermark one by one, for questions about more than one block.
import type { Address } from "../parameters.ts";
import type { FactsScope } from "./facts-scope.ts";
import { changesIn, type Overlay } from "./overlay.ts";

/** What one account gained or lost in one block above the watermark; raw units, decimal string, never zero. */
export interface Movement {
  account: Address;
  block: number;
  delta: string;
}

/** Movements of `token` in (watermark, upTo], by account and block. */
export async function readMovements(
  facts: FactsScope,
  { token, upTo }: { token: Address; upTo: number },
): Promise<Movement[]> {
  const { watermark } = facts.state;
  if (upTo <= watermark) return [];
  return facts.rows<Movement>(`
    select account, block, sum(delta)::text as delta
      from (${changesIn(facts.schemas.ponder, { after: watermark, upTo }, token)}) d
     where kind = 'erc20' and key = '${token}'
     group by account, block having sum(delta) <> 0 order by account, block`);
}

/** What `account` gained or lost from the watermark up to a block, as the overlay of that block says it. */
export function overlayUpTo(
  movements: readonly Movement[],
  account: Address,
  upTo: number,
): Pick<Overlay, "accounts" | "deltas"> {
  const delta = movements
    .filter((movement) => movement.account === account && movement.block <= upTo)
    .reduce((sum, movement) => sum + BigInt(movement.delta), 0n);
  return { accounts: [account], deltas: [String(delta)] };
}

/** The parameters $1 to $3 of {@link movementsCte}. */
export const movementParameters = (movements: readonly Movement[]): string[] => [
  movements.map(({ account }) => account).join(","),
  movements.map(({ block }) => block).join(","),
  movements.map(({ delta }) => delta).join(","),
];

/** CTE `moves` of (account bytea, block int4, delta numeric). */
export const movementsCte = `
  moves as materialized (
    select decode(substr(account, 3), 'hex') as account, block::int4 as block, delta::numeric as delta
      from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ',')) as m(account, block, delta))`;
