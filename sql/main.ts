// `npm run sql`: one statement at the terminal, or (`serve`) the process behind the gateway's POST /sql.
import { setPriority } from "node:os";
import { text as textOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { pino } from "pino";
import { LOG_DESTINATION, outliveFullDisk } from "../core/log-output.ts";
import { databaseComplaint } from "../database/server-url.ts";
import { GatewayError } from "../gateway/errors.ts";
import { SqlInvalidError } from "../gateway/sql/sql-errors.ts";
import { UsageError } from "../machine/command-line.ts";
import { ownName } from "../machine/leftovers.ts";
import { ownPartials } from "../machine/partial-file.ts";
import { removeWhenStopped } from "../machine/remove-when-stopped.ts";
import { writeAnswerFile } from "./answer-file.ts";
import { parseTask, type SqlTask, USAGE } from "./arguments.ts";
import { readEnvironment, type SqlEnvironment } from "./environment.ts";
import { type OpenedRunner, openRunner, TERMINAL, workFolderOf } from "./open-runner.ts";
import { runStatement } from "./run-statement.ts";
import { serve } from "./serve.ts";

const WRONG_USE = 2;

let task: SqlTask;
let environment: SqlEnvironment;
try {
  task = parseTask(process.argv.slice(2));
  if (task.kind === "help") {
    console.log(USAGE);
    process.exit(0);
  }
  environment = readEnvironment();
} catch (error) {
  console.error(`sql: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof UsageError || error instanceof GatewayError) console.error(USAGE);
  process.exit(WRONG_USE);
}

if (task.kind === "serve") {
  const log = pino(
    { level: environment.logLevel, base: { part: "sql", chain: environment.chain.name } },
    outliveFullDisk(pino.destination(LOG_DESTINATION)),
  );
  // requests to the gateway must not wait for statements; threads that are made later have this priority too
  setPriority(10);
  await serve(environment, log);
} else process.exit(await answerAtTerminal(task));

/** The exit code. */
async function answerAtTerminal({ query, format, file }: SqlTask & { kind: "statement" }): Promise<number> {
  const statement = query === "-" ? await textOf(process.stdin) : query;
  const name = ownName(TERMINAL);
  removeWhenStopped(() => [workFolderOf(environment, name), ...(file === undefined ? [] : ownPartials(file))]);
  let opened: OpenedRunner | undefined;
  try {
    opened = await openRunner(environment, {
      name,
      onStuck: () => {
        console.error("sql: the statement does not stop");
        process.exit(1);
      },
    });
    const { runner } = opened;
    const { head, incomplete, pieces } = await runStatement(runner, { query: statement, format });
    if (file === undefined) await pipeline(pieces, process.stdout, { end: false });
    else await writeAnswerFile(pieces, file);
    if (file === undefined && format === "json") console.log();
    console.error(`block ${head.block} ${head.hash}`);
    if (incomplete.length > 0)
      console.error(
        `look_through() leaves out what these hold, of which nobody can say whose it is: ${incomplete.join(", ")}`,
      );
    return 0;
  } catch (error) {
    // the reader, `head` for instance, has all that it wants
    if (file === undefined && (error as NodeJS.ErrnoException).code === "EPIPE") return 0;
    console.error(`sql: ${databaseComplaint(error)}`);
    if (error instanceof SqlInvalidError) showPlace(statement, error.details);
    return 1;
  } finally {
    await opened?.close();
  }
}

/** The line in question, and a mark below the place. */
function showPlace(statement: string, { line, column }: { line?: unknown; column?: unknown } = {}): void {
  const shown = statement.split("\n")[Number(line) - 1];
  if (shown === undefined) return;
  console.error(`  ${shown}\n  ${" ".repeat(Math.max(Number(column) - 1, 0))}^`);
}
