// What is left of the incentives of reward vaults: added, less what was given for emissions, less the fee on it, all since
// the token was last removed. RewardVault.sol `addIncentive`, `_processIncentive`, `removeIncentiveToken`
//
// Some are given away in almost every block, so a sum over all of them is not made again for each: sums up to some final
// blocks are stored, and only what came later is added.
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { question } from "../cache/question.ts";
import { type StrideStates, stateAt } from "../cache/stride-states.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type RawFacts, readFacts } from "../history/raw-facts.ts";
import type { Address } from "../parameters.ts";

export interface Incentive {
  token: Address;
  /** Raw units that are still to be given for emissions. */
  remaining: bigint;
}

/** Raw units by `<vault> <token>`. */
type Sums = ReadonlyMap<string, bigint>;

/** Final blocks from one stored sum to the next. */
const STRIDE = 128;

/** Adding all of them up again takes long. */
const finalSums = question<Sums>("incentives", { unusedMs: 600_000 });

/** By vault, at the end of `block`; only what is above zero. */
export async function readIncentives(snapshot: Snapshot, block: number): Promise<Map<string, readonly Incentive[]>> {
  const states: StrideStates<Sums> = {
    question: finalSums,
    stride: STRIDE,
    empty: new Map(),
    carryOn: (from, range) => changed(snapshot, from, range),
  };
  const { finalized } = snapshot.state;
  return byVault(await stateAt(snapshot.cache, states, { block, finalized }));
}

interface ChangeRow {
  vault: string;
  token: string;
  is_removed: boolean;
  change: string;
}

/** `sums` with what happened in `after < block <= upTo`. */
async function changed(snapshot: Snapshot, sums: Sums, { after, upTo }: BlocksAfter): Promise<Sums> {
  if (upTo <= after) return sums;
  const textOf = ({ view }: RawFacts) => `
    with since as (
      select vault, token, kind, amount, block::int8 << 31 | log_index as place,
             max(block::int8 << 31 | log_index) filter (where kind = 'removed') over (partition by vault, token) as removed
        from ${view("incentive")}
       where block > $1::int4 and block <= $2::int4
         and kind in ('added', 'removed', 'processed', 'booster_processed', 'fee_collected'))
    select vault, token, max(removed) is not null as is_removed,
           coalesce(sum(case kind when 'added' then amount else -amount end)
             filter (where kind <> 'removed' and place > coalesce(removed, -1)), 0)::text as change
      from since group by vault, token`;
  const found = await readFacts(snapshot, (facts) =>
    facts.prepared<ChangeRow>(textOf(facts), [String(after), String(upTo)]),
  );
  const next = new Map(sums);
  for (const { vault, token, is_removed, change } of found) {
    const key = `${vault} ${token}`;
    next.set(key, (is_removed ? 0n : (next.get(key) ?? 0n)) + BigInt(change));
  }
  return next;
}

function byVault(sums: Sums): Map<string, readonly Incentive[]> {
  const incentives = new Map<string, Incentive[]>();
  for (const [key, remaining] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (remaining <= 0n) continue;
    const [vault = "", token = ""] = key.split(" ");
    const own = incentives.get(vault) ?? [];
    own.push({ token: token as Address, remaining });
    incentives.set(vault, own);
  }
  return incentives;
}
