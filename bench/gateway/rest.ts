// REST against a bare Hono handler in a process of its own that sends exactly the statements of the gateway's answer, in one
// transaction, and then writes a recorded answer: nothing that sends these statements can be faster.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { type Connection, type Database, openDatabase } from "../../gateway/database/database.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { freePort } from "../../machine/ports.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { startLogged } from "../ground/child-process.ts";
import type { Ground } from "../ground/workbench.ts";
import { accountNumbered, HEAD, TOKEN } from "./ground.ts";

/** One round trip. `simple`: several statements without parameters. */
export interface Sent {
  text: string;
  parameters: readonly string[];
  way: "simple" | "unnamed" | "prepared";
}

export interface Recorded {
  path: string;
  sent: Sent[];
  body: string;
}

const users = Array.from({ length: 20 }, (_, i) => accountNumbered(100 + i)).join(",");

export const restQuestions: Readonly<Record<string, string>> = {
  "20 accounts": `/balances/${TOKEN}?blockNumber=${HEAD}&users=${users}`,
  "all holders": `/balances/${TOKEN}?blockNumber=${HEAD}`,
};

/** Records what the gateway sends to its database for each question, and what it answers. */
export async function record({ databaseUrl, chainFile }: Ground): Promise<Recorded[]> {
  const database = openDatabase(databaseUrl);
  const sent: Sent[] = [];
  const note = (text: string, parameters: readonly string[], way: Sent["way"] = "unnamed") => {
    sent.push({ text, parameters, way });
  };
  const noted = (connection: Connection): Connection => {
    return {
      rows(text, parameters = []) {
        note(text, parameters);
        return connection.rows(text, parameters);
      },
      prepared(text, parameters) {
        note(text, parameters, "prepared");
        return connection.prepared(text, parameters);
      },
      run(statements) {
        note(statements, [], "simple");
        return connection.run(statements);
      },
      runAndRead(statements) {
        note(statements, [], "simple");
        return connection.runAndRead(statements);
      },
      batches(text, parameters, size) {
        note(text, parameters);
        return connection.batches(text, parameters, size);
      },
      pieces(text, parameters, shape) {
        note(text, parameters);
        return connection.pieces(text, parameters, shape);
      },
      get isLost() {
        return connection.isLost;
      },
      endBatches: () => connection.endBatches(),
      abandon: () => connection.abandon(),
      release: () => connection.release(),
    };
  };
  const watched: Database = {
    ...database,
    connect: async () => noted(await database.connect()),
  };
  const service = openService({ chains: [chainFile], database: watched });
  const app = createApp(service, pino({ level: "silent" }));
  const recorded: Recorded[] = [];
  try {
    for (const path of Object.values(restQuestions)) {
      await (await app.request(path)).text();
      sent.length = 0;
      const body = await (await app.request(path)).text();
      recorded.push({ path, sent: [...sent], body });
    }
    return recorded;
  } finally {
    await database.close();
  }
}

/** Starts the bare handler; resolves when it listens. */
export async function startBareHono(ground: Ground, recorded: readonly Recorded[]) {
  const file = join(ground.chainFilePath, "../recorded.json");
  writeFileSync(file, JSON.stringify(recorded));
  const port = await freePort();
  const env = { RECORDED: file, DATABASE_URL: ground.databaseUrl, PORT: String(port) };
  const child = startLogged({ name: "bench bare hono", args: ["bench/gateway/bare-hono.ts"], cwd: projectRoot, env });
  await child.said("listening");
  return { url: `http://127.0.0.1:${port}`, stop: () => child.stop() };
}
