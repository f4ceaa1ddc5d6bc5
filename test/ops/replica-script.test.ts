// ops/docker/replica.sh, with stand-ins for what its image brings: the copy of the primary, and the server.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const script = fileURLToPath(new URL("../../ops/docker/replica.sh", import.meta.url));

let folder: string;
let data: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-replica-script-"));
  data = join(folder, "18", "docker");
  env = {
    ...{ PATH: `${folder}/bin:${process.env.PATH}`, PGDATA: data, POSTGRES_PASSWORD: "secret" },
    ...{ POSTGRES_USER: "tidemark", PRIMARY_HOST: "primary" },
  };
  mkdirSync(join(folder, "bin"));
  program("chown", "exit 0");
  program("docker-entrypoint.sh", `cat "$PGDATA/content"`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, text: string): void =>
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });

/** What pg_basebackup does: files one after the other, that of the version among the first. */
const copies = (andThen: string): void =>
  program(
    "pg_basebackup",
    `for option in "$@"; do case "$option" in --pgdata=*) to="\${option#--pgdata=}" ;; esac; done
     mkdir -p "$to" && echo 18 > "$to/PG_VERSION" && ${andThen}`,
  );

it("copies the primary again after it was stopped in the middle of the copy", async () => {
  copies(`echo begun > "${folder}/begun" && exec sleep 60`);
  const child = spawn("sh", [script], { env, stdio: "ignore", detached: true });
  await vi.waitUntil(() => existsSync(join(folder, "begun")), 60_000);
  process.kill(-Number(child.pid), "SIGKILL");
  await once(child, "exit");
  copies(`echo whole > "$to/content"`);
  expect(execFileSync("sh", [script], { env, encoding: "utf8" })).toBe("whole\n");
});

it("starts on the data that are there without a copy", () => {
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "PG_VERSION"), "18\n");
  writeFileSync(join(data, "content"), "there\n");
  copies("exit 1");
  expect(execFileSync("sh", [script], { env, encoding: "utf8" })).toBe("there\n");
  expect(readFileSync(join(data, "PG_VERSION"), "utf8")).toBe("18\n");
});
