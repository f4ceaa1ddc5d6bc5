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
  /** A block of ours for which Ponder has other facts. */
  distrusted?: number | undefined;
}

export interface NextBlocks {
  /** The last block of ours that none of theirs contradicts. */
  agreed: number;
  /** The last block that stays. */
  common: number;
  /** The last one of an unbroken run after it, `common` where there is none. */
  upTo: number;
  /** Blocks of ours are replaced. */
  isFork: boolean;
}

/**
 * A fork is a number at which both have a block, with different hashes or other facts; a missing block is no fork, as Ponder
 * cuts its rows back routinely. `theirs` are all blocks above the last final one, ascending.
 */
export function nextBlocks(ours: OwnBranch, theirs: readonly FactBlock[]): NextBlocks {
  const { head, hashes, distrusted } = ours;
  const fork = theirs.find(({ number, hash }) => {
    const own = hashes.get(number);
    return own !== undefined && (own !== hash || number === distrusted);
  });
  const agreed = fork === undefined ? head : lastCommon(ours, theirs, fork.number);
  let upTo = agreed;
  for (const { number } of theirs) if (number === upTo + 1) upTo = number;
  const isFork = fork !== undefined && upTo > agreed;
  // nothing of ours is given up before there is something in its place
  return fork === undefined || isFork
    ? { agreed, common: agreed, upTo, isFork }
    : { agreed, common: head, upTo: head, isFork };
}

function lastCommon({ finalized, hashes }: OwnBranch, theirs: readonly FactBlock[], below: number): number {
  let common = finalized;
  for (const { number, hash } of theirs) if (number < below && hashes.get(number) === hash) common = number;
  return common;
}
