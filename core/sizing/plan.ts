// What an index of a chain needs before it is started: requests, hours, disk, memory.
import type { Figures } from "./figures.ts";
import { eventsOf, type Load } from "./load.ts";
import { type BackfillRequests, backfillRequests, type LogQueries } from "./requests.ts";
import { type LakeSize, lakeSize, type PostgresSize, postgresSize } from "./storage.ts";

export interface PlanRequest {
  load: Load;
  queries: LogQueries;
  /** How many addresses the chain file names. */
  addresses: number;
  /** Requests a second that the node grants. */
  rpcRate: number;
  cores: number;
  /** Transfers of a segment of the lake; absent: no lake. */
  segmentTransfers?: number | undefined;
}

export interface Plan {
  load: Load;
  requests: BackfillRequests;
  hours: {
    rpc: number;
    cpu: number;
    /** The longer of both. */
    backfill: number;
    boundBy: "requests" | "processor";
  };
  postgres: PostgresSize;
  lake: LakeSize | undefined;
  memory: Figures["memory"] & { total: number };
}

/** Seconds that a backfill takes at least on this many cores: Ponder runs on one, the rest shares what there is. */
function cpuSeconds(load: Load, { cpu }: Pick<Figures, "cpu">, cores: number): number {
  const events = eventsOf(load);
  const ponder = load.blocks * cpu.ponderBlock + events * cpu.ponderEvent;
  const database = load.blocks * cpu.databaseBlock + events * cpu.databaseEvent;
  return Math.max(ponder, (ponder + database + events * cpu.foldEvent) / cores);
}

/** @throws RateTooLowError where polls take all requests that the node grants */
export function planOf(request: PlanRequest, figures: Figures): Plan {
  const { load, queries, addresses, rpcRate: rate, cores, segmentTransfers } = request;
  const { rateUsed, idlePerSecond } = figures.requests;
  const left = rate * rateUsed - idlePerSecond;
  if (left <= 0) throw new RateTooLowError(rate, idlePerSecond);
  const requests = backfillRequests({ load, queries, addresses, rate }, figures.requests);
  const rpc = requests.total / left / 3600;
  const cpu = cpuSeconds(load, figures, cores) / 3600;
  const { ponder, fold, gateway, database } = figures.memory;
  return {
    load,
    requests,
    hours: { rpc, cpu, backfill: Math.max(rpc, cpu), boundBy: rpc >= cpu ? "requests" : "processor" },
    postgres: postgresSize(load, figures),
    lake: segmentTransfers === undefined ? undefined : lakeSize(load, figures, segmentTransfers),
    memory: { ponder, fold, gateway, database, total: ponder + fold + gateway + database },
  };
}

/** Nothing would be left for a backfill. */
export class RateTooLowError extends Error {
  override name = "RateTooLowError";
  constructor(rate: number, polls: number) {
    super(
      `--rpc-rate ${rate}: the index polls the node ${polls.toFixed(1)} times a second; grant it more requests a second than that`,
    );
  }
}
