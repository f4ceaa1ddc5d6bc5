// Ponder does not report that it is alive: its supervisor asks it, and writes the result down for gateways.
import { BEAT_MS, createPartRecord, DUE_MS } from "../../fold/process/part-record.ts";
import { connectForSigns } from "../process/signs-connection.ts";
import type { Indexing } from "../programs.ts";

/** Until its server answers for the first time: before that it reads its own build and its tables. */
const START_DUE_MS = 30_000;
const HEALTH_TIMEOUT_MS = 3_000;

export interface PonderLife {
  onStart(): void;
  onDeath(reason: string): void;
  /** To be called when Ponder is asked to end. */
  stop(): Promise<void>;
}

/** Writing that fails is skipped: without a database gateways report that themselves. */
export function createPonderLife({ databaseUrl, ponderSchema, served }: Omit<Indexing, "rpcUrl">): PonderLife {
  const db = connectForSigns(databaseUrl);
  const record = createPartRecord(db, { chainId: served.chain.chainId, part: "indexer", schema: ponderSchema });
  const url = `http://127.0.0.1:${served.ponderPort}/health`;
  let written: Promise<void> = Promise.resolve();
  let asking: NodeJS.Timeout | undefined;
  let isUnderWay = false;
  const write = (statement: () => Promise<void>): Promise<void> => {
    written = written.then(statement).catch(() => {});
    return written;
  };
  const ask = async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    const isAlive = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isAlive && asking !== undefined) await write(() => record.beat({ dueMs: DUE_MS }));
    isUnderWay = false;
  };
  const rest = () => {
    clearInterval(asking);
    asking = undefined;
  };
  return {
    onStart() {
      void write(() => record.started(START_DUE_MS));
      rest();
      asking = setInterval(() => void ask(), BEAT_MS);
      asking.unref();
    },
    onDeath(reason) {
      rest();
      void write(() => record.ended(reason));
    },
    async stop() {
      rest();
      await write(() => record.ended());
      await db.end({ timeout: 1 }).catch(() => {});
    },
  };
}
