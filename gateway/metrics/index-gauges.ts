// The index's own condition, read when it is asked for. What cannot be read is left out: an old number would look healthy.
import { Gauge } from "prom-client";
import { STOPPED_KINDS } from "../catalogue/index-lists.ts";
import { registry } from "../instruments.ts";
import type { Status } from "../questions/status.ts";
import type { DatabaseHealth } from "./database-health.ts";

export interface Condition {
  status: Status;
  reorgs: { seen: number; deepest: number };
  database: DatabaseHealth;
  /** By this process's clock, seconds. */
  now: number;
}

type Measured = number | null | undefined;

interface ChainGauge {
  gauge: Gauge;
  of: (condition: Condition) => Measured;
}

const gauge = (name: string, help: string, of: ChainGauge["of"]): ChainGauge => ({
  gauge: new Gauge({ name: `tidemark_${name}`, help, labelNames: ["chain"], registers: [registry] }),
  of,
});

const secondsSince = (iso: string | null | undefined, now: number): Measured =>
  iso == null ? null : Math.max(0, now - Date.parse(iso) / 1000);

const ready = gauge("ready", "1 when the head can be answered, and will be", ({ status }) =>
  status.state === "ready" ? 1 : 0,
);

const gauges: readonly ChainGauge[] = [
  gauge("chain_head_block", "The node's head as last reported", ({ status }) => status.chainHead),
  gauge("chain_head_age_seconds", "Since the node last reported its head", ({ status, now }) =>
    secondsSince(status.chainHeadAt, now),
  ),
  gauge("node_unreachable", "1 while the node cannot be asked for its head", ({ status }) =>
    status.rpcError === null ? 0 : 1,
  ),
  gauge(
    "blooms_checked",
    "0 where the blocks' blooms prove nothing of their logs, and receipts are read instead",
    ({ status }) => (status.blooms.areChecked ? 1 : 0),
  ),
  gauge("last_synced_block", "Highest block that can be answered", ({ status }) => status.lastSyncedBlock),
  gauge("sync_lag_blocks", "Blocks between the node's head and that one", ({ status }) => status.lag),
  gauge("sync_lag_seconds", "Age of that block by its own timestamp", ({ status, now }) =>
    status.lastSyncedTimestamp === null ? null : Math.max(0, now - status.lastSyncedTimestamp),
  ),
  gauge("indexed_blocks", "Blocks that can be answered", ({ status: { firstBlock, lastSyncedBlock } }) =>
    lastSyncedBlock === null ? null : lastSyncedBlock - firstBlock + 1,
  ),
  gauge("indexed_facts", "Events folded; its slope is events per second", ({ status }) => status.fold?.facts),
  gauge("fold_watermark_block", "Highest block in the fold's tables", ({ status }) => status.fold?.watermark),
  gauge("finalized_block", "Last block that cannot be replaced", ({ status }) => status.fold?.finalized),
  gauge("fold_age_seconds", "Since the fold last wrote", ({ status, now }) =>
    secondsSince(status.fold?.updatedAt, now),
  ),
  gauge("live_since_timestamp_seconds", "When gateways were pointed at the build they read", ({ status }) => {
    const since = status.builds?.since;
    return since == null ? null : Date.parse(since) / 1000;
  }),
  gauge("reorgs_seen", "Times that blocks were replaced, ever", ({ reorgs }) => reorgs.seen),
  gauge("deepest_reorg_blocks", "Most blocks replaced at a time", ({ reorgs }) => reorgs.deepest),
  gauge("lake_up", "1 while the writer of the history lake runs", ({ status }) =>
    status.lake === null ? null : Number(status.lake.isRunning),
  ),
  gauge("lake_block", "The last block of the history lake", ({ status }) => status.lake?.block),
  gauge("tracked_tokens", "Tokens that have been seen", ({ status }) => status.tokens?.tracked),
  gauge("tokens_with_metadata", "Tokens whose contract was read", ({ status }) => status.tokens?.withMetadata),
  gauge(
    "quarantined_tokens",
    "Tokens with an impossible ledger or odd metadata",
    ({ status }) => status.tokens && status.quarantinedCount,
  ),
  gauge(
    "flagged_tokens",
    "Findings of npm run verify, counted up to 200",
    ({ status }) => status.tokens && status.flags.length,
  ),
  gauge(
    "stopped_pools",
    "v3 pools whose facts do not fit together",
    ({ status }) => status.tokens && status.stoppedPoolsCount,
  ),
  gauge(
    "waiting_steps",
    "Parts of the fold that cannot go on",
    ({ status }) => status.tokens && status.waiting.filter(({ address }) => address === null).length,
  ),
  gauge(
    "waiting_contracts",
    "Contracts that are not read yet, and wait alone",
    ({ status }) => status.tokens && status.waitingContractsCount,
  ),
  gauge(
    "database_oldest_transaction_seconds",
    "Age of the oldest transaction in the database, anybody's",
    ({ database }) => database.oldestTransactionSeconds,
  ),
  gauge(
    "reorg_numbers_used_ratio",
    "How much of Ponder's 32-bit numbers for live rows is used up; a new build begins at 0",
    ({ status, database }) => status.builds && database.reorgNumbersUsed,
  ),
];

/** A gauge with another label besides `chain`; `of` gives its values, or nothing where they are unknown. */
interface LabelledGauge {
  gauge: Gauge;
  label: string;
  labels: readonly string[];
  of: (status: Status, label: string) => Measured;
}

/** Of the live index; while there is none, of one that is being made. */
function partOf({ parts }: Status, label: string) {
  const own = parts.filter(({ part }) => part === label);
  return own.find(({ isLive }) => isLive) ?? own.at(-1);
}

const labelled = (name: string, help: string, rest: Omit<LabelledGauge, "gauge">): LabelledGauge => ({
  gauge: new Gauge({ name: `tidemark_${name}`, help, labelNames: ["chain", rest.label], registers: [registry] }),
  ...rest,
});

const PARTS = { label: "part", labels: ["indexer", "fold"] };

const labelledGauges: readonly LabelledGauge[] = [
  labelled("part_working", "0 while a part dies again and again, hangs or is not running", {
    ...PARTS,
    of(status, label) {
      const part = partOf(status, label);
      return part && (part.state === "working" ? 1 : 0);
    },
  }),
  labelled("part_deaths", "Times in a row that a part died, without half a minute of life between", {
    ...PARTS,
    of: (status, label) => partOf(status, label)?.deaths,
  }),
  labelled("stopped_contracts", "Contracts whose state is no longer known, or not fully", {
    label: "kind",
    labels: STOPPED_KINDS,
    of: ({ tokens, stoppedCounts }, label) => tokens && (stoppedCounts.find(({ kind }) => kind === label)?.count ?? 0),
  }),
];

function showLabelled(chain: string, status: Status | undefined): void {
  for (const { gauge: one, label, labels, of } of labelledGauges)
    for (const value of labels) {
      const measured = status && of(status, value);
      if (measured == null) one.remove({ chain, [label]: value });
      else one.set({ chain, [label]: value }, measured);
    }
}

function show({ gauge: one, of }: ChainGauge, chain: string, condition: Condition): void {
  const value = of(condition);
  if (value == null) one.remove({ chain });
  else one.set({ chain }, value);
}

/** Sets all gauges of one chain; `undefined`: it cannot be read, and the gauges say only that. */
export function showCondition(chain: string, condition: Condition | undefined): void {
  showLabelled(chain, condition?.status);
  if (condition) for (const each of [ready, ...gauges]) show(each, chain, condition);
  else {
    ready.gauge.set({ chain }, 0);
    for (const each of gauges) each.gauge.remove({ chain });
  }
}
