// The one moment of a backfill at which a killed Ponder 0.17.7 loses a block for ever: an event query (6,006 logs) that
// ends one block before the finalised one commits the finalised block's checkpoint without that block's rows.
// Blocks of 60 logs from block 2 on and a head of 132 (finalised: 102, queries of 100 blocks) make it happen.
import { setTimeout as sleep } from "node:timers/promises";
import { prepareSchema } from "../../launcher/ponder/schema.ts";
import { takeCensus } from "./census.ts";
import type { Outcome } from "./outcome.ts";
import { figuresOf } from "./ponder-kills.ts";
import { startReaders } from "./readers.ts";
import type { Stack } from "./stack.ts";

const LOGS_PER_BLOCK = 60;
const HEAD = 132;
const FINALISED = 102;
const ATTEMPTS = 6;
/** A start and a backfill take a minute where others use the processors, too. */
const PATIENCE_MS = 240_000;

interface Moment {
  checkpoint: number;
  rowsUpTo: number;
}

/** Needs a chain that has nothing but its first block; leaves it at block 132, synced. */
export async function killAtBackfillEnd(stack: Stack): Promise<Outcome> {
  const { chain, ponder, fold, gateway, sql, ponderSchema } = stack;
  while (chain.head() < HEAD) await chain.mine(LOGS_PER_BLOCK);
  fold.start();
  gateway.start();
  // The RPC cache must be full: only then one query runs over all of it.
  await stack.restartPonder();
  await stack.waitSynced(PATIENCE_MS);
  const faults: string[] = [];
  const readers = startReaders({ ...stack, count: 3, pauseMs: 300 });
  let moment: Moment | undefined;
  let attempts = 0;
  while (moment === undefined && attempts < ATTEMPTS) {
    attempts += 1;
    await ponder.kill();
    await stack.dropFacts();
    await stack.restartPonder();
    moment = await killInTheWindow(stack);
  }
  if (moment === undefined) faults.push(`the window was never hit in ${ATTEMPTS} backfills: this run proves nothing`);
  const { rewoundTo } = await prepareSchema(sql, ponderSchema);
  if (moment !== undefined && rewoundTo !== FINALISED - 1)
    faults.push(`checkpoints rewound to ${rewoundTo}, not to ${FINALISED - 1}`);
  await stack.restartPonder();
  await stack.waitSynced(PATIENCE_MS);
  const tally = await readers.stop();
  const census = await takeCensus(sql, ponderSchema, chain.history);
  faults.push(...tally.wrong, ...census.differences);
  return {
    name: "kill -9 of Ponder at the end of its backfill",
    figures: {
      "backfills until the window was hit": attempts,
      "checkpoint and rows when killed": moment ? `block ${moment.checkpoint}, rows up to ${moment.rowsUpTo}` : "-",
      "checkpoints rewound to": rewoundTo ?? "-",
      ...figuresOf(tally),
      "rows and logs afterwards": `${census.rows} and ${census.logs}`,
    },
    faults,
  };
}

/** Kills Ponder between the two commits; undefined when it was faster. */
async function killInTheWindow({ sql, ponderSchema, ponder, waitFor }: Stack): Promise<Moment | undefined> {
  const read = async (): Promise<(Moment & { isReady: boolean }) | undefined> => {
    try {
      const [row] = await sql.unsafe(`
        select (select substr(safe_checkpoint, 27, 16)::int from "${ponderSchema}"._ponder_checkpoint) as checkpoint,
               (select max(number) from "${ponderSchema}".block) as rows_up_to,
               (select value->>'is_ready' from "${ponderSchema}"._ponder_meta where key = 'app') = '1' as is_ready`);
      return row?.checkpoint == null
        ? undefined
        : { checkpoint: row.checkpoint, rowsUpTo: row.rows_up_to ?? -1, isReady: row.is_ready };
    } catch {
      return undefined;
    }
  };
  let seen: Awaited<ReturnType<typeof read>>;
  await waitFor(
    "a first checkpoint",
    async () => {
      seen = await read();
      return seen !== undefined;
    },
    PATIENCE_MS,
  );
  while (seen && !seen.isReady && seen.checkpoint < FINALISED) {
    await sleep(2);
    seen = await read();
  }
  await ponder.kill();
  const left = await read();
  return left && left.checkpoint === FINALISED && left.rowsUpTo === FINALISED - 1 ? left : undefined;
}
