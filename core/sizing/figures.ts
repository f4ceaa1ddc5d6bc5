// What a plan is worked out from: figures that `npm run bench -- scale` measured, in one place.

/** Bytes on disk of one row, its share of indexes included. */
interface PostgresBytes {
  /** Ponder's copy of the chain: a block. */
  rawBlock: number;
  /** A transaction that has an indexed log, its input aside. */
  rawTransaction: number;
  /** A byte of a transaction's input, stored as hex. */
  rawInputByte: number;
  rawEvent: number;
  factBlock: number;
  factTransfer: number;
  /** Of any other event, on average over the devnet's. */
  factOther: number;
  /** What the fold makes of one transfer: intervals, current rows, holders, tokens. */
  foldTransfer: number;
  foldOther: number;
}

/** Bytes of one row in a Parquet file of the lake. */
interface LakeBytes {
  block: number;
  transfer: number;
  other: number;
  closedInterval: number;
  openInterval: number;
}

/** Seconds of one core. */
interface CpuSeconds {
  ponderBlock: number;
  ponderEvent: number;
  databaseBlock: number;
  databaseEvent: number;
  foldEvent: number;
}

export interface RequestFigures {
  /** How many seconds of fetching blocks one range of `eth_getLogs` takes: the range's blocks by blocks fetched in a second. */
  rangeSeconds: number;
  /** `eth_getBlockByNumber` for one block of a backfill. */
  perBlock: number;
  /** `eth_blockNumber` for one `eth_getLogs`: how old its answer is decides whether it is checked. */
  headPerLogs: number;
  /** The part that Ponder uses of the requests a second that a node grants, refusing more. */
  rateUsed: number;
  /** All requests a second that depend neither on blocks nor on events, Ponder's polls aside. */
  idlePerSecond: number;
  /** `eth_call`s for the name, symbol and decimals of one token. */
  callsPerToken: number;
  /** `eth_call`s at a block for one announced island, farm or setting of theirs. */
  callsPerSetting: number;
  /** Requests of a start, its check of the chain file above all, for one address that the file names. */
  startPerAddress: number;
  /** Requests that compare the logs of the newest blocks with headers and receipts, once. */
  nearHead: number;
  /** All requests for one new block once the index follows the head. */
  livePerBlock: number;
  /** Requests of one of Ponder's polls, which come at the chain file's `pollingIntervalMs`. */
  perPoll: number;
}

/** Peak bytes while a backfill runs, shared pages counted once. */
interface MemoryBytes {
  ponder: number;
  fold: number;
  gateway: number;
  database: number;
}

/** Figures of a chain that are not known before it is read, as they were in the measured worlds. */
export interface WorldFigures {
  /** Of the devnet. */
  eventsPerBlock: number;
  /** Of the devnet. */
  transferShare: number;
  eventsPerTransaction: number;
  /** Bytes, of the devnet's transactions that have an indexed log. */
  inputBytes: number;
  tokensPerTransfer: number;
  settingsPerEvent: number;
  closedPerTransfer: number;
  openPerTransfer: number;
}

export interface Figures {
  postgres: PostgresBytes;
  lake: LakeBytes;
  cpu: CpuSeconds;
  requests: RequestFigures;
  memory: MemoryBytes;
  world: WorldFigures;
}
