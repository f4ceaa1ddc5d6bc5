// Campaigns: what is refused and how, what is given whom, and that two indexes made apart from each other give the same claims.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../gateway/server.ts";
import { UsageError } from "../../machine/command-line.ts";
import { parsePlan } from "../../rewards/arguments.ts";
import { checkManifest, ManifestError } from "../../rewards/check.ts";
import { sha256, workOut } from "../../rewards/manifest.ts";
import { ProductError } from "../../rewards/product.ts";
import { writeFolder } from "../../rewards/write-folder.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, type Script } from "../support/scripted-index.ts";
import { ALICE, BOB, INFRARED, REWARD_VAULT, STAKED, stakingSections, tellStaking } from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

interface Product {
  database: TestDatabase;
  gateway: TestGateway;
  server: Server;
  url: string;
}

/** `finalized`: how far everything is final; what comes after it lies in other tables. */
async function start(script: Script, finalized: number): Promise<Product> {
  const database = await startTestDatabase();
  const chain = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections });
  const gateway = openGateway(database.url, chain);
  await buildScripted(database.sql, script, { ponderSchema: "facts_rewards", foldSchema: "fold_rewards", finalized });
  const server = await listen(gateway.app, { host: "127.0.0.1", port: 0 });
  return { database, gateway, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let [product, other, strange, broken] = [] as unknown as [Product, Product, Product, Product];
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-rewards-"));
  const more = tellStaking();
  more.mint(STAKED, accountOf(50), 12_345n);
  const elsewhere = tellStaking();
  elsewhere.block = 4;
  elsewhere.move(STAKED, { from: ALICE, to: accountOf(51), amount: 100_000n });
  elsewhere.block = 11;
  product = await start(tellStaking(), 11);
  other = await start(more, 6);
  strange = await start(elsewhere, 11);
  const impossible = tellStaking();
  const withdrawn = { kind: "withdraw", account: accountOf(60), amount: "1", delegate: null };
  impossible.tell("stake", { vault: REWARD_VAULT, protocol: "reward-vault", ...withdrawn });
  broken = await start(impossible, 11);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const { server, gateway, database } of [product, other, strange, broken]) {
    server.close();
    await gateway.close();
    await database.stop();
  }
});

const campaign = {
  chainId: SCRIPT_CHAIN_ID,
  token: STAKED,
  reward: { token: accountOf(900), budget: "1000000000000000000007" },
  range: { fromBlock: 2, toBlock: 10 },
  counts: { held: "anywhere" },
};

// biome-ignore lint/suspicious/noExplicitAny: answers are read here as a client reads them, without their types
type Body = any;

async function post(sent: unknown, query = ""): Promise<{ status: number; body: Body; text: string }> {
  const body = typeof sent === "string" ? sent : JSON.stringify(sent);
  const response = await product.gateway.app.request(`/rewards${query}`, { method: "POST", body });
  const text = await response.text();
  return { status: response.status, text, body: query === "" ? JSON.parse(text) : {} };
}

const amountsOf = ({ results }: Body): Record<string, bigint> =>
  Object.fromEntries(results.map(({ account, amount }: Body) => [account, BigInt(amount)]));

describe("A campaign", () => {
  it("gives everybody by their average wherever it sat, to the wei of the budget", async () => {
    const { status, body } = await post(campaign);
    expect(status).toBe(200);
    const averages = await product.gateway.get(`/balances/${STAKED}/time-weighted?fromBlock=2&toBlock=10`);
    const shown = averages.body.results as { account: string; averageRoundedDown: string }[];
    const points = shown.map(({ averageRoundedDown }) => BigInt(averageRoundedDown));
    const all = points.reduce((sum, one) => sum + one, 0n);
    expect(shown.length).toBeGreaterThan(1);
    const budget = BigInt(campaign.reward.budget);
    const given = amountsOf(body);
    for (const [i, { account }] of shown.entries())
      expect([0n, 1n]).toContain(given[account]! - (budget * points[i]!) / all);
    expect(Object.values(given).reduce((sum, one) => sum + one, 0n)).toBe(budget);
    expect(body).toMatchObject({
      ...{ sum: campaign.reward.budget, points: String(all), weightTotal: "9", isFinal: true },
      from: { number: 2, hash: hashOf(2) },
      to: { number: 10, hash: hashOf(10) },
      campaign: { ...campaign, weight: "blocks", exclude: [], minimum: "0" },
    });
  });

  it("counts the sources named, as often as it says, and no other", async () => {
    const sources = [{ kind: "reward_vault", contract: REWARD_VAULT, multiplier: "2.5" }];
    const { body } = await post({ ...campaign, counts: { sources } });
    const staked = await product.gateway.get(`/balances/${STAKED}/time-weighted?fromBlock=2&toBlock=10`);
    const expected = (staked.body.results as Body[]).flatMap(({ account, sources: held }) => {
      const own = held.filter(({ source }: Body) => source === "reward_vault");
      const average = own.reduce((sum: bigint, one: Body) => sum + BigInt(one.amount), 0n);
      return average === 0n ? [] : [[account, String(average), `${(average * 5n) / 2n}${average % 2n ? ".5" : ""}`]];
    });
    expect(expected.length).toBeGreaterThan(0);
    const rows = body.results.map((row: Body) => [row.account, row.averageRoundedDown, row.points]);
    expect(rows.sort()).toEqual(expected.sort());
  });

  it("leaves out who is excluded or below the minimum, and keeps all below the cap", async () => {
    const { body } = await post({ ...campaign, exclude: [ALICE.toUpperCase().replace("X", "x")] });
    expect(amountsOf(body)[ALICE]).toBeUndefined();
    const capped = await post({ ...campaign, cap: { amount: "5" }, remainder: { treasury: accountOf(77) } });
    const given = amountsOf(capped.body);
    expect(given[BOB]).toBe(5n);
    expect(given[accountOf(77)]).toBe(BigInt(campaign.reward.budget) - 5n * BigInt(capped.body.qualified));
  });

  it("weighs by seconds, and is had as csv", async () => {
    const range = { fromTimestamp: timestampOf(2), toTimestamp: timestampOf(10) };
    const { body } = await post({ ...campaign, range, weight: "seconds" });
    expect(body).toMatchObject({ weightTotal: String(timestampOf(10) - timestampOf(2)), to: { number: 10 } });
    const { text } = await post(campaign, "?format=csv");
    expect(text.split("\n")[0]).toBe("account,averageRoundedDown,points,shareRoundedDown,amount");
  });

  it("is had as Parquet, which says in JSON what it is of", async () => {
    const { database, gateway } = product;
    // the campaign's chain is not the first one that is served
    const several = openGateway(database.url, chainFixture({ chainId: 1, startBlock: 0 }), [...gateway.service.chains]);
    const [{ body }, answer] = await Promise.all([
      post(campaign),
      several.app.request("/rewards?format=parquet", { method: "POST", body: JSON.stringify(campaign) }),
    ]);
    const file = await answer.arrayBuffer();
    await several.close();
    expect(await parquetReadObjects({ file })).toEqual(body.results);
    const { key_value_metadata: metadata } = await parquetMetadataAsync(file);
    const about = Object.fromEntries(metadata?.map(({ key, value }) => [key, value ?? ""]) ?? []);
    for (const name of ["campaign", "from", "to"]) expect(JSON.parse(about[name] ?? "")).toEqual(body[name]);
    expect(about).toMatchObject({ chainId: String(SCRIPT_CHAIN_ID), sum: body.sum, token: STAKED });
  });

  it("is answered through GraphQL in pages that make up the whole", async () => {
    const { body } = await post(campaign);
    const query = `query ($campaign: CampaignInput!, $after: String) { rewards(campaign: $campaign, first: 1, after: $after) {
      nodes { account amount points } totalCount sum isFinal pageInfo { hasNextPage endCursor } } }`;
    const rows: unknown[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { data, errors } = await product.gateway.graphql(query, { campaign, after });
      expect(errors).toBeUndefined();
      const { rewards } = data as Body;
      rows.push(...rewards.nodes);
      expect(rewards).toMatchObject({ totalCount: body.accounts, sum: body.sum, isFinal: true });
      ({ hasNextPage: more, endCursor: after } = rewards.pageInfo);
    }
    expect(rows).toEqual(body.results.map(({ account, amount, points }: Body) => ({ account, amount, points })));
  });
});

describe("What is refused", () => {
  it("is every field that is wrong, at once, by its name", async () => {
    const { status, body } = await post({
      chainId: "x",
      token: "0x12",
      reward: { budget: 5, tokn: 1 },
      range: { fromBlock: 1, fromTimestamp: 2 },
      weight: "hours",
      counts: { held: "anywhere", sources: [{ kind: "bank" }, { kind: "balance", multiplier: "-1" }] },
      minimum: "1e5",
      cap: { basisPoints: 10_001 },
      bonus: true,
    });
    expect([status, body.error.code, body.error.details.parameter]).toEqual([400, "INVALID_INPUT", "body"]);
    const fields = body.error.details.fields.map(({ field }: Body) => field);
    expect(fields.sort()).toEqual(
      [
        ...["bonus", "cap.basisPoints", "chainId", "counts", "counts.sources[0].kind"],
        ...["counts.sources[1].multiplier", "minimum", "range.fromBlock", "range.toBlock", "reward.budget"],
        ...["reward.tokn", "reward.token", "token", "weight"],
      ].sort(),
    );
    for (const { reason } of body.error.details.fields) expect(reason).toMatch(/must|give|is /);
  });

  it.each([
    ["no JSON", "{", [400, "body"]],
    ["a list", [], [400, "body"]],
    ["another chain", { ...campaign, chainId: 5 }, [400, "chainId"]],
    ["a range the wrong way round", { ...campaign, range: { fromBlock: 9, toBlock: 3 } }, [400, "range.fromBlock"]],
    [
      "a range that is not over",
      { ...campaign, range: { fromBlock: 1, toTimestamp: 9_999_999_999 } },
      [400, "range.toTimestamp"],
    ],
    [
      "a range up to the last block's second, in which another may come",
      { ...campaign, range: { fromBlock: 1, toTimestamp: timestampOf(11) } },
      [400, "range.toTimestamp"],
    ],
    ["a block that is not there", { ...campaign, range: { fromBlock: 1, toBlock: 5_000_000 } }, [400, "range.toBlock"]],
    [
      "the same source twice",
      { ...campaign, counts: { sources: [{ kind: "farm" }, { kind: "farm" }] } },
      [400, "body"],
    ],
    [
      "sources that count nothing",
      { ...campaign, counts: { sources: [{ kind: "farm", multiplier: "0" }] } },
      [400, "body"],
    ],
    [
      "a contract of wallets",
      { ...campaign, counts: { sources: [{ kind: "balance", contract: BOB }] } },
      [400, "body"],
    ],
    ["a pool that is none", { ...campaign, counts: { inRange: { pool: BOB } } }, [404, "POOL_NOT_FOUND"]],
    ["a minimum that nobody reaches", { ...campaign, minimum: "1000000000" }, [409, "NOBODY_QUALIFIES"]],
    ["a cap that leaves some", { ...campaign, cap: { amount: "5" } }, [409, "CAP_TOO_LOW"]],
  ])("is %s", async (_, sent, expected) => {
    const { status, body } = await post(sent);
    expect([status, body.error.details?.parameter ?? body.error.code]).toEqual(expected);
  });

  it("is the same through GraphQL", async () => {
    const query = "query ($campaign: CampaignInput!) { rewards(campaign: $campaign) { sum } }";
    const sent = { ...campaign, weight: "hours", minimum: "x", cap: null };
    const { errors } = await product.gateway.graphql(query, { campaign: sent });
    const fields = (errors?.[0]?.extensions as Body)?.details?.fields ?? (errors?.[0]?.extensions as Body)?.fields;
    expect(fields.map(({ field }: Body) => field)).toEqual(["weight", "minimum"]);
  });
});

describe("npm run rewards", () => {
  const fileOf = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const write = async (name: string, { url }: Product, sent: unknown = campaign) => {
    const out = join(folder, name);
    const place = { url, key: undefined };
    const { manifest } = await writeFolder(place, { campaign: fileOf(`${basename(name)}.json`, sent), out });
    return { out, manifest };
  };

  it("writes the same claims from two indexes folded apart, and each confirms the other's manifest", async () => {
    const [one, two] = [await write("one", product), await write("two", other)];
    expect(one.manifest).toEqual(two.manifest);
    expect(readdirSync(one.out).sort()).toEqual(
      [
        ...["openzeppelin", "merkle-distributor", "sablier"].map((name) => `claims.${name}.json`),
        "manifest.json",
        "rewards.csv",
      ].sort(),
    );
    for (const name of readdirSync(one.out))
      expect(readFileSync(join(one.out, name), "utf8")).toBe(readFileSync(join(two.out, name), "utf8"));
    for (const place of [product, other])
      expect(await checkManifest(join(one.out, "manifest.json"), { url: place.url, key: undefined })).toMatchObject({
        differences: [],
      });
  });

  it("makes claims piece by piece, as they may be longer together than V8's longest string", () => {
    const row = { averageRoundedDown: "1", points: "1", shareRoundedDown: "0.0001" };
    const results = Array.from({ length: 200 }, (_, i) => ({ account: accountOf(i + 1), ...row, amount: String(i) }));
    const range = { from: { number: 2, hash: null }, to: { number: 10, hash: null }, isFinal: true };
    const given = { ...range, results, campaign, sum: campaign.reward.budget, incomplete: [] };
    const pieces = new Map<string, string[]>();
    const manifest = workOut(given, (file, piece) => pieces.set(file, [...(pieces.get(file) ?? []), piece]));
    expect(manifest.accounts).toBe(199);
    for (const [file, sum] of Object.entries(manifest.sha256)) {
      const own = pieces.get(file) ?? [];
      expect(sha256(own.join(""))).toBe(sum);
      expect(Math.max(...own.map(({ length }) => length))).toBeLessThan(70_000);
      if (file === "rewards.csv") continue;
      expect(own.length).toBeGreaterThan(1);
      expect(own.join("")).toBe(`${JSON.stringify(JSON.parse(own.join("")))}\n`);
    }
  });

  it("names what differs: roots, accounts, block hashes, files", async () => {
    const { out, manifest } = await write("three", product);
    const path = join(out, "manifest.json");
    const { differences } = await checkManifest(path, { url: strange.url, key: undefined });
    expect(differences.filter((line) => line.startsWith("root for"))).toHaveLength(3);
    expect(differences.some((line) => line.startsWith(`account ${ALICE}`))).toBe(true);
    expect(differences.some((line) => line.startsWith(`account ${accountOf(51)}: 0 there`))).toBe(true);
    writeFileSync(path, JSON.stringify({ ...manifest, to: { ...manifest.to, hash: hashOf(3) } }));
    writeFileSync(join(out, "rewards.csv"), "account\n");
    const changed = (await checkManifest(path, { url: product.url, key: undefined })).differences;
    expect(changed.some((line) => line.startsWith("hash of the last block"))).toBe(true);
    expect(changed.some((line) => line.startsWith("rewards.csv"))).toBe(true);
  });

  it("confirms no manifest whose sums are not those of its own files, though no file lies beside it", async () => {
    const { manifest } = await write("sums", product);
    const sums = { ...manifest.sha256, "rewards.csv": "0".repeat(64) };
    const { differences } = await checkManifest(fileOf("sums-alone.json", { ...manifest, sha256: sums }), {
      url: product.url,
      key: undefined,
    });
    expect(differences).toEqual([expect.stringMatching(/^sha-256 of the files: /)]);
  });

  it("names whose holdings count for nobody, and confirms no manifest that says otherwise", async () => {
    expect((await write("known", product)).manifest.incomplete).toEqual([]);
    const { out, manifest } = await write("unknown", broken);
    // the second may have all or nothing of what it owes staked in the first
    expect(manifest.incomplete).toEqual([REWARD_VAULT, INFRARED]);
    const place = { url: broken.url, key: undefined };
    expect((await checkManifest(join(out, "manifest.json"), place)).differences).toEqual([]);
    const differencesOf = async (name: string, text: object) =>
      (await checkManifest(fileOf(name, text), place)).differences;
    expect(await differencesOf("none.json", { ...manifest, incomplete: [] })).toEqual([
      `contracts left out: the manifest says [], this index ["${REWARD_VAULT}","${INFRARED}"]`,
    ]);
    // one of an earlier version does not say
    const { incomplete: _, ...silent } = manifest;
    expect(await differencesOf("silent.json", silent)).toEqual([]);
  });

  it("confirms no manifest of another chain than its campaign's", async () => {
    const { manifest } = await write("chain", product);
    const { differences } = await checkManifest(fileOf("other-chain.json", { ...manifest, chainId: 1 }), {
      url: product.url,
      key: undefined,
    });
    expect(differences).toEqual([`chain: the manifest says 1, this index ${manifest.chainId}`]);
  });

  it("opens no file that a manifest names beside those of a campaign, and obeys nothing that it says as a terminal does", async () => {
    const { out, manifest } = await write("strangers", product);
    fileOf("another.json", {});
    const sums = { ...manifest.sha256, "../another.json": "0".repeat(64) };
    const strangers = { ...manifest, sha256: sums, campaignSha256: "\u001b[2J\u202e" };
    writeFileSync(join(out, "manifest.json"), JSON.stringify(strangers));
    const place = { url: product.url, key: undefined };
    expect((await checkManifest(join(out, "manifest.json"), place)).differences).toEqual([
      expect.stringContaining("this index \\u{1b}[2J\\u{202e}"),
      expect.stringMatching(/^sha-256 of the files: /),
    ]);
  });

  it("has nothing in its folder of a run that was killed", async () => {
    mkdirSync(join(folder, "again.partial"));
    writeFileSync(join(folder, "again.partial", "claims.older.json"), "{}");
    const { out, manifest } = await write("again", product);
    expect(readdirSync(out).sort()).toEqual([...Object.keys(manifest.sha256), "manifest.json"].sort());
    expect(readdirSync(folder)).not.toContain("again.partial");
  });

  it("writes a folder that is named with a slash at its end", async () => {
    const { out, manifest } = await write("slash/", product);
    expect(readdirSync(out).sort()).toEqual([...Object.keys(manifest.sha256), "manifest.json"].sort());
  });

  it("leaves nothing behind when it is refused, and says why in a line", async () => {
    await expect(write("four", product, { ...campaign, minimum: "1000000000" })).rejects.toThrow(/NOBODY_QUALIFIES/);
    await expect(write("one", product)).rejects.toThrow(UsageError);
    await expect(checkManifest(fileOf("none.json", {}), { url: product.url, key: undefined })).rejects.toThrow(
      ManifestError,
    );
    const nowhere = { ...product, url: "http://127.0.0.1:9" };
    await expect(write("five", nowhere)).rejects.toThrow(ProductError);
    expect(readdirSync(folder).filter((name) => /^(?:four|five)(?:\.partial)?$/.test(name))).toEqual([]);
  });

  it.each([
    ["no campaign", ["--out", "x"], "--campaign"],
    ["no folder", ["--campaign", "x"], "--out"],
    ["both at once", ["--check", "x", "--out", "y"], "--check"],
    ["a place that is none", ["--check", "x", "--url", "ftp://x"], "--url"],
  ])("refuses %s", (_, args, option) => {
    expect(() => parsePlan(args, {})).toThrow(UsageError);
    expect(() => parsePlan(args, {})).toThrow(option);
  });
});
