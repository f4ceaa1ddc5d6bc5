// The only place where snapshot reads process.env: what is unset comes from the running `npm start`.
import type { ChainFile } from "../chains/chain-file.ts";
import { loadSingleChain } from "../chains/load.ts";
import { setVariables } from "../core/set-variables.ts";
import { requireServerUrl } from "../database/server-url.ts";
import { readPublishedRun } from "../machine/published-run.ts";

export interface SnapshotEnvironment {
  databaseUrls: readonly string[];
  chain: ChainFile;
}

/** @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): SnapshotEnvironment {
  const set = setVariables(env);
  const replicas = (set.DATABASE_READ_URL ?? "").split(",").map((url) => url.trim());
  const wanted = [
    ...[set.DATABASE_URL ?? ""].filter(Boolean).map((url) => requireServerUrl("DATABASE_URL", url)),
    ...replicas.filter(Boolean).map((url) => requireServerUrl("DATABASE_READ_URL", url)),
  ];
  const running = wanted.length > 0 ? undefined : readPublishedRun(set.TIDEMARK_DATA ?? ".tidemark");
  const databaseUrls = wanted.length > 0 ? wanted : [running?.databaseUrl ?? ""].filter((url) => url !== "");
  if (databaseUrls.length === 0)
    throw new Error(
      "DATABASE_URL is not set and nothing is running: run `npm start` first, name its folder in TIDEMARK_DATA, or set DATABASE_URL",
    );
  return { databaseUrls, chain: loadSingleChain(set.CHAIN, running?.chain) };
}
