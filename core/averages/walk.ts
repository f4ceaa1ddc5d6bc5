// What the recursion over a range of blocks has worked out so far.
import type { Path, Unattributed } from "../lookthrough/attribute.ts";
import type { UnattributedReason } from "../lookthrough/backing.ts";
import type { HeldSpan, LookthroughOver } from "./backing-over.ts";
import { averageRoundingDown, type Cumulative, FRACTION_BITS } from "./cumulative.ts";
import type { Span, Steps } from "./steps.ts";

/** Raw units of the leaf, on average, rounded down once. */
export interface PartOver {
  path: Path;
  amount: bigint;
}

/** An issuer's own holding of the leaf: what is handed out of it is subtracted, what is left is rounding. */
interface Root {
  contract: string;
  /** Leaf times weight, with `FRACTION_BITS` behind the point. */
  left: bigint;
}

/** One unit of an asset along one path, in the leaf, at every block. */
export interface Exposure {
  asset: string;
  holders: readonly HeldSpan[];
  /** How many bits behind the point amounts of the asset have. */
  bits: bigint;
  /** Leaf for one whole unit, with `FRACTION_BITS` behind the point. */
  density: Steps<bigint>;
  /** Σ weight · density. */
  cumulative: Cumulative;
  path: Path;
  /** Issuers passed on the way here. */
  issuers: readonly string[];
  root: Root | undefined;
}

export interface RootedExposure extends Exposure {
  root: Root;
}

export interface Walk {
  input: LookthroughOver;
  /** What all blocks weigh. */
  total: bigint;
  waiting: Exposure[];
  pathsByAsset: Map<string, number>;
  roots: Root[];
  parts: Map<string, PartOver[]>;
  /** On average, too. */
  unattributed: Unattributed[];
}

/** How much of the leaf `amount` of the exposure's asset is worth over a span, times weight. */
export const leafOver = ({ cumulative, bits }: Exposure, { from, until }: Span, amount: bigint): bigint =>
  (amount * (cumulative.at(until) - cumulative.at(from))) >> bits;

type Place = Pick<Exposure, "path" | "root">;

/** Gives `account` the average of which `sum` is the sum. */
export function give(walk: Walk, { path, root }: Place, { account, sum }: { account: string; sum: bigint }): void {
  const amount = averageRoundingDown(sum, walk.total);
  if (amount === 0n) return;
  if (root) root.left -= (amount * walk.total) << FRACTION_BITS;
  const parts = walk.parts.get(account);
  if (parts) parts.push({ path, amount });
  else walk.parts.set(account, [{ path, amount }]);
}

/** Sums of what one path loses, by contract and reason. */
export class Lost {
  readonly #sums = new Map<string, { contract: string; reason: UnattributedReason; sum: bigint }>();

  add(contract: string, reason: UnattributedReason, sum: bigint): void {
    const key = `${contract} ${reason}`;
    const before = this.#sums.get(key);
    if (before) before.sum += sum;
    else this.#sums.set(key, { contract, reason, sum });
  }

  /** Turns them into amounts. */
  end(walk: Walk, { path, root }: Place): void {
    for (const { contract, reason, sum } of this.#sums.values()) {
      // rounding of the leaf itself is what is left in the end
      const amount = reason === "rounding" && path.length === 1 ? 0n : averageRoundingDown(sum, walk.total);
      if (amount === 0n) continue;
      if (root) root.left -= (amount * walk.total) << FRACTION_BITS;
      walk.unattributed.push({ contract, reason, path, amount });
    }
  }
}
