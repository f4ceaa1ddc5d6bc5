// The environment variables that the parts read themselves, checked before any of them is started.
import { readEnvironment as readFold } from "../fold/environment.ts";
import { readEnvironment as readGateway } from "../gateway/env.ts";
import { readEnvironment as readLake } from "../lake/environment.ts";
import { readEnvironment as readSql } from "../sql/environment.ts";
import type { LauncherEnvironment } from "./environment.ts";
import { gatewayEnvironment, indexingEnvironment, sqlEnvironment } from "./programs.ts";

/** A placeholder that nothing connects to: the real one is not known before the parts are started. */
const DATABASE = "postgres://127.0.0.1/tidemark";
const NODE = "http://127.0.0.1";

/** @throws Error with one line naming the variable */
export function requirePartSettings(environment: LauncherEnvironment): void {
  const { chains, lake, answersSql, databaseUrl = DATABASE } = environment;
  readGateway(gatewayEnvironment(environment, { databaseUrl }));
  for (const served of chains) {
    const { rpcUrl = NODE } = served;
    const indexing = indexingEnvironment({ databaseUrl, served, rpcUrl, ponderSchema: "none" });
    readFold(indexing);
    if (lake !== undefined) readLake({ ...indexing, LAKE: lake });
    if (answersSql) readSql(sqlEnvironment(environment, { databaseUrl, served, port: 0 }));
  }
}
