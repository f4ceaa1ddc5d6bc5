// Commands whose settings are variables, as they are typed. `npm run reset` needs the database, and no node.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

it.each(["launcher/reset", "launcher/indexer", "launcher/start", "fold/main", "gateway/main"])(
  "%s refuses arguments, which it would ignore, before it does anything",
  (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`${name}.ts`, "--help"], {
      cwd: root,
      // one that ignores them may run for ever
      timeout: 100_000,
      encoding: "utf8",
      env: { PATH: process.env.PATH, DATABASE_URL: "postgres://127.0.0.1:1/none", TIDEMARK_DATA: "/dev/null/none" },
    });
    expect(stdout + stderr).toMatch(
      /^(?:\w+: )?"--help": this command takes no arguments; its settings are variables, see \.env\.example\n/,
    );
    expect(status).toBe(1);
  },
);

it("reset comes as far as the database without the URL of a node", () => {
  const home = mkdtempSync(join(tmpdir(), "tidemark-reset-"));
  try {
    const { PATH } = process.env;
    const { status, stderr } = spawnSync(process.execPath, ["launcher/reset.ts"], {
      cwd: root,
      encoding: "utf8",
      env: { PATH, CHAIN: "berachain", DATABASE_URL: "postgres://127.0.0.1:1/none", TIDEMARK_DATA: home },
    });
    expect(stderr).toContain("reset: DATABASE_URL: ");
    expect(status).toBe(1);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
