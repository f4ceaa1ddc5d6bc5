// A devnet that does not come up when the run begins, while other chains can be served.
import { DevnetError } from "./devnet.ts";
import type { DatabasePlace } from "./programs.ts";
import type { RunningChain, Surroundings } from "./served-chain.ts";
import { leaveLastWords } from "./waiting-parts.ts";

interface GivenUp {
  running: RunningChain;
  database: Promise<DatabasePlace>;
  around: Surroundings;
}

/** It alone, with last words in the database. @throws `error` where it is the only chain, or is none that another start may cure */
export async function giveUpDevnet(error: unknown, { running, database, around }: GivenUp): Promise<undefined> {
  if (around.environment.chains.length < 2 || !(error instanceof DevnetError)) throw error;
  around.fail(error.message);
  const { ponderSchema, foldSchema, served } = running;
  const { databaseUrl } = await database;
  const place = { databaseUrl, chainId: served.chain.chainId, ponderSchema, foldSchema };
  await leaveLastWords(place, "the devnet did not come up: what npm start has said, and its log, tell why");
}
