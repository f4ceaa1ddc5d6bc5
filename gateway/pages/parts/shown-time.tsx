// Times, always in UTC.

const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** `2026-01-31 12:00:05`, without its zone. */
const timeText = (seconds: number): string => iso(seconds).slice(0, 19).replace("T", " ");

/** `2026-01-31` */
const dayText = (seconds: number): string => iso(seconds).slice(0, 10);

/** Unix seconds; undefined where the block's time is not known. */
export function ShownTime({ seconds }: { seconds: number | undefined }) {
  if (seconds === undefined) return <span class="quiet">time not known</span>;
  return <time datetime={iso(seconds)}>{timeText(seconds)} UTC</time>;
}

/** The last second that there is a date of. */
const LAST_DATED = 8_640_000_000_000;

/** The day alone, for narrow columns. Contracts may name times that no calendar has. */
export function ShownDay({ seconds }: { seconds: number }) {
  if (seconds > LAST_DATED) return <span title={`${seconds} seconds after 1970`}>after the year 275760</span>;
  return (
    <time datetime={iso(seconds)} title={`${timeText(seconds)} UTC`}>
      {dayText(seconds)}
    </time>
  );
}
