// A fold that follows Ponder-like tables turn by turn, as its process does, and can be killed at any statement.
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import { reportedStates } from "../../../core/reported/reported-state.ts";
import { undelayed } from "../../../database/undelayed.ts";
import type { Schemas } from "../../../fold/facts/fact-source.ts";
import { readProgress } from "../../../fold/facts/facts-reader.ts";
import { foldBatch } from "../../../fold/fold-batch.ts";
import type { FoldIdentity } from "../../../fold/fold-schema.ts";
import { HeadFollower } from "../../../fold/follow/follow-head.ts";
import { IslandStep } from "../../../fold/island/step.ts";
import { ReportedStep } from "../../../fold/reported/step.ts";
import { type SequentialStep, type StepSequence, sequence } from "../../../fold/sequential-step.ts";
import { quoted } from "../../../fold/tables.ts";
import { V3Step } from "../../../fold/v3/step.ts";
import { DEPLOYMENTS } from "../random-v3-history.ts";
import { type FailingSql, failingSql } from "./failing-sql.ts";

export const silent = pino({ level: "silent" });

export function everyStep(db: Sql, schemas: Schemas): SequentialStep[] {
  return [
    new V3Step(db, { schemas, deployments: DEPLOYMENTS, log: silent }),
    new IslandStep(db, { schemas, log: silent }),
    ...reportedStates.map((state) => new ReportedStep(db, { schemas, state })),
  ];
}

export interface FollowedSetting {
  url: string;
  identity: FoldIdentity;
  /** Stores what readers of the chain find for Ponder's blocks; resolves to how much that was. */
  readMissing: () => Promise<number>;
}

/** More turns than anything should take. */
const MOST_TURNS = 300;
const LOCK_LOST = "55P03";

const lockLost = (): Error => Object.assign(new Error("the lock was not to be had"), { code: LOCK_LOST });
const isLockLost = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === LOCK_LOST;

export class FollowedFold {
  readonly #setting: FollowedSetting;
  #connection!: Sql;
  #failing!: FailingSql;
  #steps!: StepSequence;
  #follower!: HeadFollower;
  #isDead = false;

  constructor(setting: FollowedSetting) {
    this.#setting = setting;
    this.start();
  }

  /** Another process, with nothing in memory. */
  start(): void {
    this.#isDead = false;
    const { url } = this.#setting;
    this.#connection = postgres(url, { max: 1, ...undelayed(), onnotice: () => {}, max_lifetime: null });
    this.#failing = failingSql(this.#connection);
    this.forgetAll();
  }

  /** Nothing is in memory any more; the connection stays, which has planned most statements before. */
  forgetAll(): void {
    const { identity, readMissing } = this.#setting;
    const { sql } = this.#failing;
    const schemas = { ponder: identity.ponderSchema, fold: identity.foldSchema };
    this.#steps = sequence(sql, schemas.fold, everyStep(sql, schemas));
    const setting = { chainId: identity.chainId, schemas, steps: this.#steps, log: silent, readMissing };
    this.#follower = new HeadFollower(sql, setting);
  }

  async stop(): Promise<void> {
    await this.#connection.end({ timeout: 1 });
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  /** The n-th statement from now finds a lock taken: the process goes on. */
  loseLockAfter(statements: number): void {
    this.#failing.failAfter(statements, async () => lockLost());
  }

  /** At the n-th statement from now the server ends the session: the process ends with it. */
  dieAfter(statements: number): void {
    const connection = this.#connection;
    this.#failing.failAfter(statements, async () => {
      this.#isDead = true;
      await connection.unsafe("select pg_terminate_backend(pg_backend_pid())").catch(() => {});
      return new Error("the session was ended");
    });
  }

  /** Turns until nothing is left to do; says whether something failed on the way. */
  async settle(): Promise<boolean> {
    let hasFailed = false;
    for (let turns = 0, isBehind = true; isBehind; turns += 1) {
      if (turns > MOST_TURNS) throw new Error("the fold does not come to rest");
      try {
        isBehind = await this.#turn();
      } catch (error) {
        hasFailed = true;
        await this.#recover(error);
      }
    }
    this.#failing.disarm();
    return hasFailed;
  }

  /** As the watch does once the node has answered. */
  async goBackTo(block: number): Promise<void> {
    await this.#follower.goBackTo(block);
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#isDead) await this.restart();
    else if (isLockLost(error)) this.#follower.forget();
    else throw error;
  }

  async #turn(): Promise<boolean> {
    const { identity, readMissing } = this.#setting;
    const { sql } = this.#failing;
    const ponder = await readProgress(sql, identity.ponderSchema);
    if (!ponder) return false;
    const [meta] = await sql.unsafe(`select finalized, head from ${quoted(identity.foldSchema)}.meta`);
    const head = Number(meta?.head);
    if (head === Number(meta?.finalized) && ponder.foldableUpTo > head) {
      await readMissing();
      const range = { after: head, upTo: ponder.foldableUpTo };
      const upTo = await this.#steps.readyUpTo(range);
      if (upTo <= head) return false;
      await foldBatch(sql, { identity, steps: this.#steps, range: { after: head, upTo } });
      this.#follower.forget();
      return true;
    }
    const isBehind = (await this.#follower.turn())?.isBehind === true;
    return (await this.#steps.catchUp()) || isBehind;
  }
}
