// POST /snapshot/score as Snapshot's `api-post` strategy sends it, and what it makes of the answer.
import { formatUnits, getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MOST_BODY_BYTES } from "../../gateway/http/body-limit.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID } from "../support/scripted-index.ts";
import { ALICE, BOB, REWARD_VAULT, STAKED, stakingSections, tellStaking } from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections }));
  const index = { ponderSchema: "facts_score", foldSchema: "fold_score", finalized: 6 };
  await buildScripted(database.sql, tellStaking(), index);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface Sent {
  options: Record<string, unknown>;
  network: unknown;
  addresses: unknown;
  snapshot: unknown;
}

const ADDRESSES = [getAddress(BOB), REWARD_VAULT, ALICE, accountOf(5)];
const usual: Sent = { options: { token: STAKED }, network: String(SCRIPT_CHAIN_ID), addresses: ADDRESSES, snapshot: 9 };

async function post(body: unknown) {
  const answer = await gateway.app.request("/snapshot/score", {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const json = (await answer.json()) as { score: { score: string; address: string }[]; error?: unknown };
  return { status: answer.status, headers: answer.headers, body: json };
}

const scoresOf = async (sent: Partial<Sent>) => (await post({ ...usual, ...sent })).body.score;

/** snapshot-strategies, src/strategies/api-post/index.ts: `parseFloat(formatUnits(value.score.toString(), options.decimals))`. */
const votesOf = (score: { score: string; address: string }[], decimals: number) =>
  Object.fromEntries(
    score.map((one) => [
      getAddress(one.address),
      Number.parseFloat(formatUnits(BigInt(one.score.toString()), decimals)),
    ]),
  );

async function balancesAt(block: number, users: readonly string[]) {
  const { text } = await gateway.get(`/balances/${STAKED}?blockNumber=${block}&users=${users}&format=ndjson`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(
      (line) => JSON.parse(line) as { account: string; amount: string; sources: { source: string; amount: string }[] },
    );
}

describe("scores for Snapshot", () => {
  it("are totals at the proposal's block, for each address as it was written", async () => {
    const expected = await balancesAt(9, ADDRESSES);
    expect(await scoresOf({})).toEqual(expected.map(({ amount }, i) => ({ score: amount, address: ADDRESSES[i] })));
    expect(expected.map(({ amount }) => BigInt(amount) > 0n)).toEqual([true, false, true, false]);
  });

  it("count only the sources that the space names", async () => {
    const expected = await balancesAt(9, ADDRESSES);
    for (const sources of [["balance"], ["reward_vault", "farm"], ["external_vaults"], ["v3-position"]]) {
      const counted = expected.map(({ sources: held }) =>
        held.reduce((sum, { source, amount }) => (sources.includes(source) ? sum + BigInt(amount) : sum), 0n),
      );
      const scores = await scoresOf({ options: { token: STAKED, sources } });
      expect(scores.map(({ score }) => BigInt(score))).toEqual(counted);
      expect(counted.some((votes) => votes > 0n)).toBe(sources[0] !== "v3-position");
    }
  });

  it("have the decimals by which Snapshot divides them", async () => {
    const whole = votesOf(await scoresOf({}), 18);
    const finer = await scoresOf({ options: { token: STAKED, decimals: 24, symbol: "VOTE", api: "https://…" } });
    expect(votesOf(finer, 24)).toEqual(whole);
    const coarser = await scoresOf({ options: { token: STAKED, decimals: 16 } });
    const [bob] = await balancesAt(9, [BOB]);
    expect(coarser[0]?.score).toBe(String(BigInt(bob?.amount ?? 0) / 100n));
  });

  it("are those of the last block for `latest`, and take numbers as digits too", async () => {
    const { headers, body } = await post({ ...usual, snapshot: "latest" });
    expect(headers.get("x-block-number")).toBe("11");
    expect(body.score).toEqual(await scoresOf({ snapshot: 11 }));
    expect(await scoresOf({ snapshot: "4", network: SCRIPT_CHAIN_ID })).toEqual(await scoresOf({ snapshot: 4 }));
    expect(await scoresOf({ snapshot: 4 })).not.toEqual(body.score);
  });

  it("are given to each of two writings of one address", async () => {
    const scores = await scoresOf({ addresses: [ALICE, getAddress(ALICE)] });
    expect(scores.map(({ address }) => address)).toEqual([ALICE, getAddress(ALICE)]);
    expect(scores[0]?.score).toBe(scores[1]?.score);
  });

  it.each([
    ["what is no JSON", "{", "body"],
    ["no options", { ...usual, options: undefined }, "options"],
    ["no token", { ...usual, options: { symbol: "VOTE" } }, "options.token"],
    ["a bad token", { ...usual, options: { token: "0x12" } }, "options.token"],
    ["an unknown source", { ...usual, options: { token: STAKED, sources: ["wallet"] } }, "options.sources"],
    ["no source at all", { ...usual, options: { token: STAKED, sources: [] } }, "options.sources"],
    ["too many decimals", { ...usual, options: { token: STAKED, decimals: 78 } }, "options.decimals"],
    ["another chain", { ...usual, network: "1" }, "network"],
    ["a chain that is no number", { ...usual, network: "mainnet" }, "network"],
    ["no addresses", { ...usual, addresses: [] }, "addresses"],
    ["a bad address", { ...usual, addresses: [ALICE, "bob.eth"] }, "addresses"],
    ["a bad block", { ...usual, snapshot: "newest" }, "snapshot"],
    ["a block that does not exist yet", { ...usual, snapshot: 12 }, "snapshot"],
  ])("refuse %s by name", async (_, body, parameter) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: "INVALID_INPUT", details: { parameter } }]);
  });

  it("refuse unknown tokens, and bodies that are too large", async () => {
    expect((await post({ ...usual, options: { token: tokenOf(999) } })).status).toBe(404);
    const padded = { ...usual, options: { token: STAKED, note: "x".repeat(MOST_BODY_BYTES) } };
    expect(await post(padded)).toMatchObject({ status: 413, body: { error: { code: "BODY_TOO_LARGE" } } });
  });
});
