// Calculates the figures of a plan from what was counted.
import { sizes } from "../as-of/sizes.ts";
import { type BackfillRun, slopes } from "./backfill.ts";
import { KINDS } from "./counting-node.ts";
import type { LakeRun, RowsRun, WrittenRows } from "./lake.ts";
import type { Group, Groups, Runs } from "./measured-file.ts";
import type { PaceRun } from "./pace.ts";
import type { RequestRun } from "./requests.ts";
import { bytesPerRow, rowsOf, sumOver } from "./table-sizes.ts";

type Kinds = Readonly<Record<string, number>>;

const sum = (kinds: Kinds, leaves: (kind: string) => boolean = () => true): number =>
  Object.entries(kinds).reduce((all, [kind, count]) => all + (leaves(kind) ? count : 0), 0);
const of = (kinds: Kinds, kind: string): number => kinds[kind] ?? 0;
const n = (value: number): string => Math.round(value).toLocaleString("en-US");
const WORLD = sizes.M ?? { tokens: Number.NaN, changes: Number.NaN };

/** @throws Error when a run is missing */
export function deriveFigures({ requests, backfill, pace, rows, lake }: Runs): Partial<Record<keyof Runs, Groups>> {
  if (!requests || !backfill || !pace || !rows || !lake)
    throw new Error("the figures need one run each of requests, backfill, pace, rows and lake: run those phases first");
  return {
    requests: requestFigures(requests, backfill.many),
    backfill: backfillFigures(backfill),
    pace: paceFigures(pace),
    rows: rowFigures(rows),
    lake: lakeFigures(lake),
  };
}

/** Kinds that the plan counts separately. */
const PLANNED: ReadonlySet<string> = new Set(Object.values(KINDS));
/** Requests of the check of new blocks' logs. */
const NEAR_HEAD = [
  ...["eth_getLogs of a block", "eth_getLogs of a range, all of them", "eth_getBlockByHash"],
  "eth_getBlockByNumber of a header",
  ...["eth_getTransactionReceipt", "eth_getBlockReceipts"],
];

function requestFigures(run: RequestRun, withoutInput: BackfillRun): Groups {
  const { backfill, idle, live, blocks, tokens, settings, events } = run;
  const ownPolls = (kind: string) => kind === KINDS.poll;
  const idlePerSecond = sum(idle.byKind, (kind) => !ownPolls(kind)) / idle.seconds;
  const idleOf = (kind: string) => of(idle.byKind, kind) / idle.seconds;
  /** The requests of a kind without those that are sent at intervals, whatever happens. */
  const due = (kinds: Kinds, kind: string, seconds: number) => Math.max(of(kinds, kind) - idleOf(kind) * seconds, 0);
  const inBackfill = (kind: string) => due(backfill, kind, run.seconds);
  const others = Object.keys(backfill).filter((kind) => !PLANNED.has(kind) && !NEAR_HEAD.includes(kind));
  const followed = Object.keys(live.byKind).reduce((all, kind) => all + due(live.byKind, kind, live.seconds), 0);
  const facts = sumOver(run.sizes, (table) => table.startsWith("facts.") && table !== "facts.block");
  const transfers = rowsOf(run.sizes, "facts.erc20_transfer");
  return {
    requests: {
      perBlock: [inBackfill(KINDS.block) / blocks, `${n(inBackfill(KINDS.block))} for ${n(blocks)} blocks`],
      headPerLogs: [
        Math.min(inBackfill(KINDS.head) / of(backfill, KINDS.logs), 1),
        `${n(inBackfill(KINDS.head))} with ${n(of(backfill, KINDS.logs))} eth_getLogs`,
      ],
      callsPerToken: [inBackfill(KINDS.tokens) / tokens, `${n(inBackfill(KINDS.tokens))} for ${tokens} tokens`],
      callsPerSetting: [
        inBackfill(KINDS.settings) / settings,
        `${n(inBackfill(KINDS.settings))} for ${settings} settings of islands and farms`,
      ],
      startPerAddress: [
        others.reduce((all, kind) => all + inBackfill(kind), 0) / run.addresses,
        `all others of a start, for ${run.addresses} addresses in the chain file`,
      ],
      nearHead: [
        NEAR_HEAD.reduce((all, kind) => all + inBackfill(kind), 0),
        "logs by block hash, headers by hash and receipts, of the blocks that are checked before the head is reached",
      ],
      idlePerSecond: [
        idlePerSecond,
        `${n(sum(idle.byKind))} in ${idle.seconds} s without a block, Ponder's polls aside`,
      ],
      perPoll: [idleOf(KINDS.poll), `${n(of(idle.byKind, KINDS.poll))} in ${idle.seconds} s, one poll a second`],
      livePerBlock: [followed / live.blocks, `${n(followed)} for ${live.blocks} blocks of the devnet's live part`],
    },
    world: {
      eventsPerBlock: [events / blocks, `devnet: ${n(events)} events in ${n(blocks)} blocks`],
      transferShare: [transfers / facts.rows, `devnet: ${n(transfers)} transfers of ${n(facts.rows)} events`],
      eventsPerTransaction: [
        events / run.transactions,
        `devnet: ${n(events)} events in ${n(run.transactions)} transactions`,
      ],
      inputBytes: [run.inputBytes, `devnet: mean of ${n(run.transactions)} transactions`],
      settingsPerEvent: [settings / (events - transfers), `devnet: ${settings} for ${n(events - transfers)} events`],
    },
    postgres: devnetBytes(run, withoutInput),
  };
}

/** Smaller tables say little about rows: most of their bytes are pages and indexes. */
const FEWEST_ROWS = 500;
const isHolding = (table: string): boolean => /^fold\.(holding_|holder|asset|token)/.test(table);

function devnetBytes({ sizes: tables, inputBytes }: RequestRun, withoutInput: BackfillRun): Group<"postgres"> {
  const isLarge = (table: string) => (tables[table]?.rows ?? 0) >= FEWEST_ROWS;
  const facts = sumOver(tables, (t) => /^facts\./.test(t) && !/^facts\.(block|erc20_transfer)$/.test(t) && isLarge(t));
  const fold = sumOver(tables, (table) => /^fold\./.test(table) && !isHolding(table) && isLarge(table));
  const events = sumOver(tables, (t) => /^facts\./.test(t) && !/^facts\.(block|erc20_transfer)$/.test(t));
  const empty = bytesPerRow(withoutInput.sizes, "raw.transactions");
  return {
    rawInputByte: [
      Math.max(bytesPerRow(tables, "raw.transactions") - empty, 0) / inputBytes,
      `devnet: raw.transactions less ${Math.round(empty)} bytes, for ${Math.round(inputBytes)} bytes of input`,
    ],
    factOther: [facts.bytes / facts.rows, `devnet: ${facts.rows} rows of tables with ${FEWEST_ROWS} or more`],
    foldOther: [
      fold.bytes / events.rows,
      `devnet: tables of state with ${FEWEST_ROWS} or more rows, for ${events.rows} events`,
    ],
  };
}

function backfillFigures(runs: { few: BackfillRun; empty: BackfillRun; many: BackfillRun }): Groups {
  const { many } = runs;
  const { transfers } = many;
  const tables = many.sizes;
  const name = `${transfers.toLocaleString("en-US")} made-up transfers`;
  const perRow = (table: string): readonly [number, string] => [bytesPerRow(tables, table), `${name}: ${table}`];
  const slope = (
    process: "ponder" | "fold" | "database",
    unit: "perBlock" | "perTransfer",
  ): readonly [number, string] => [
    slopes(runs, ({ cpu }) => cpu[process])[unit],
    `difference of three backfills of up to ${name}`,
  ];
  const holdings = sumOver(tables, isHolding);
  const written = (dataset: string): readonly [number, string] => {
    const { rows, bytes } = many.lake?.datasets[dataset] ?? { rows: 0, bytes: 0 };
    if (rows === 0) throw new Error(`the lake has no rows of ${dataset}`);
    return [bytes / rows, `${name}: ${rows.toLocaleString("en-US")} rows of ${dataset} as npm run lake writes them`];
  };
  const peak = (process: keyof BackfillRun["memory"]): readonly [number, string] => [
    many.memory[process],
    `peak, ${name}`,
  ];
  return {
    postgres: {
      rawBlock: perRow("raw.blocks"),
      rawTransaction: perRow("raw.transactions"),
      rawEvent: perRow("raw.logs"),
      factBlock: perRow("facts.block"),
      factTransfer: perRow("facts.erc20_transfer"),
      foldTransfer: [holdings.bytes / transfers, `${name}: holding_interval, holding_current, holder, asset`],
    },
    cpu: {
      ponderBlock: slope("ponder", "perBlock"),
      ponderEvent: slope("ponder", "perTransfer"),
      databaseBlock: slope("database", "perBlock"),
      databaseEvent: slope("database", "perTransfer"),
      foldEvent: slope("fold", "perTransfer"),
    },
    lake: { block: written("block") },
    memory: { ponder: peak("ponder"), fold: peak("fold"), gateway: peak("gateway"), database: peak("database") },
    world: {
      tokensPerTransfer: [
        WORLD.tokens / WORLD.changes,
        `the made-up world of bench as-of: ${n(WORLD.tokens)} tokens in ${n(WORLD.changes)} changes`,
      ],
      closedPerTransfer: [rowsOf(tables, "fold.holding_interval") / transfers, `${name}: closed intervals`],
      openPerTransfer: [rowsOf(tables, "fold.holding_current") / transfers, `${name}: current rows, supply included`],
    },
  };
}

const paceFigures = (run: PaceRun): Groups => ({
  requests: {
    rangeSeconds: [
      run.seconds / run.ranges,
      `${run.ranges} ranges in ${run.seconds} s at ${run.perSecond} requests a second`,
    ],
    rateUsed: [
      run.granted / (run.perSecond * run.seconds),
      `${run.granted} of ${run.perSecond * run.seconds} granted after ${run.warmUpSeconds} s, ${run.refused} refused`,
    ],
  },
});

const perRow = ({ rows, bytes }: WrittenRows): readonly [number, string] => [bytes / rows, `${n(rows)} made-up rows`];

const rowFigures = ({ transfers, open, swaps }: RowsRun): Groups => ({
  lake: { transfer: perRow(transfers), openInterval: perRow(open), other: perRow(swaps) },
});

function lakeFigures({ closed }: LakeRun): Groups {
  const largest = closed.at(-1);
  if (!largest) throw new Error("no files of intervals were written");
  return { lake: { closedInterval: perRow(largest) } };
}
