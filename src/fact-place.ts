// Where a fact stands: the columns that every table of events begins with.

export interface LogEvent {
  block: { number: bigint; timestamp: bigint };
  log: { logIndex: number };
}

/** Block, log and transaction of `event`, as every fact table names them. */
export function placeOf({ block, log }: LogEvent) {
  // Ponder's type leaves the index out; a row without it is refused. The transaction itself is not read: scripts/ponder/unread-transactions.ts
  const { transactionIndex } = log as { transactionIndex?: number };
  return {
    block: Number(block.number),
    logIndex: log.logIndex,
    txIndex: transactionIndex as number,
    timestamp: Number(block.timestamp),
  };
}
