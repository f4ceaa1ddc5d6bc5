// The database's disk is full for a while: it refuses to write, and without room for its log it ends.
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import type { Weather } from "./storm-weather.ts";
import { mineBlocks } from "./storm-weather.ts";

const MOST_ROOM = 512 * 1024;
/** Size of one message in the write-ahead log, whose segments have 16 MB. */
const MESSAGE_BYTES = 8_000_000;
const MOST_MESSAGES = 100;

/** Only on a stack with a disk of its own. */
export async function fillDisk(weather: Weather): Promise<void> {
  const { stack, between, note, wrong, gatewayLosesDatabase } = weather;
  const { disk } = stack;
  if (disk === undefined) return;
  const isBack = gatewayLosesDatabase();
  disk.fill(between(0, MOST_ROOM));
  try {
    const where = between(0, 1) === 0 ? "log" : "table";
    await mineBlocks(weather, between(2, 6));
    const refusal = await writeUntilRefused(stack.databaseUrl, where);
    note(`full disk: a ${where} refused with ${refusal}`);
    if (refusal === undefined) wrong("full disk: nothing was refused");
    await mineBlocks(weather, between(0, 4));
    await sleep(between(0, 2_000));
  } finally {
    disk.free();
    if (await stack.reviveDatabase()) note("full disk: the server had ended");
    isBack();
  }
}

/** How the database refused: PostgreSQL's code, or the driver's when the server ended under it; undefined: not at all. */
async function writeUntilRefused(url: string, where: "table" | "log"): Promise<string | undefined> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await sql`create temporary table trial_ballast (page text)`;
    for (let message = 0; message < MOST_MESSAGES; message++)
      if (where === "log") await sql`select pg_logical_emit_message(false, 'trial', repeat('x', ${MESSAGE_BYTES}))`;
      else await sql`insert into trial_ballast select md5(n::text) from generate_series(1, 20000) n`;
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
