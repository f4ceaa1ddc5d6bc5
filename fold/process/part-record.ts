// Signs of life of a process that writes an index, in `tidemark.part`: gateways read there whether it lives, how often it died and
// why. All times are the database's.
import type { Sql } from "postgres";
import { LONG_LIVED_SECONDS } from "../tables.ts";

/** Between two signs of life. */
export const BEAT_MS = 1_000;
/** How long after a sign the next one is due, while nothing long is being done. */
export const DUE_MS = 7_000;
const LONGEST_REASON = 400;

export interface PartPlace {
  chainId: number;
  /** `indexer`: Ponder. */
  part: "fold" | "indexer";
  /** What it writes. */
  schema: string;
}

export interface Beat {
  /** The next sign is given within this time, or the part hangs. */
  dueMs: number;
  /** What it cannot go on without; for people. */
  waitsFor?: string | undefined;
  /** How long the node has had blocks that this part has not reached. */
  behindMs?: number | undefined;
}

export interface PartRecord {
  /** A new process; if the one before it ended without {@link PartRecord.ended}, that counts as a death. */
  started(dueMs: number): Promise<void>;
  beat(beat: Beat): Promise<void>;
  /** `reason` is absent when it was stopped on purpose. */
  ended(reason?: string): Promise<void>;
}

/** One line without addresses of servers: these hold keys, and what is written here is public. */
export function publicReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.replaceAll(/\b[a-z][\w+.-]*:\/\/\S+/gi, "(address)").replaceAll(/\s+/g, " ");
  return line.trim().slice(0, LONGEST_REASON);
}

/** Errors of the database pass through. */
export function createPartRecord(db: Sql, { chainId, part, schema }: PartPlace): PartRecord {
  const key = [chainId, part, schema];
  const mine = "chain_id = $1 and part = $2 and schema = $3";
  const seconds = (ms: number | undefined) => (ms === undefined ? null : ms / 1_000);
  const after = "make_interval(secs => $4::float8)";
  const isShort = (end: string) => `${end} - p.started_at < interval '${LONG_LIVED_SECONDS} seconds'`;
  return {
    async started(dueMs) {
      await db.unsafe(
        `insert into tidemark.part as p (chain_id, part, schema, started_at, beat_at, due_at)
         values ($1, $2, $3, now(), now(), now() + ${after})
         on conflict (chain_id, part, schema) do update set
           deaths = case when p.ended_at is not null then p.deaths when ${isShort("p.beat_at")} then p.deaths + 1 else 1 end,
           error = case when p.ended_at is not null then p.error else 'ended without a word' end,
           started_at = now(), beat_at = now(), due_at = excluded.due_at, ended_at = null, waits_for = null, behind_since = null`,
        [...key, seconds(dueMs)],
      );
    },
    async beat({ dueMs, waitsFor, behindMs }) {
      const isLongLived = `started_at < now() - interval '${LONG_LIVED_SECONDS} seconds'`;
      await db.unsafe(
        `update tidemark.part set beat_at = now(), due_at = now() + ${after}, waits_for = $5,
           behind_since = now() - make_interval(secs => $6::float8),
           deaths = case when ${isLongLived} then 0 else deaths end, error = case when ${isLongLived} then null else error end
         where ${mine} and ended_at is null`,
        [...key, seconds(dueMs), waitsFor ?? null, seconds(behindMs)],
      );
    },
    async ended(reason) {
      await db.unsafe(
        `insert into tidemark.part as p (chain_id, part, schema, started_at, beat_at, due_at, ended_at, deaths, error)
         values ($1, $2, $3, now(), now(), now() + ${after}, now(), 1, $5)
         on conflict (chain_id, part, schema) do update set ended_at = now(), due_at = excluded.due_at, error = $5,
           deaths = case when $5::text is null then 0 when p.ended_at is not null or ${isShort("now()")} then p.deaths + 1 else 1 end`,
        [...key, seconds(DUE_MS), reason === undefined ? null : publicReason(reason)],
      );
    },
  };
}
