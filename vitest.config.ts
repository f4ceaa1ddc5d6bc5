// Three groups on two cores, two files at a time: quick ones, during which the seeded index is made, then those that read it, then
// the ones that start chains and databases of their own. The next group begins when a core has nothing left of the one before.
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";

/** Files that start anvil, Ponder or the whole launcher, on ports of their own. They mostly wait; more than two would time one another out. */
const endToEnd = [
  "test/**/*.e2e.test.ts",
  "test/e2e/**/*.test.ts",
  "test/devnet/**/*.test.ts",
  "test/launcher/**/*.test.ts",
];

/** What its process holds is measured: it has one of its own. */
const alone = ["test/gateway/cache/bytes-of.test.ts"];

/** Files that share the index that their global setup makes: see test/seeded/seeded-index.ts. */
const seeded = ["test/seeded/**/*.test.ts"];

const limits = {
  environment: "node",
  pool: "forks",
  testTimeout: 240_000,
  hookTimeout: 300_000,
  teardownTimeout: 30_000,
  // what is waited for comes as soon as the machine lets it
  expect: { poll: { timeout: 60_000 } },
} as const;

// Files share their process's modules, which hold no state: loading them anew for each took seconds of each. Only those that
// start whole products have a process of their own, which ends with what they started.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...limits,
          name: "unit",
          globalSetup: "test/support/test-server.ts",
          include: ["test/**/*.test.ts"],
          exclude: [...endToEnd, ...seeded, ...alone],
          maxWorkers: 2,
          isolate: false,
        },
      },
      {
        test: {
          ...limits,
          name: "seeded",
          include: seeded,
          globalSetup: "test/seeded/global-setup.ts",
          testTimeout: 480_000,
          maxWorkers: 2,
          isolate: false,
        },
      },
      {
        test: {
          ...limits,
          name: "e2e",
          globalSetup: "test/support/test-server.ts",
          include: [...endToEnd, ...alone],
          testTimeout: 480_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
