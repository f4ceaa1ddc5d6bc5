// Records, for `/status`, that a chain's logs are not checked by its blooms. Ponder's process finds that out, once.
import { setTimeout as sleep } from "node:timers/promises";
import type { BloomFinding } from "./blooms.ts";

const AGAIN_MS = 2_000;

interface Place {
  databaseUrl: string;
  chainId: number;
}

/** Undefined: a process that has just begun has found nothing yet. Tried again until the database and its table are there. */
export async function recordBlooms({ databaseUrl, chainId }: Place, finding: BloomFinding | undefined): Promise<void> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 5, idle_timeout: 1, onnotice: () => {} });
  const write = async (): Promise<void> => {
    if (finding === undefined) await sql`delete from tidemark.unproven_blooms where chain_id = ${chainId}`;
    else
      await sql`
        insert into tidemark.unproven_blooms (chain_id, reason, block) values (${chainId}, ${finding.reason}, ${finding.block})
        on conflict (chain_id) do update set reason = excluded.reason, block = excluded.block, since = excluded.since`;
  };
  try {
    while (
      !(await write().then(
        () => true,
        () => false,
      ))
    )
      await sleep(AGAIN_MS, undefined, { ref: false });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
