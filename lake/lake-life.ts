// Signs of life of the lake's writer, in `tidemark.lake`: gateways read there whether it runs, how far it is and why it ended. The
// lake's writer makes the table, not the fold, so that no fold had to be made anew for it. All times are the database's.
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { chainFolder } from "../core/lake/paths.ts";
import { publicReason } from "../fold/process/part-record.ts";

const SIGN_MS = 3_000;
/** How long after a sign the next one is due. */
const DUE_MS = 10_000;
const SHUTDOWN_REPORT_MS = 1_000;

/** One row per chain. Its few pages are never filled, so that a full disk can be reported, too. */
export const lakeDdl = `
create schema if not exists tidemark;
create table if not exists tidemark.lake (
  chain_id int8 primary key, place text not null, heard_at timestamptz not null, due_at timestamptz not null,
  last_block int4, written_at timestamptz, waits_for text, error text) with (fillfactor = 20);
`;

export interface LakePlace {
  databaseUrl: string;
  chainId: number;
  /** The lake's folder. */
  lake: string;
}

export interface LakeLife {
  /** From now on a sign every few seconds. */
  begin(): void;
  /** It writes: what it waited for is there. */
  writes(): void;
  /** A segment is there, which ends with `block`. */
  wrote(block: number): void;
  /** Everything final is written up to `lastBlock`. */
  reportPosition(at: { lastBlock: number | undefined; waitsFor: string | undefined }): void;
  /** `error` is absent when it was stopped on purpose, or is done. Resolves within a second. */
  end(error?: unknown): Promise<void>;
}

/**
 * With several lakes of one chain the row is about one whose writer is alive. $2: the same for every writer of a folder, without
 * revealing where that is. $7: the error that ended it before is over.
 */
const SIGN = `
  insert into tidemark.lake as l (chain_id, place, heard_at, due_at, last_block, written_at, waits_for, error)
  values ($1, $2, now(), now() + make_interval(secs => $3::float8), $4, case when $5::bool then now() end, $6, $8)
  on conflict (chain_id) do update set
    place = excluded.place, heard_at = excluded.heard_at, due_at = excluded.due_at, waits_for = excluded.waits_for,
    last_block = coalesce(excluded.last_block, case when l.place = excluded.place then l.last_block end),
    written_at = coalesce(excluded.written_at, case when l.place = excluded.place then l.written_at end),
    error = case when $7::bool or l.place <> excluded.place then excluded.error else l.error end
  where l.place = excluded.place or l.due_at <= now()`;

/** A sign that cannot be written is skipped: gateways notice by themselves that there is no database. */
export function createLakeLife({ databaseUrl, chainId, lake }: LakePlace): LakeLife {
  const db = postgres(databaseUrl, {
    max: 1,
    connect_timeout: 3,
    idle_timeout: 20,
    onnotice: () => {},
    connection: { application_name: "tidemark-lake", synchronous_commit: "off", statement_timeout: 5_000 },
  });
  const place = createHash("sha256").update(`${hostname()}\0${lake}`).digest("hex").slice(0, 16);
  let timer: NodeJS.Timeout | undefined;
  let hasTable = false;
  let signing: Promise<void> | undefined;
  let lastBlock: number | null = null;
  let waitsFor: string | null = null;
  /** A segment was written, and no sign has said so yet. */
  let hasWritten = false;
  /** One round has ended without an error. */
  let isWell = false;

  const write = async (dueMs: number, error: string | null): Promise<void> => {
    const isNews = hasWritten;
    try {
      if (!hasTable) await db.unsafe(lakeDdl);
      hasTable = true;
      const isOver = isWell || error !== null;
      await db.unsafe(SIGN, [chainId, place, dueMs / 1_000, lastBlock, isNews, waitsFor, isOver, error]);
      if (isNews) hasWritten = false;
    } catch {
      hasTable = false;
    }
  };
  const sign = (): void => {
    signing ??= write(DUE_MS, null).finally(() => {
      signing = undefined;
    });
  };
  const publicText = (error: unknown): string => {
    const text = error instanceof Error ? error.message : String(error);
    return publicReason(text.replaceAll(chainFolder(lake, chainId), "the lake").replaceAll(lake, "the lake"));
  };
  return {
    begin() {
      sign();
      timer = setInterval(sign, SIGN_MS);
      timer.unref();
    },
    writes() {
      waitsFor = null;
    },
    wrote(block) {
      lastBlock = block;
      hasWritten = true;
      sign();
    },
    reportPosition(at) {
      lastBlock = at.lastBlock ?? lastBlock;
      waitsFor = at.waitsFor ?? null;
      isWell = true;
    },
    async end(error) {
      clearInterval(timer);
      const reportShutdown = async () => {
        await signing;
        // a writer that only waited for its turn does not overwrite what the other one says
        if (timer !== undefined || error !== undefined) await write(0, error === undefined ? null : publicText(error));
        await db.end({ timeout: 1 });
      };
      await Promise.race([reportShutdown().catch(() => {}), sleep(SHUTDOWN_REPORT_MS)]);
    },
  };
}
