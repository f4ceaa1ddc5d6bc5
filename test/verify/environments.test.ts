// What commands beside a running product take from the environment: a bad value is refused under its name, what is unset is the run's.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAsk } from "../../ask/run-ask.ts";
import { databaseComplaint } from "../../database/server-url.ts";
import { readEnvironment as readFold } from "../../fold/environment.ts";
import { readEnvironment as readGateway } from "../../gateway/env.ts";
import { readEnvironment as readLake } from "../../lake/environment.ts";
import { readEnvironment as readLauncher } from "../../launcher/environment.ts";
import { parsePlan } from "../../rewards/arguments.ts";
import { readEnvironment as readSnapshot } from "../../snapshot/environment.ts";
import { readEnvironment as readSql } from "../../sql/environment.ts";
import { readEnvironment as readVerify } from "../../verify/environment.ts";

const DATABASE_URL = "postgres://tidemark:secret@127.0.0.1:5432/tidemark";
const RPC_URL = "http://127.0.0.1:8545";
const BERACHAIN_NODE = "http://127.0.0.1:8546";
let data: string;
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "tidemark-run-"));
  const rpcUrls = { 80094: BERACHAIN_NODE, 31337: RPC_URL };
  const run = { databaseUrl: DATABASE_URL, rpcUrls, chain: "berachain", gatewayUrl: "http://127.0.0.1:4123" };
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
    expect(() => read(env)).toThrow(
      new RegExp(`^${variable}: must be a postgres:// URL, [^\\n]*\\. See .env.example\\.$`),
    );
  });

  it.each([
    ["a slash", "postgres://tidemark:secr/et@127.0.0.1:5432/tidemark"],
    ["a percent sign", "postgres://tidemark:s%ZZ@127.0.0.1:5432/tidemark"],
    ["a port that there is not", "postgres://tidemark:secret@127.0.0.1:99999/tidemark"],
    ["an IPv6 address", "postgres://tidemark:secret@[::1]:5432/tidemark"],
  ])("of DATABASE_URL with %s, which a driver cannot read, is refused under its name by every part", (_, url) => {
    const env = { DATABASE_URL: url, RPC_URL, LAKE: "lake", TIDEMARK_DATA: data, CHAIN: "devnet" };
    for (const read of [readSnapshot, readLake, readSql, readVerify, readFold, readGateway, readLauncher])
      expect(() => read(env)).toThrow(/^DATABASE_URL: must be a postgres:\/\/ URL, [^\n]*%2F[^\n]*$/);
    const replicas = { ...env, DATABASE_URL, DATABASE_READ_URL: url };
    for (const read of [readSnapshot, readGateway])
      expect(() => read(replicas)).toThrow(/^DATABASE_READ_URL: [^\n]*must be a postgres:\/\/ URL/);
  });

  it.each([
    ["http://", "must be an http:// or https:// URL"],
    ["https://user:secret@node.example", "must not hold a user or password"],
  ])("of a node is refused by the fold as by the launcher: %s", (url, problem) => {
    const env = { DATABASE_URL, RPC_URL: url, TIDEMARK_DATA: data, CHAIN: "berachain" };
    for (const read of [readFold, readLauncher, readVerify]) expect(() => read(env)).toThrow(`RPC_URL: ${problem}`);
  });

  it("of a database that nothing can connect to is named with the way out", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    expect(databaseComplaint(refused)).toMatch(/^the database cannot be used \(.*127\.0\.0\.1:1\): .*DATABASE_URL$/);
    expect(databaseComplaint(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }))).toContain(
      "(ECONNREFUSED)",
    );
    expect(databaseComplaint(Object.assign(new Error("canceling statement"), { code: "57014" }))).toBe(
      "the database took too long for a statement (canceling statement): try again when it has less to do",
    );
    expect(databaseComplaint(new Error("another thing"))).toBe("another thing");
  });

  it("of verify's node is not taken for one on another branch", () => {
    const env = { DATABASE_URL, RPC_URL: "node.example", TIDEMARK_DATA: data };
    expect(() => readVerify(env)).toThrow("RPC_URL: must be an http:// or https:// URL");
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

  it("reads the node of the chain that CHAIN names, also beside a run of several", () => {
    const nodeOf = (env: NodeJS.ProcessEnv) => readVerify({ TIDEMARK_DATA: data, ...env }).rpcUrl;
    expect(nodeOf({})).toBe(BERACHAIN_NODE);
    expect(nodeOf({ CHAIN: "devnet" })).toBe(RPC_URL);
    expect(nodeOf({ CHAIN: "devnet", RPC_URL: "http://own" })).toBe("http://own");
    const both = { RPC_URL: "http://other", RPC_URL_31337: "http://own" };
    expect(nodeOf({ CHAIN: "devnet", ...both })).toBe("http://own");
    expect(nodeOf({ CHAIN: "berachain", ...both })).toBe("http://other");
  });

  it("says so where the run has no such chain", () => {
    const run = { databaseUrl: DATABASE_URL, rpcUrls: { 1: "http://n" }, chain: "devnet", gatewayUrl: "http://g" };
    const other = mkdtempSync(join(tmpdir(), "tidemark-run-"));
    writeFileSync(join(other, "run.json"), JSON.stringify({ ...run, children: {} }));
    const read = () => readVerify({ TIDEMARK_DATA: other, CHAIN: "berachain" });
    expect(read).toThrow("RPC_URL is not set and what is running names no node of chain 80094: run `npm start` first");
    rmSync(other, { recursive: true });
  });

  it("reads a run that an older version of Tidemark goes on with", () => {
    const run = { databaseUrl: DATABASE_URL, rpcUrl: "http://n", chain: "devnet", gatewayUrl: "http://g" };
    const older = mkdtempSync(join(tmpdir(), "tidemark-run-"));
    writeFileSync(join(older, "run.json"), JSON.stringify({ ...run, children: {} }));
    const env = { TIDEMARK_DATA: older };
    expect(readSnapshot(env).databaseUrls).toEqual([DATABASE_URL]);
    expect(readLake({ ...env, LAKE: "lake" }).databaseUrl).toBe(DATABASE_URL);
    expect(readSql({ ...env, LAKE: "lake" }).databaseUrl).toBe(DATABASE_URL);
    expect(() => readVerify(env)).toThrow("RPC_URL is not set and what is running names no node of chain 31337");
    expect(readVerify({ ...env, RPC_URL: "http://n" }).gatewayUrl).toBe("http://g");
    rmSync(older, { recursive: true });
  });
});

describe("several chains in CHAIN", () => {
  it.each([
    ["snapshot", readSnapshot],
    ["lake", readLake],
    ["sql", readSql],
    ["verify", readVerify],
    ["the fold", readFold],
  ])("are refused by %s, which reads one", (_, read) => {
    const env = { DATABASE_URL, RPC_URL, LAKE: "lake", TIDEMARK_DATA: data, CHAIN: "devnet,berachain" };
    expect(() => read(env)).toThrow("CHAIN names 2 chains, and this command reads one: name one of them");
  });
});
