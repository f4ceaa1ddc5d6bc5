// The process behind POST /sql: listens on a loopback port, and ends itself rather than go beyond its memory.
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import type { SqlEnvironment } from "./environment.ts";
import { memoryLimitError, residentMegabytes } from "./limits.ts";
import { openRunner } from "./open-runner.ts";
import { createSqlServer } from "./server.ts";
import { stopStatements } from "./statement-watch.ts";

/** What the process takes beside DuckDB's own bound: Node, its buffers, and what DuckDB does not count. */
const BESIDE_MEGABYTES = 512;
/** With this much more than its bound, the process no longer waits for statements to stop. */
const EXCESS_MEGABYTES = 512;
const LOOK_EVERY_MS = 20;

export async function serve(environment: SqlEnvironment, log: Logger): Promise<void> {
  const leave = (why: string) => {
    log.error({ residentMegabytes: Math.round(residentMegabytes()) }, why);
    // exit() waits for DuckDB's threads, which go on taking memory; the supervisor starts the process again
    process.kill(process.pid, "SIGKILL");
  };
  const { runner, close } = await openRunner(environment, {
    name: "server",
    onStuck: () => leave("a statement does not stop: the process ends and is started again"),
  });
  const { server } = createSqlServer(runner, {
    log,
    onFatal: () => leave("the database is broken: the process ends and is started again"),
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(environment.port, "127.0.0.1", resolve);
  });
  log.info({ port: (server.address() as AddressInfo).port }, "listening");
  const bound = environment.memoryMegabytes + BESIDE_MEGABYTES;
  const watch = setInterval(() => {
    const resident = residentMegabytes();
    if (resident > bound + EXCESS_MEGABYTES) leave("more memory than its bound: the process ends and is started again");
    if (resident > bound) stopStatements(memoryLimitError(environment.memoryMegabytes));
  }, LOOK_EVERY_MS);
  // loads the tail before anybody asks
  runner.engine.session().then(
    (session) => session.end(),
    (error: unknown) => log.warn({ error: String(error) }, "nothing can be answered yet"),
  );
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    clearInterval(watch);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await close();
    process.exit(0);
  };
  for (const name of ["SIGTERM", "SIGINT", "disconnect"]) process.on(name, () => void stop());
}
