// The processes that write an index, by the signs of life that they leave in the database (fold/process/part-record.ts).
import { LONG_LIVED_SECONDS } from "../../fold/tables.ts";
import { isoText } from "../database/state.ts";

/** After this many deaths in a row a part is not expected to recover by itself. One death is a restart, and is not reported. */
const MOST_DEATHS = 1;

/**
 * `working`: it lives, or is being started again after one death. `failing`: it died again and again, and has not lived for
 * half a minute since. `silent`: its sign of life is overdue; it hangs, or nobody runs it.
 */
type PartState = "working" | "failing" | "silent";

export interface PartStatus {
  part: "indexer" | "fold";
  /** What it writes. */
  schema: string;
  /** Gateways read what it writes. */
  isLive: boolean;
  state: PartState;
  /** One sentence; for a part that works, what it waits for or why it died last. Null: nothing is wrong. */
  reason: string | null;
  /** In a row, without half a minute of life between. */
  deaths: number;
  startedAt: string;
  /** When it last gave a sign of life. */
  heardAt: string;
}

export interface PartRow {
  part: PartStatus["part"];
  schema: string;
  deaths: number;
  error: string | null;
  waits_for: string | null;
  started_at: string;
  heard_at: string;
  /** Since then, by the database's clock. */
  heard_seconds: number;
  has_ended: boolean;
  is_young: boolean;
  is_overdue: boolean;
  /** Since when the node has had blocks that the fold has not come to. */
  behind_seconds: number | null;
}

/** SELECT text of the {@link PartRow}s of all indexes of the chain. */
export const partsText = (chainId: number): string => `
  select part, schema, deaths, error, waits_for, ${isoText("started_at")} as started_at, ${isoText("beat_at")} as heard_at,
         extract(epoch from now() - beat_at)::float8 as heard_seconds, ended_at is not null as has_ended,
         started_at > now() - interval '${LONG_LIVED_SECONDS} seconds' as is_young, due_at < now() as is_overdue,
         extract(epoch from now() - behind_since)::float8 as behind_seconds
    from tidemark.part where chain_id = ${chainId} order by part desc, schema`;

/** What people call them. */
export const NAME_OF = { indexer: "Ponder", fold: "the fold" } as const;

const withCause = (text: string, cause: string | null): string => (cause === null ? text : `${text}: ${cause}`);

function judged(row: PartRow): Pick<PartStatus, "state" | "reason"> {
  const { deaths, error, has_ended: hasEnded, heard_seconds: seconds } = row;
  const name = NAME_OF[row.part];
  if (deaths > MOST_DEATHS && (hasEnded || row.is_young))
    return { state: "failing", reason: withCause(`${name} has ended ${deaths} times in a row`, error) };
  if (row.is_overdue && hasEnded) return { state: "silent", reason: withCause(`${name} is not running`, error) };
  if (row.is_overdue) {
    const text = `${name} has given no sign of life for ${Math.round(seconds)} seconds: it hangs or was killed`;
    return { state: "silent", reason: withCause(text, error) };
  }
  const waits = row.waits_for === null ? null : `${name} waits for ${row.waits_for}`;
  return { state: "working", reason: waits ?? (error === null ? null : `${name} last died of: ${error}`) };
}

/** A row, and whether gateways read what it writes. */
export type KnownPart = PartRow & { isLive: boolean };

export const partOf = (row: KnownPart): PartStatus => ({
  part: row.part,
  schema: row.schema,
  isLive: row.isLive,
  ...judged(row),
  deaths: row.deaths,
  startedAt: row.started_at,
  heardAt: row.heard_at,
});
