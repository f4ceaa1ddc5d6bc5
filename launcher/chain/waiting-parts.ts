// While a chain's node is waited for, signs of life are recorded for the parts that would index it: otherwise gateways could not say
// why it is not indexed.
import type { Sql } from "postgres";
import { ensureDeployment } from "../../fold/fold-schema.ts";
import { BEAT_MS, createPartRecord, DUE_MS, type PartRecord, publicReason } from "../../fold/process/part-record.ts";
import type { Stoppable } from "../process/shutdown.ts";
import { connectForSigns } from "../process/signs-connection.ts";

export interface WaitingPlace {
  databaseUrl: string;
  chainId: number;
  ponderSchema: string;
  foldSchema: string;
}

export interface WaitingParts extends Stoppable {
  waitFor(reason: string): void;
}

const recordsOf = (db: Sql, { chainId, ponderSchema, foldSchema }: WaitingPlace): PartRecord[] => [
  createPartRecord(db, { chainId, part: "indexer", schema: ponderSchema }),
  createPartRecord(db, { chainId, part: "fold", schema: foldSchema }),
];

/** For a chain that is given up before its parts were started. Writing that fails is skipped. */
export async function reportGivenUp(place: WaitingPlace, reason: string): Promise<void> {
  const db = connectForSigns(place.databaseUrl);
  try {
    await ensureDeployment(db);
    for (const record of recordsOf(db, place)) await record.ended(reason);
  } catch {
    // The terminal has it.
  } finally {
    await db.end({ timeout: 1 }).catch(() => {});
  }
}

/** Writing that fails is skipped, as it is for a part that runs. */
export function createWaitingParts(place: WaitingPlace): WaitingParts {
  const { databaseUrl, chainId } = place;
  const db = connectForSigns(databaseUrl);
  const records = recordsOf(db, place);
  let reason: string | undefined;
  let isStarted = false;
  let isStopped = false;
  let written: Promise<void> = Promise.resolve();
  const beat = async () => {
    if (reason === undefined || isStopped) return;
    if (!isStarted) {
      await ensureDeployment(db);
      for (const record of records) await record.started(DUE_MS);
      isStarted = true;
    }
    for (const record of records) await record.beat({ dueMs: DUE_MS, waitsFor: `the node: ${reason}` });
    await db`update tidemark.chain_head set rpc_error = ${reason} where chain_id = ${chainId}`;
  };
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    written = beat()
      .catch(() => {})
      .finally(() => {
        isBusy = false;
      });
  }, BEAT_MS);
  timer.unref();
  const kill = () => {
    isStopped = true;
    clearInterval(timer);
  };
  return {
    waitFor(text) {
      reason = publicReason(text);
    },
    kill,
    async stop() {
      kill();
      await written;
      if (isStarted) for (const record of records) await record.ended().catch(() => {});
      await db.end({ timeout: 1 }).catch(() => {});
    },
  };
}
