// Faults within the launcher's own process: whatever goes wrong, nothing that it has started is left running.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ProcessIdentity } from "../../../scripts/launcher/processes.ts";
import { supervise } from "../../../scripts/launcher/supervised-child.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("a part whose log cannot be opened has failed to start, and is started as soon as it can be", async () => {
  const logs = join(home, "logs");
  writeFileSync(logs, "no folder");
  const deaths: string[] = [];
  const starts: ProcessIdentity[] = [];
  const child = supervise(
    {
      ...{ name: "the child", command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] },
      ...{ env: process.env, cwd: home, logFile: join(logs, "child.log") },
      ...{ graceMs: 1_000, hopelessAfter: 1, hopelessCodes: [1] },
    },
    {
      onStart: (identity) => starts.push(identity),
      onDeath({ reason }) {
        deaths.push(reason);
        rmSync(logs);
      },
    },
  );
  await vi.waitFor(() => expect(starts).toHaveLength(1), 5_000);
  expect(deaths).toEqual([expect.stringMatching(/^did not start \(E.*logs/)]);
  await child.stop();
});
