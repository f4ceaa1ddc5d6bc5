// Every sequential step there is, and the readers of the chain that they wait for.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { PublicClient } from "viem";
import type { ChainFile } from "../chains/chain-file.ts";
import { reportedStates } from "../core/reported/reported-state.ts";
import type { ReadMissing } from "./contracts/read-missing.ts";
import type { Schemas } from "./facts/fact-source.ts";
import { createIslandSettingsReader } from "./island/settings-reader.ts";
import { IslandStep } from "./island/step.ts";
import { ReportedStep } from "./reported/step.ts";
import type { SequentialStep } from "./sequential-step.ts";
import { v3Deployments } from "./v3/deployments.ts";
import { createInitialFeeReader } from "./v3/initial-fees.ts";
import { V3Step } from "./v3/step.ts";

export interface StepSetting {
  chain: ChainFile;
  schemas: Schemas;
  log: Logger;
}

/** In the order in which they take a batch; they write through the fold's own connection. */
export function createSteps(db: Sql, { chain, schemas, log }: StepSetting): SequentialStep[] {
  const deployments = v3Deployments(chain);
  return [
    ...(deployments.length > 0 ? [new V3Step(db, { schemas, deployments, log })] : []),
    ...(chain.islands ? [new IslandStep(db, { schemas, log })] : []),
    ...reportedStates.filter(({ name }) => chain[name]).map((state) => new ReportedStep(db, { schemas, state })),
  ];
}

export function createStepReaders(
  connections: { db: Sql; client: PublicClient },
  { chain, schemas, log }: StepSetting,
): ReadMissing[] {
  const deployments = v3Deployments(chain);
  const warn = (message: string, pool: { pool: string; block: number }) =>
    log.warn({ pool: pool.pool, block: pool.block }, message);
  return [
    ...(deployments.some(({ flavour }) => flavour === "kodiak")
      ? [createInitialFeeReader(connections, schemas, { deployments, warn })]
      : []),
    ...(chain.islands ? [createIslandSettingsReader(connections, schemas)] : []),
  ];
}
