// What commands beside a running product take from the environment: a bad value is refused under its name, what is unset is the run's.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEnvironment as readLake } from "../../lake/environment.ts";
import { parsePlan } from "../../rewards/arguments.ts";
import { runAsk } from "../../scripts/ask/run-ask.ts";
import { readEnvironment as readSnapshot } from "../../snapshot/environment.ts";
import { readEnvironment as readSql } from "../../sql/environment.ts";
import { readEnvironment as readVerify } from "../../verify/environment.ts";

const DATABASE_URL = "postgres://tidemark:secret@127.0.0.1:5432/tidemark";
const RPC_URL = "http://127.0.0.1:8545";
let data: string;
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "tidemark-run-"));
  const run = { databaseUrl: DATABASE_URL, rpcUrl: RPC_URL, chain: "devnet", gatewayUrl: "http://127.0.0.1:4123" };
  writeFileSync(join(data, "run.json"), JSON.stringify({ ...run, children: {} }));
});
afterAll(() => rmSync(data, { recursive: true }));

describe("a bad value", () => {
  it.each([
    ["snapshot", "DATABASE_URL", readSnapshot],
    ["snapshot", "DATABASE_READ_URL", readSnapshot],
    ["lake", "DATABASE_URL", readLake],
    ["sql", "DATABASE_URL", readSql],
    ["verify", "DATABASE_URL", readVerify],
  ])("of %s's %s is refused under the name of its variable, and not repeated", (_, variable, read) => {
    const env = { DATABASE_URL, RPC_URL, LAKE: "lake", TIDEMARK_DATA: data, [variable]: "10.0.0.1:5432/secret" };
    expect(() => read(env)).toThrow(`${variable}: must be a postgres:// URL. See .env.example.`);
  });

  it("of verify's node is not taken for one on another branch", () => {
    const env = { DATABASE_URL, RPC_URL: "node.example", TIDEMARK_DATA: data };
    expect(() => readVerify(env)).toThrow("RPC_URL: must be an http(s):// URL");
  });

  it("of GATEWAY_URL is not called one of --url, which nobody gave", async () => {
    const outcome = await runAsk(["balances", "WBERA"], { GATEWAY_URL: "gateway" });
    expect(JSON.stringify(outcome)).toContain("ask: GATEWAY_URL: must be like http://127.0.0.1:4000");
    const read = () => parsePlan(["--campaign", "c.json", "--out", "round"], { GATEWAY_URL: "gateway" });
    expect(read).toThrow("GATEWAY_URL: must be like http://127.0.0.1:4000");
  });
});

describe("verify", () => {
  it("asks the gateway of the run on its database, also where database and node are set, as in .env", () => {
    const env = { DATABASE_URL, RPC_URL, TIDEMARK_DATA: data };
    expect(readVerify(env).gatewayUrl).toBe("http://127.0.0.1:4123");
    expect(readVerify({ ...env, GATEWAY_URL: "http://127.0.0.1:4124" }).gatewayUrl).toBe("http://127.0.0.1:4124");
    expect(readVerify({ ...env, DATABASE_URL: `${DATABASE_URL}2` }).gatewayUrl).toBe("http://127.0.0.1:4000");
  });
});
