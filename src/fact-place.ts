// Where a fact stands: the columns that every table of events begins with.

export interface LogEvent {
  block: { number: bigint; timestamp: bigint };
  log: { logIndex: number };
  transaction: { transactionIndex: number };
}

/** Block, log and transaction of `event`, as every fact table names them. */
export function placeOf(event: LogEvent) {
  return {
    block: Number(event.block.number),
    logIndex: event.log.logIndex,
    txIndex: event.transaction.transactionIndex,
    timestamp: Number(event.block.timestamp),
  };
}
