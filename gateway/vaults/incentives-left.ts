// What is left of the incentives of reward vaults: added, less what was given for emissions, less the fee on it, all since
// the token was last removed. RewardVault.sol `addIncentive`, `_processIncentive`, `removeIncentiveToken`
//
// Some are given away in almost every block, so a sum over all of them is not made anew for each: sums up to some final
// blocks are kept, and only what came later is added.
import type { FactsScope } from "../ledger/facts-scope.ts";
import type { Address } from "../parameters.ts";

export interface Incentive {
  token: Address;
  /** Raw units that are still to be given for emissions. */
  remaining: bigint;
}

/** Raw units by `<vault> <token>`. */
type Sums = ReadonlyMap<string, bigint>;

interface Kept {
  /** Which facts: see `Snapshot.index`. */
  index: string;
  /** Final. */
  block: number;
  sums: Sums;
}

const MOST_KEPT = 16;
/** Oldest first. */
let kept: Kept[] = [];

const NOTHING: Sums = new Map();

/** By vault, at the end of `block`; only what is above zero. `index` is the snapshot's. */
export async function readIncentives(
  facts: FactsScope,
  index: string,
  block: number,
): Promise<Map<string, readonly Incentive[]>> {
  const final = Math.min(block, facts.state.watermark);
  const before = kept.filter((one) => one.index === index && one.block <= final);
  const start = before.reduce((best, one) => (one.block > best.block ? one : best), { block: -1, sums: NOTHING });
  const settled = await changed(facts, start.sums, { after: start.block, upTo: final });
  if (final > start.block) kept = [...kept, { index, block: final, sums: settled }].slice(-MOST_KEPT);
  return byVault(await changed(facts, settled, { after: final, upTo: block }));
}

interface ChangeRow {
  vault: string;
  token: string;
  is_removed: boolean;
  change: string;
}

/** `sums` with what happened in `after < block <= upTo`. */
async function changed(
  { prepared, schemas: { ponder } }: FactsScope,
  sums: Sums,
  { after, upTo }: { after: number; upTo: number },
): Promise<Sums> {
  if (upTo <= after) return sums;
  const text = `
    with told as (
      select vault, token, kind, amount, block::int8 << 31 | log_index as place,
             max(block::int8 << 31 | log_index) filter (where kind = 'removed') over (partition by vault, token) as removed
        from ${ponder}.incentive
       where block > $1::int4 and block <= $2::int4
         and kind in ('added', 'removed', 'processed', 'booster_processed', 'fee_collected'))
    select vault, token, max(removed) is not null as is_removed,
           coalesce(sum(case kind when 'added' then amount else -amount end)
             filter (where kind <> 'removed' and place > coalesce(removed, -1)), 0)::text as change
      from told group by vault, token`;
  const found = await prepared<ChangeRow>(text, [String(after), String(upTo)]);
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
