// A devnet that does not come up when the run begins, while other chains can be served.
import type { DatabasePlace } from "../programs.ts";
import { DevnetError } from "./devnet.ts";
import { reportGivenUp, type WaitingPlace } from "./waiting-parts.ts";

interface GivenUp {
  place: Omit<WaitingPlace, "databaseUrl">;
  database: Promise<DatabasePlace>;
  isOnly: boolean;
  fail: (message: string) => void;
}

/** Gives up the devnet alone, and records why in the database. @throws `error` where it is the only chain, or no DevnetError */
export async function giveUpDevnet(error: unknown, { place, database, isOnly, fail }: GivenUp): Promise<undefined> {
  if (isOnly || !(error instanceof DevnetError)) throw error;
  fail(error.message);
  const { databaseUrl } = await database;
  await reportGivenUp(
    { ...place, databaseUrl },
    "the devnet did not come up: the output of npm start and the devnet's log say why",
  );
}
