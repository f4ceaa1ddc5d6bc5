// The fold's own writer, as its process sets it up, driven turn by turn.
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import { undelayed } from "../../database/undelayed.ts";
import { HeadFollower, type Turn } from "../../fold/follow/follow-head.ts";
import { sequence } from "../../fold/sequential-step.ts";
import { createSteps } from "../../fold/steps.ts";
import { createUpkeep } from "../../fold/upkeep/upkeep.ts";
import { FOLD, type Ground, PONDER } from "./ground.ts";

export interface Writer {
  /** Runs turns until nothing is left to do; resolves to how long each took, and what it did. */
  settle(): Promise<TurnTime[]>;
  stop(): Promise<void>;
}

export interface TurnTime {
  ms: number;
  turn: Turn;
}

export async function startWriter({ url, identity, chain }: Ground): Promise<Writer> {
  const connect = (): Sql => postgres(url, { max: 1, ...undelayed(), onnotice: () => {} });
  const [db, second] = [connect(), connect()];
  await db.unsafe(
    "set work_mem = '256MB'; set temp_buffers = '128MB'; set lock_timeout = '2s'; set synchronous_commit = off",
  );
  const log = pino({ level: "silent" });
  const schemas = { ponder: PONDER, fold: FOLD };
  const steps = sequence(db, FOLD, createSteps(db, { chain, schemas, log }));
  const follower = new HeadFollower(db, { chainId: identity.chainId, schemas, steps, log });
  const upkeep = createUpkeep(second, { foldSchema: FOLD, stepTables: steps.tables, isBeside: true });
  return {
    async settle() {
      const times: TurnTime[] = [];
      for (let isBehind = true; isBehind; ) {
        const started = performance.now();
        const turn = await follower.turn();
        if (turn === undefined) break;
        times.push({ ms: performance.now() - started, turn });
        isBehind = turn.isBehind;
        const { merged } = turn;
        if (merged > 0) await upkeep.tend({ changes: merged, stepRows: merged, merged });
      }
      return times;
    },
    async stop() {
      await Promise.all([db.end(), second.end()]);
    },
  };
}
