// A database server of a benchmark's own, stopped whatever ends the run.
import { cpus } from "node:os";
import { type Server, startServer } from "./index/workbench.ts";

/** Runs `use` on a server at `port`, without one at any free port. @throws DatabaseStartError when none can be started */
export async function withServer<T>(port: number | undefined, use: (server: Server) => Promise<T>): Promise<T> {
  const server = await startServer(port);
  const stopOnSignal = () => void server.stop().finally(() => process.exit(130));
  process.once("SIGINT", stopOnSignal);
  process.once("SIGTERM", stopOnSignal);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** What a run is measured on, in one line. */
export const machineOf = ({ description }: Server): string =>
  `${description}; Node ${process.versions.node}; ${cpus().length} cores, ${cpus()[0]?.model ?? ""}`;
