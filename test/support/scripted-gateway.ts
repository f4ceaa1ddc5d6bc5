// A database and a gateway for a file of tests about scripted facts: each group of tests builds its own index in it.
import { afterAll, beforeAll } from "vitest";
import type { ChainFile } from "../../chains/chain-file.ts";
import { openGateway, type TestGateway } from "./gateway-fixture.ts";
import { startTestDatabase, type TestDatabase } from "./test-database.ts";

export interface ScriptedGateway {
  database: TestDatabase;
  gateway: TestGateway;
}

/** Both are there from the file's first test to its last. */
export function scriptedGateway(chain: ChainFile): Readonly<ScriptedGateway> {
  const open = {} as ScriptedGateway;
  beforeAll(async () => {
    open.database = await startTestDatabase();
    open.gateway = openGateway(open.database.url, chain);
  });
  afterAll(async () => {
    await open.gateway.close();
    await open.database.stop();
  });
  return open;
}
