// A database whose disk is full refuses to write and goes on being read; one that has ended is not there at all.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it } from "vitest";
import { startPostgres } from "../../launcher/postgres/server.ts";
import { mountDisk } from "../../trials/faults/trial-disk.ts";
import { hashOf } from "../support/index-fixture.ts";
import { HEAD, startFold } from "../support/running-fold.ts";

it("a full disk and a database that has ended are each named", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  // the database's own account must come through
  chmodSync(folder, 0o711);
  const disk = mountDisk(join(folder, "disk"));
  if (disk === undefined) return context.skip("nothing may be mounted here");
  const server = await startPostgres({ dataDir: join(disk.folder, "data"), isTemporary: true });
  const sql = postgres(server.url, { max: 2, onnotice: () => {} });
  const fold = await startFold({ sql, url: server.url });
  try {
    await fold.becomes({ status: 200 });
    // blocks that want to be folded, written before the disk is full, and shown by the checkpoint after it
    const rows = Array.from({ length: 20_000 }, (_, i) => ({
      number: HEAD + 1 + i,
      hash: hashOf(HEAD + 1 + i),
      timestamp: i,
    }));
    await sql.begin(async (tx) => {
      for (let i = 0; i < rows.length; i += 5_000)
        await tx`insert into ${tx(fold.ponderSchema)}.block ${tx(rows.slice(i, i + 5_000))}`;
      disk.fill(0);
    });
    const message = expect.stringMatching(/the fold has ended \d+ times in a row: .*No space left/);
    await fold.becomes({ status: 503, code: "PART_FAILING", message });
    const { body, status } = await fold.gateway.get("/status");
    expect([status, body.state]).toEqual([200, "failing"]);
    disk.free();
    fold.node.says.head = HEAD + rows.length;
    await fold.growsOld();
    await fold.becomes({ status: 200 });
    await server.stop();
    await fold.becomes({ status: 503, code: "DATABASE_UNAVAILABLE" });
    expect((await fold.gateway.get("/status")).body).toMatchObject({ error: { code: "DATABASE_UNAVAILABLE" } });
  } finally {
    await fold.stop();
    await sql.end({ timeout: 1 });
    await server.stop().catch(() => {});
    await disk.unmount();
    rmSync(folder, { recursive: true, force: true });
  }
});
