// Three groups on two cores, two files at a time: quick ones, during which the seeded index is made, then those that read it, then
// the ones that start chains and databases of their own.
import { defineConfig } from "vitest/config";

/** Files that start anvil, Ponder or the whole launcher, on ports of their own. They mostly wait; more than two would time one another out. */
const endToEnd = [
  "test/**/*.e2e.test.ts",
  "test/e2e/**/*.test.ts",
  "test/proof/**/*.test.ts",
  "test/devnet/**/*.test.ts",
  "test/scripts/launcher/**/*.test.ts",
];

/** Files that share the index that their global setup makes: see test/seeded/seeded-index.ts. */
const seeded = ["test/seeded/**/*.test.ts"];

const limits = {
  environment: "node",
  pool: "forks",
  testTimeout: 60_000,
  hookTimeout: 120_000,
  teardownTimeout: 30_000,
} as const;

// Quick files share their process's modules: loading them anew for each took a sixth of the time. Those that read the seeded
// index do not: some count statements, which answers kept for another file would spare.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...limits,
          name: "unit",
          globalSetup: "test/support/test-server.ts",
          include: ["test/**/*.test.ts"],
          exclude: [...endToEnd, ...seeded],
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...limits,
          name: "seeded",
          include: seeded,
          globalSetup: "test/seeded/global-setup.ts",
          testTimeout: 180_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...limits,
          name: "e2e",
          globalSetup: "test/support/test-server.ts",
          include: endToEnd,
          testTimeout: 180_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
