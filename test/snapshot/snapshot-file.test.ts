// Files of balances: the same rows in every form, and a tree whose proofs the OpenZeppelin library accepts.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { encodeAbiParameters, keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { MOST_CLAIMS } from "../../gateway/questions/claims.ts";
import { UsageError } from "../../machine/command-line.ts";
import { parsePlan } from "../../snapshot/arguments.ts";
import { writeSnapshot } from "../../snapshot/write-snapshot.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID } from "../support/scripted-index.ts";
import { STAKED, stakingSections, tellStaking } from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** The last final block; one more follows. */
const BLOCK = 12;
const MORE_HOLDERS = 33;
let database: TestDatabase;
let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-snapshot-"));
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections }));
  const script = tellStaking();
  script.nextBlock();
  for (let i = 1; i <= MORE_HOLDERS; i++) script.mint(STAKED, accountOf(500 + i), 10n ** BigInt(i) + BigInt(i));
  script.nextBlock();
  const names = { ponderSchema: "facts_files", foldSchema: "fold_files" };
  await buildScripted(database.sql, script, { ...names, finalized: BLOCK });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
  await database.stop();
});

async function write(name: string, ...more: string[]) {
  const file = join(folder, name);
  const plan = parsePlan(["--token", STAKED, "--block", String(BLOCK), "--out", file, ...more]);
  if (plan === "help") throw new Error("help was not asked for");
  return { file, written: await writeSnapshot(gateway.service, plan) };
}

const served = async (format: string) =>
  (await gateway.get(`/balances/${STAKED}?blockNumber=${BLOCK}&format=${format}`)).text;

describe("a snapshot", () => {
  it.each(["csv", "ndjson"])("as %s is the gateway's export, byte for byte", async (format) => {
    const { file, written } = await write(`balances.${format}`);
    expect(readFileSync(file, "utf8")).toBe(await served(format));
    expect(written).toMatchObject({ block: BLOCK, blockHash: hashOf(BLOCK), isFinal: true, root: undefined });
    expect(written.accounts).toBe(MORE_HOLDERS + 2);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("as Parquet has the same columns and values, and names its chain, token and block", async () => {
    const { file } = await write("balances.parquet");
    const buffer = await asyncBufferFromFile(file);
    const [header = "", ...lines] = (await served("csv")).trimEnd().split("\n");
    const columns = header.split(",");
    const expected = lines.map((line) => Object.fromEntries(line.split(",").map((value, i) => [columns[i], value])));
    expect(await parquetReadObjects({ file: buffer })).toEqual(expected);
    const { key_value_metadata: about } = await parquetMetadataAsync(buffer);
    expect(Object.fromEntries((about ?? []).map(({ key, value }) => [key, value]))).toEqual({
      chainId: String(SCRIPT_CHAIN_ID),
      token: STAKED,
      decimals: "18",
      block: String(BLOCK),
      blockHash: hashOf(BLOCK),
    });
  });

  it("as Parquet and as a tree is what the gateway serves, byte for byte", async () => {
    const [{ file }, { file: withTree }] = [await write("same.parquet"), await write("same.csv", "--merkle")];
    const parquet = await gateway.app.request(`/balances/${STAKED}?blockNumber=${BLOCK}&format=parquet`);
    expect(parquet.headers.get("content-type")).toBe("application/vnd.apache.parquet");
    expect(parquet.headers.get("x-block-number")).toBe(String(BLOCK));
    expect(Buffer.from(await parquet.arrayBuffer()).equals(readFileSync(file))).toBe(true);
    const tree = await gateway.get(`/balances/${STAKED}/merkle?blockNumber=${BLOCK}`);
    expect(tree.status).toBe(200);
    expect(tree.text).toBe(readFileSync(`${withTree}.merkle.json`, "utf8"));
    const tag = { "if-none-match": tree.headers.get("etag") ?? "" };
    const again = await gateway.app.request(`/balances/${STAKED}/merkle?blockNumber=${BLOCK}`, { headers: tag });
    expect(again.status).toBe(304);
  });

  it.each(["history?account={who}&", "changes?", "time-weighted?"])(
    "as Parquet is also given of /balances/<token>/%s, with the values of its csv",
    async (question) => {
      const path = `/balances/${STAKED}/${question.replace("{who}", accountOf(501))}fromBlock=1&toBlock=${BLOCK}`;
      const [header = "", ...lines] = (await gateway.get(`${path}&format=csv`)).text.trimEnd().split("\n");
      const columns = header.split(",");
      expect(lines.length).toBeGreaterThan(0);
      const answer = await (await gateway.app.request(`${path}&format=parquet`)).arrayBuffer();
      const rows = await parquetReadObjects({ file: answer });
      expect(rows.map((row) => columns.map((name) => row[name] ?? "").join(","))).toEqual(lines);
      const { key_value_metadata: about } = await parquetMetadataAsync(answer);
      expect(Object.fromEntries((about ?? []).map(({ key, value }) => [key, value]))).toMatchObject({
        token: STAKED,
        fromBlock: "1",
        toBlock: String(BLOCK),
      });
    },
  );

  it("makes a tree over exactly those amounts; every proof is accepted, and none for another amount", async () => {
    const { file, written } = await write("claims.csv", "--merkle");
    const tree = JSON.parse(readFileSync(`${file}.merkle.json`, "utf8")) as {
      root: string;
      leafEncoding: string[];
      block: string;
      token: string;
      proofs: { account: string; amount: string; proof: string[] }[];
    };
    expect(tree.root).toMatch(/^0x[0-9a-f]{64}$/);
    expect(tree).toMatchObject({
      root: written.root,
      leafEncoding: ["address", "uint256"],
      block: String(BLOCK),
      token: STAKED,
    });
    const rows = readFileSync(file, "utf8").trimEnd().split("\n").slice(1);
    expect(tree.proofs.map(({ account, amount }) => `${account},${amount}`)).toEqual(
      rows.map((row) => row.split(",").slice(0, 2).join(",")),
    );
    for (const { account, amount, proof } of tree.proofs) {
      const accepts = (value: string) =>
        StandardMerkleTree.verify(tree.root, tree.leafEncoding, [account, value], proof);
      expect(accepts(amount)).toBe(true);
      expect(accepts(String(BigInt(amount) + 1n))).toBe(false);
      expect(byHand({ account, amount, proof })).toBe(tree.root);
    }
    expect(tree.proofs.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(written.sum);
  });

  it("leaves no tree of another block beside a new file, and names a folder that is not there", async () => {
    const { file } = await write("again.csv", "--merkle");
    expect(existsSync(`${file}.merkle.json`)).toBe(true);
    await write("again.csv");
    expect(existsSync(`${file}.merkle.json`)).toBe(false);
    await expect(write("nowhere/balances.csv")).rejects.toThrow(
      `--out: there is no folder for ${join(folder, "nowhere/balances.csv")}`,
    );
  });

  it("is whole where another one of the same name is written at the same time", async () => {
    const { file: alone } = await write("alone.csv", "--merkle");
    const file = join(folder, "both.csv");
    const plan = parsePlan(["--token", STAKED, "--block", String(BLOCK), "--out", file, "--merkle"]);
    if (plan === "help") throw new Error("help was not asked for");
    await Promise.all([writeSnapshot(gateway.service, plan), writeSnapshot(gateway.service, plan)]);
    for (const end of ["", ".merkle.json"])
      expect(readFileSync(`${file}${end}`, "utf8")).toBe(readFileSync(`${alone}${end}`, "utf8"));
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("takes a time, says when the block is not final, and leaves nothing when it is refused", async () => {
    const file = join(folder, "late.csv");
    const plan = parsePlan(["--token", STAKED, "--timestamp", String(timestampOf(13)), "--out", file]);
    if (plan === "help") throw new Error("help was not asked for");
    expect(await writeSnapshot(gateway.service, plan)).toMatchObject({ block: 13, isFinal: false });
    const refused = { ...plan, file: join(folder, "refused.csv"), token: `0x${"9".repeat(40)}` } as const;
    await expect(writeSnapshot(gateway.service, refused)).rejects.toMatchObject({ code: "TOKEN_NOT_TRACKED" });
    const empty = { ...plan, file: join(folder, "empty.csv"), block: at(0), withMerkle: true };
    await expect(writeSnapshot(gateway.service, empty)).rejects.toThrow("--merkle");
    expect(readdirSync(folder).filter((name) => /refused|empty|partial/.test(name))).toEqual([]);
  });

  it("leaves an older file as it was when it is refused, and no tree beside a file that it could not replace", async () => {
    const { file } = await write("older.csv", "--merkle");
    const read = () => [file, `${file}.merkle.json`].map((path) => readFileSync(path, "utf8"));
    const older = read();
    const plan = parsePlan(["--token", STAKED, "--block", "0", "--out", file, "--merkle"]);
    if (plan === "help") throw new Error("help was not asked for");
    await expect(writeSnapshot(gateway.service, plan)).rejects.toThrow("--merkle");
    expect(read()).toEqual(older);
    mkdirSync(join(folder, "taken.csv"));
    await expect(write("taken.csv", "--merkle")).rejects.toThrow("taken.csv");
    expect(existsSync(join(folder, "taken.csv.merkle.json"))).toBe(false);
  });

  it.each(["csv", "ndjson", "parquet"])("says as %s that its folder is none, and ends nothing else", async (format) => {
    writeFileSync(join(folder, "plain"), "");
    const file = `plain/balances.${format}`;
    await expect(write(file, "--merkle")).rejects.toThrow(join(folder, file));
  });
});

describe("a tree over REST", () => {
  const refusal = async (rest: string) => {
    const { status, body } = await gateway.get(`/balances/${STAKED}/merkle?${rest}`);
    return { status, ...(body.error as { code: string; message: string; details: Record<string, unknown> }) };
  };

  it("is refused where nobody holds the token, for a choice of accounts, and without a block", async () => {
    expect(await refusal("blockNumber=0")).toMatchObject({ status: 400, details: { parameter: "token" } });
    expect(await refusal(`blockNumber=${BLOCK}&users=${accountOf(501)}`)).toMatchObject({
      status: 400,
      details: { parameter: "users" },
    });
    expect(await refusal("")).toMatchObject({ status: 400, details: { parameter: "blockNumber" } });
  });

  it("holds as many accounts as it says, and for more it names the command that writes it", async () => {
    const add = (from: number, to: number) =>
      database.sql.unsafe(`
        insert into fold_files.holding_current (asset, account, since, amount)
        select (select a.id from fold_files.asset a where a.kind = 'erc20' and a.id in (
                  select asset from fold_files.holding_current where account = decode('${accountOf(501).slice(2)}', 'hex'))),
               decode(lpad(to_hex(i + 1000000), 40, '7'), 'hex'), 1, 1
          from generate_series(${from}, ${to}) i`);
    // before the others come, two accounts have it
    await add(1, MOST_CLAIMS - 2);
    const { body } = await gateway.get(`/balances/${STAKED}/merkle?blockNumber=11`);
    expect(body.proofs).toHaveLength(MOST_CLAIMS);
    await add(MOST_CLAIMS, MOST_CLAIMS);
    const { status, code, message, details } = await refusal("blockNumber=11");
    expect([status, code, details.parameter]).toEqual([400, "INVALID_INPUT", "token"]);
    expect(message).toContain(String(details.command));
    const [, options = ""] = String(details.command).split(" -- ");
    expect(parsePlan(options.split(" "))).toMatchObject({ token: STAKED, withMerkle: true, block: { number: 11 } });
  });
});

const at = (number: number) => blockNumbered(number, "--block");

/** What OpenZeppelin's MerkleProof.processProof computes, on the double-hashed leaf. */
function byHand({ account, amount, proof }: { account: string; amount: string; proof: string[] }): string {
  const leaf = encodeAbiParameters(
    [{ type: "address" }, { type: "uint256" }],
    [account as `0x${string}`, BigInt(amount)],
  );
  return proof.reduce<string>(
    (hash, sibling) => {
      const pair = [hash, sibling].sort().map((side) => side.slice(2));
      return keccak256(`0x${pair.join("")}`);
    },
    keccak256(keccak256(leaf)),
  );
}

describe("the options of a snapshot", () => {
  const good = ["--token", STAKED, "--block", "1", "--out", "a.csv"];
  it.each([
    ["no token", ["--block", "1", "--out", "a.csv"], "--token"],
    ["a malformed token", ["--token", "0x1", "--block", "1", "--out", "a.csv"], "--token"],
    ["neither block nor time", ["--token", STAKED, "--out", "a.csv"], "--block"],
    ["both", [...good, "--timestamp", "1"], "--block"],
    ["a word for a block", ["--token", STAKED, "--block", "latest", "--out", "a.csv"], "--block"],
    ["no file", ["--token", STAKED, "--block", "1"], "--out"],
    ["another ending", ["--token", STAKED, "--block", "1", "--out", "a.xlsx"], "--out"],
    ["an unknown option", [...good, "--fast"], "--fast"],
  ])("refuse %s, naming %3$s", (_, args, option) => {
    expect(() => parsePlan(args)).toThrow(UsageError);
    expect(() => parsePlan(args)).toThrow(option);
  });

  it("are explained on request", () => {
    expect(parsePlan(["--help"])).toBe("help");
  });
});
