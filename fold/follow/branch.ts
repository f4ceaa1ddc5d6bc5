// Which of Ponder's blocks come next, and where the chain has replaced ours: rules over numbers and hashes alone.

export interface FactBlock {
  number: number;
  hash: string;
}

/** What the fold has above the last final block. */
export interface OwnBranch {
  finalized: number;
  head: number;
  /** Hashes of the blocks in (finalized, head]. */
  hashes: ReadonlyMap<number, string>;
  /** From this block on ours are not to be relied on: their facts are not those of Ponder any more. */
  distrustedFrom?: number | undefined;
}

export interface NextBlocks {
  /** The last block that stays. */
  common: number;
  /** The last one of an unbroken run after it, `common` where there is none. */
  upTo: number;
  /** Blocks of ours are replaced. */
  isFork: boolean;
}

/**
 * A fork is a number at which both have a block with different hashes; missing facts are none, for Ponder cuts its rows back
 * routinely. `theirs` are all blocks above the last final one, ascending.
 */
export function nextBlocks(ours: OwnBranch, theirs: readonly FactBlock[]): NextBlocks {
  const { finalized, head, hashes, distrustedFrom = Number.POSITIVE_INFINITY } = ours;
  const isOther = ({ number, hash }: FactBlock) => {
    const own = hashes.get(number);
    return own !== undefined && (own !== hash || number >= distrustedFrom);
  };
  const fork = theirs.find(isOther);
  const common = fork === undefined ? head : lastCommon({ finalized, hashes }, theirs, fork.number);
  let upTo = common;
  for (const { number } of theirs) if (number === upTo + 1) upTo = number;
  // nothing of ours is given up before there is something in its place
  return fork !== undefined && upTo === common
    ? { common: head, upTo: head, isFork: false }
    : { common, upTo, isFork: fork !== undefined };
}

function lastCommon(
  { finalized, hashes }: Pick<OwnBranch, "finalized" | "hashes">,
  theirs: readonly FactBlock[],
  below: number,
): number {
  let common = finalized;
  for (const { number, hash } of theirs) if (number < below && hashes.get(number) === hash) common = number;
  return common;
}
