// A plan as text: every number with its parts, every assumption marked as one.
import type { Plan } from "../core/sizing/plan.ts";

export interface Shown {
  chain: string;
  plan: Plan;
  first: number;
  head: number;
  /** How the head, the events and the tokens are known. */
  known: readonly string[];
  rpcRate: number;
  cores: number;
  liveRequestsPerDay: number;
  /** When, where and by which commands the figures were measured. */
  measured: readonly string[];
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US");
const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** In powers of 1,000, as disks are sold: `1.2 TB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 0), UNITS.length - 1);
  const value = bytes / 1000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

/** `3.2 h`, and days where they say more: `75 h (3.1 days)`. */
export function hoursText(hours: number): string {
  if (hours < 0.95) return `${Math.max(Math.ceil(hours * 60), 1)} min`;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${count(hours)} h (${(hours / 24).toFixed(1)} days)`;
}

export function planText(shown: Shown): string {
  const { plan, chain, first, head, rpcRate, cores } = shown;
  const { load, requests, hours, postgres, lake, memory } = plan;
  const row = (label: string, value: string, note = "") =>
    `  ${label.padEnd(24)}${value.padStart(18)}${note && `  ${note}`}`;
  return [
    `Plan for ${chain}: blocks ${count(first)} to ${count(head)}`,
    ...shown.known.map((line) => `  ${line}`),
    "",
    "To index",
    row("blocks", count(load.blocks)),
    row("events", count(load.transfers + load.otherEvents), `${count(load.transfers)} transfers`),
    row("transactions", count(load.transactions), `${count(load.inputBytes)} bytes of input each`),
    row("tokens", count(load.tokens)),
    "",
    "Requests of the backfill",
    ...requests.byMethod.map(({ method, count: n, why }) => row(method, count(n), why)),
    row("in all", count(requests.total)),
    row("then, a day", count(shown.liveRequestsPerDay), "following the head"),
    "",
    "Hours of the backfill",
    row("by requests", hoursText(hours.rpc), `at ${rpcRate} a second`),
    row("by processor", hoursText(hours.cpu), `${cores} cores; Ponder uses one`),
    row("the longer", hoursText(hours.backfill), `bound by ${hours.boundBy}`),
    "",
    "Disk",
    row("PostgreSQL", bytesText(postgres.total), "and as much again for a second index while one is exchanged"),
    row("  node's answers", bytesText(postgres.raw), "ponder_sync: what a new index need not ask again"),
    row("  facts", bytesText(postgres.facts)),
    row("  fold", bytesText(postgres.fold), "as-of tables with their indexes"),
    ...(lake
      ? [
          row("lake", bytesText(lake.total), `${count(lake.segments)} segments`),
          row("  facts", bytesText(lake.facts)),
          row("  closed intervals", bytesText(lake.closed)),
          row(
            "  open intervals",
            bytesText(lake.open),
            `${count(lake.openRows)} rows: all holdings at each segment's end`,
          ),
        ]
      : []),
    "",
    "Memory",
    row("in all", bytesText(memory.total), "peak of the largest backfill that was measured; more is page cache"),
    row("  of which PostgreSQL", bytesText(memory.database)),
    row("  Ponder", bytesText(memory.ponder)),
    row("  fold", bytesText(memory.fold)),
    row("  gateway", bytesText(memory.gateway)),
    "",
    "Worked out from",
    ...shown.measured.map((line) => `  ${line}`),
  ].join("\n");
}
