// `npm run lake:prune`: takes closed intervals that are in the lake out of PostgreSQL. Options: see arguments.ts.
import postgres from "postgres";
import { databaseComplaint } from "../../database/server-url.ts";
import { undelayed } from "../../database/undelayed.ts";
import { exitCodeOf } from "../../fold/process/exit-code.ts";
import { UsageError } from "../../machine/command-line.ts";
import { type LakeEnvironment, readEnvironment } from "../environment.ts";
import { parseBefore, USAGE } from "./arguments.ts";
import { pruneHistory } from "./prune-history.ts";

const WRONG_USE = 2;

let before: number | "help";
let environment: LakeEnvironment;
try {
  before = parseBefore(process.argv.slice(2));
  if (before === "help") {
    console.log(USAGE);
    process.exit(0);
  }
  environment = readEnvironment();
} catch (error) {
  console.error(`lake:prune: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof UsageError) console.error(USAGE);
  process.exit(WRONG_USE);
}

const { chain, lake, databaseUrl } = environment;
const db = postgres(databaseUrl, {
  max: 1,
  ...undelayed(),
  idle_timeout: 0,
  max_lifetime: null,
  onnotice: () => {},
  connection: { application_name: "tidemark-prune" },
});
try {
  const done = await pruneHistory({ db, chainId: chain.chainId, lake, say: (line) => console.log(line) }, before);
  const standing =
    done.below === undefined ? "nothing is pruned" : `blocks before ${done.below} are answered from the lake`;
  console.log(`${done.segments} segments pruned, ${done.rows} rows deleted; ${standing}`);
} catch (error) {
  console.error(`lake:prune: ${databaseComplaint(error)}`);
  process.exitCode = exitCodeOf(error);
}
await db.end({ timeout: 2 });
