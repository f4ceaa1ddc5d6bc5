// Everything that a run needs: a database with the product's tables, the peers' tables and the floors, all of one made-up
// history; and a gateway over them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { undelayed } from "../../database/undelayed.ts";
import { quoted } from "../../fold/tables.ts";
import { holdersText } from "../../gateway/history/holdings-at.ts";
import { realPrograms } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { type LoggedProcess, startLogged } from "../ground/child-process.ts";
import { BENCH_CHAIN_ID, chainFileOf, type Server } from "../ground/workbench.ts";
import { timed } from "../timed.ts";
import { withDatabase } from "../with-database.ts";
import { pointAt, writeFacts } from "./facts.ts";
import { generateChanges, generateSteady, tokenAddress, writeFloors } from "./generate.ts";
import { writeGraphNode } from "./peers/graph-node.ts";
import { writeHistory } from "./peers/plain-history.ts";
import { writeFold } from "./product-tables.ts";
import { blockOf, DECIMALS, HOT, type Moment, momentNames, type Size, WARM } from "./sizes.ts";

export const PONDER_SCHEMA = "facts_made";
export const FOLD_SCHEMA = "fold_made";

export interface Ground {
  server: Server;
  size: Size;
  /** One connection. */
  db: Sql;
  databaseUrl: string;
  /** Rows of the history. */
  changes: number;
  head: number;
  blocks: Readonly<Record<Moment, number>>;
  /** 0x addresses of the hot and the warm token. */
  hot: string;
  warm: string;
}

/** The product's own text for all holders of an asset. */
export const productText = (block: number, { foldSchema = FOLD_SCHEMA, assetId = HOT } = {}): string =>
  holdersText({ fold: quoted(foldSchema), asset: String(assetId), block: String(block) });

type Say = (what: string) => void;

/** Fills a fresh database of `server` and keeps it for as long as `use` runs. */
export function withGround<T>(
  { server, size, say }: { server: Server; size: Size; say: Say },
  use: (ground: Ground) => Promise<T>,
): Promise<T> {
  return withDatabase(server, "as_of", async (databaseUrl) => {
    const db = postgres(databaseUrl, { max: 1, ...undelayed(), onnotice: () => {}, fetch_types: false });
    try {
      const changes = await fill(db, size, say);
      const [row] = await db.unsafe<{ hot: string; warm: string }[]>(`
        select '0x' || encode(${tokenAddress(String(HOT))}, 'hex') as hot, '0x' || encode(${tokenAddress(String(WARM))}, 'hex') as warm`);
      const { hot = "", warm = "" } = row ?? {};
      const moments = momentNames.map((moment) => [moment, blockOf(moment, size)]);
      const blocks = Object.fromEntries(moments) as Ground["blocks"];
      return await use({ server, size, db, databaseUrl, changes, head: size.blocks, blocks, hot, warm });
    } finally {
      await db.end({ timeout: 2 });
    }
  });
}

async function fill(db: Sql, size: Size, say: Say): Promise<number> {
  const head = size.blocks;
  const changes = await timed(say, "made the history", () => generateChanges(db, size));
  await timed(say, "made the histories of equal holders", () => generateSteady(db, size));
  const blocks = Object.fromEntries(momentNames.map((moment) => [moment, blockOf(moment, size)]));
  await timed(say, "row floors", () => writeFloors(db, blocks));
  await timed(say, "tidemark", async () => {
    const factOid = await writeFacts(db, PONDER_SCHEMA, head);
    const place = { chainId: BENCH_CHAIN_ID, ponderSchema: PONDER_SCHEMA, foldSchema: FOLD_SCHEMA, factOid };
    await writeFold(db, place, { changes: "made.change", head });
    await pointAt(db, place, head);
    for (const token of [HOT, WARM])
      await db.unsafe(`insert into ${quoted(FOLD_SCHEMA)}.token (address, name, symbol, decimals, read_at_block)
        values (${tokenAddress(String(token))}, 'Made up', 'MADE', ${DECIMALS}, ${head})`);
  });
  await timed(say, "plain history", () => writeHistory(db));
  await timed(say, "graph-node's layout", () => writeGraphNode(db));
  await db.unsafe("checkpoint");
  return changes;
}

export interface RunningGateway extends LoggedProcess {
  url: string;
}

/** The gateway's own process, as `npm start` runs it. */
export async function startGateway({
  server,
  databaseUrl,
}: Pick<Ground, "server" | "databaseUrl">): Promise<RunningGateway> {
  const chainFile = join(server.folder, "as-of-chain.json");
  writeFileSync(chainFile, JSON.stringify(chainFileOf(null)));
  const port = await freePort();
  const env = { CHAIN: chainFile, DATABASE_URL: databaseUrl, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "info" };
  const gateway = startLogged({ name: "as-of gateway", args: realPrograms(false).gateway, cwd: projectRoot, env });
  await gateway.said("listening");
  return { ...gateway, url: `http://127.0.0.1:${port}` };
}
