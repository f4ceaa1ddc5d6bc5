// `<data>/run.json`, as commands that run beside the launcher read it: where its parts answer.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

export const runFileOf = (dataDir: string): string => join(dataDir, "run.json");

/** Where the run's parts answer, for commands that are started beside it (`npm run verify`). */
const runAddresses = z.object({
  databaseUrl: z.string(),
  /** Every chain's node, by chain id. A run of an older version, whose file is read as well, does not have it. */
  rpcUrls: z.record(z.string(), z.string()).default({}),
  /** What `CHAIN` calls the first chain. */
  chain: z.string(),
  gatewayUrl: z.string(),
  /** The folder of the history lake. */
  lake: z.string().optional(),
});

export type RunAddresses = z.infer<typeof runAddresses>;

const publishedRun = runAddresses.extend({ children: z.record(z.string(), z.object({ pid: z.number() })) });

export type PublishedRun = z.infer<typeof publishedRun>;

/** Of the `npm start` on `dataDir`; undefined while there is none, or it has not published this yet. */
export function readPublishedRun(dataDir: string): PublishedRun | undefined {
  const file = runFileOf(dataDir);
  if (!existsSync(file)) return undefined;
  return publishedRun.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
}
