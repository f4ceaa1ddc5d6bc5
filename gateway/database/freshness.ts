// Which of several database servers may be read now: rules over what each says of itself. Nothing here reads anything.
//
// Everything a server knows has a place in the one sequence of its write-ahead log, so "not older than what was shown" is
// one comparison: blocks, reorganisations of them and the choice of the index alike.

/** What a server says of itself. */
export interface ServerReport {
  isReplica: boolean;
  /** In its write-ahead log, bytes: a replica's is what it has replayed, a primary's what is on its disk. */
  position: bigint;
  /** Counts promotions; only a primary reports it. */
  timeline: number | undefined;
}

/** SQL of a {@link ServerReport} as one row; on a replica before its first replay the position is null. */
export const SERVER_REPORT_SQL = `
  select pg_is_in_recovery() as is_replica,
         (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
           - '0/0'::pg_lsn)::text as position,
         case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) end as timeline`;

export interface ServerReportRow {
  is_replica: boolean;
  position: string | null;
  timeline: string | null;
}

export const toServerReport = ({ is_replica, position, timeline }: ServerReportRow): ServerReport => ({
  isReplica: is_replica,
  position: position === null ? -1n : BigInt(position),
  timeline: timeline === null ? undefined : Number.parseInt(timeline, 16),
});

/** `behind`: a replica without something it must have; `superseded`: a primary from before a promotion. */
type Verdict = "fit" | "behind" | "superseded";

/** A replica that lags by more is not read, even where nothing newer was shown; at worst one that lags by up to twice as much is. */
export const LONGEST_LAG_MS = 5_000;

function highest(...positions: readonly bigint[]): bigint {
  let found = -1n;
  for (const position of positions) if (position > found) found = position;
  return found;
}

/** What one process has shown and seen of a group of servers. */
export class Freshness {
  /** Nothing shown so far lies beyond it. */
  #shown = -1n;
  /** What some server had {@link LONGEST_LAG_MS} ago or, at first, when this process began. */
  #bound: bigint | undefined;
  #nextBound = { at: 0, position: -1n };
  #timeline = 0;

  judge(report: ServerReport): Verdict {
    const verdict = this.standing(report);
    return verdict === "fit" && report.isReplica && report.position < this.#shown ? "behind" : verdict;
  }

  /** The same for a server's state a moment ago: whether it is worth a query. */
  standing({ isReplica, position, timeline = 0 }: ServerReport): Verdict {
    if (!isReplica) return timeline < this.#timeline ? "superseded" : "fit";
    return position < (this.#bound ?? -1n) ? "behind" : "fit";
  }

  /** An answer is being made from a snapshot that holds nothing beyond `position`. */
  noteShown(position: bigint): void {
    this.#shown = highest(this.#shown, position);
  }

  /** All servers that answered just now, at `now` in milliseconds. */
  notePoll(reports: readonly ServerReport[], now: number): void {
    if (reports.length === 0) return;
    for (const report of reports) this.noteReport(report);
    const current = reports.filter((report) => this.#isCurrent(report));
    const position = highest(...current.map((report) => report.position));
    if (this.#bound !== undefined && now - this.#nextBound.at < LONGEST_LAG_MS) return;
    this.#bound = highest(this.#bound ?? position, this.#nextBound.position);
    this.#nextBound = { at: now, position };
  }

  /**
   * A promoted server goes on from what it had: what the old primary had beyond that is lost and cannot be compared.
   * No server is required any more to have what was shown of it.
   */
  noteReport({ isReplica, position, timeline = 0 }: ServerReport): void {
    if (isReplica || timeline <= this.#timeline) return;
    const isPromotion = this.#timeline > 0;
    this.#timeline = timeline;
    if (!isPromotion) return;
    this.#shown = position;
    this.#bound = position;
    this.#nextBound = { at: 0, position };
  }

  /** A superseded primary goes on writing into a branch of the log that no other server follows. */
  #isCurrent({ isReplica, timeline = 0 }: ServerReport): boolean {
    return isReplica || timeline >= this.#timeline;
  }
}
