// One fact per log, though several sources may have it: a listed token is the share of a pair, a listed vault one that a factory
// announces. Ponder gives a log to its sources one right after the other. To look for the row instead, as Ponder's
// `onConflictDoNothing` does, is a query of the database for every log there is.

export interface SharedLog {
  block: { hash: string };
  log: { logIndex: number };
}

export class SharedLogs {
  #newest: { blockHash: string; logIndex: number; source: string } | undefined;

  /**
   * Whether a source before `source` has written the fact of this log; `source` writes it otherwise. What `source` itself has
   * written does not count: Ponder gives a log again after a failure or a replaced block, when the row is gone.
   */
  isWritten({ block, log }: SharedLog, source: string): boolean {
    const newest = this.#newest;
    const isSame = newest?.blockHash === block.hash && newest.logIndex === log.logIndex;
    if (isSame && newest.source !== source) return true;
    this.#newest = { blockHash: block.hash, logIndex: log.logIndex, source };
    return false;
  }
}
