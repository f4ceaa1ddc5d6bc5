// The peer: the plain Ponder project in bare-ponder/, which keeps balances and their history in its handlers.
import { join } from "node:path";
import { ponderProgram } from "../../launcher/programs.ts";
import { projectRoot } from "../../machine/project-root.ts";
import type { Workbench } from "../ground/workbench.ts";
import { checkpointBlock, dropSchemas, type Indexer, startPonder, tableBytes } from "./indexer.ts";

export const PEER_SCHEMA = "bare";

/** As `ponder start` runs it, or with the Node options that `npm start` gives to our own Ponder. */
const plainProgram = ponderProgram.filter((argument) => !argument.startsWith("--"));

export function barePonder(bench: Workbench, { isTuned }: { isTuned: boolean }): Indexer {
  const { sql } = bench;
  return {
    name: "bare ponder",
    async start() {
      const root = join(projectRoot, "bench/index/bare-ponder");
      const ponder = startPonder(bench, { root, schema: PEER_SCHEMA, program: isTuned ? ponderProgram : plainProgram });
      const indexedAt = ponder.said("Completed backfill indexing across all chains");
      return {
        pids: [ponder.pid],
        startedAt: ponder.startedAt,
        indexingFrom: ponder.said("Started backfill indexing"),
        indexedAt,
        // Its tables can be queried as soon as the last row is written.
        answerableAt: indexedAt,
        settledAt: indexedAt,
        indexedBlock: () => checkpointBlock(bench, PEER_SCHEMA),
        answeredBlock: () => checkpointBlock(bench, PEER_SCHEMA),
        stop: ponder.stop,
      };
    },
    drop: () => dropSchemas(bench, [PEER_SCHEMA]),
    bytes: () => tableBytes(bench, PEER_SCHEMA),
    async balancesAt(block) {
      // From the history, not from the balances: only the history has the past.
      const rows = await sql`
        select distinct on (token, account) token || ' ' || account as holder, balance_after::text as amount
          from ${sql(PEER_SCHEMA)}.history where block <= ${block}
         order by token, account, block desc, log_index desc`;
      const held = rows.map(({ holder, amount }) => [String(holder), BigInt(amount)] as const);
      return new Map(held.filter(([, amount]) => amount > 0n));
    },
  };
}
