// Lists of pools over a world written fact by fact: records worked out by hand, both skins, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raiseRevision } from "../../fold/revision.ts";
import { type VaultsAt, vaultsAt } from "../../gateway/catalogue/vaults-at.ts";
import { type Operation, RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { pointOf } from "../../gateway/history/point.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { buildScripted, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [HONEY, TOKEN, EMITTED, NOVEL] = [11, 12, 13, 14].map(tokenOf) as [string, string, string, string];
const [PAIR, NOVEL_PAIR, EMPTY_PAIR, REWARD_VAULT, FARM, BAULT] = [101, 102, 103, 104, 105, 106].map(tokenOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const [ALICE, BOB, FACTORY, CHEF] = [1, 2, 70, 71].map(accountOf) as [string, string, string, string];
const E18 = 10n ** 18n;
const HEAD = 6;

function addPair(script: Script, pair: string, [token0, token1]: readonly [string, string]): void {
  script.tell("v2_pair_created", { factory: FACTORY, pair, token0, token1, ordinal: 1 });
}

/** The first mint of a pair: 1,000 wei of shares stay with the zero address. */
function provide(
  script: Script,
  pair: string,
  put: { tokens: readonly [string, string]; amounts: readonly [bigint, bigint] },
) {
  script.nextTransaction();
  for (const i of [0, 1] as const) script.mint(put.tokens[i], pair, put.amounts[i]);
  script.move(pair, { from: ZERO, to: ZERO, amount: 1_000n });
  script.mint(pair, ALICE, 1_000n * E18 - 1_000n);
  const [amount0, amount1] = put.amounts.map(String) as [string, string];
  script.tell("v2_sync", { pair, reserve0: amount0, reserve1: amount1 });
  script.tell("v2_liquidity", { pair, kind: "mint", sender: ALICE, amount0, amount1 });
}

function stake(
  script: Script,
  vault: string,
  by: { account: string; amount: bigint; protocol: string; token: string },
) {
  script.nextTransaction();
  script.move(by.token, { from: by.account, to: vault, amount: by.amount });
  const { account, protocol } = by;
  script.tell("stake", { vault, protocol, kind: "stake", account, amount: String(by.amount) });
}

function swapNovel(script: Script): void {
  script.nextTransaction();
  const amounts = { amount0_in: "12000", amount1_in: "0", amount0_out: "0", amount1_out: "8000" };
  script.tell("v2_swap", { pair: NOVEL_PAIR, sender: BOB, to: BOB, ...amounts });
}

/** A later mint, of shares for each of `owners`: the protocol's come before the depositor's. */
function provideMore(script: Script, owners: readonly string[]): void {
  script.nextTransaction();
  for (const owner of owners) script.mint(NOVEL_PAIR, owner, 1_000n);
  script.tell("v2_liquidity", { pair: NOVEL_PAIR, kind: "mint", sender: ALICE, amount0: "10", amount1: "7" });
}

/** Everything lies above the last final block. */
function tellPools(): Script {
  const script = new Script();
  script.nextBlock(); // 2
  addPair(script, PAIR, [HONEY, TOKEN]);
  addPair(script, NOVEL_PAIR, [HONEY, NOVEL]);
  addPair(script, EMPTY_PAIR, [TOKEN, EMITTED]);
  script.tell("vault_created", { factory: FACTORY, vault: REWARD_VAULT, kind: "reward-vault", asset: PAIR });
  script.tell("vault_created", { factory: FACTORY, vault: FARM, kind: "farm" });
  script.tell("vault_created", { factory: FACTORY, vault: BAULT, kind: "bault", asset: PAIR });
  script.nextBlock(); // 3
  provide(script, PAIR, { tokens: [HONEY, TOKEN], amounts: [10_000n * E18, 5_000n * E18] });
  provide(script, NOVEL_PAIR, { tokens: [HONEY, NOVEL], amounts: [10n * E18, 7n * E18] });
  script.nextBlock(); // 4: 1,000 HONEY for 450 TOKEN; a quarter of the shares is staked, a part of it by the bault
  script.nextTransaction();
  script.mint(HONEY, PAIR, 1_000n * E18);
  script.move(TOKEN, { from: PAIR, to: BOB, amount: 450n * E18 });
  script.tell("v2_swap", {
    ...{ pair: PAIR, sender: BOB, to: BOB, amount0_in: String(1_000n * E18), amount1_in: "0" },
    ...{ amount0_out: "0", amount1_out: String(450n * E18) },
  });
  stake(script, REWARD_VAULT, { account: ALICE, amount: 200n * E18, protocol: "reward-vault", token: PAIR });
  script.move(PAIR, { from: ALICE, to: BAULT, amount: 50n * E18 });
  script.mint(BAULT, BOB, 40n * E18);
  stake(script, REWARD_VAULT, { account: BAULT, amount: 50n * E18, protocol: "reward-vault", token: PAIR });
  stake(script, FARM, { account: ALICE, amount: 100n * E18, protocol: "farm", token: PAIR });
  swapNovel(script);
  provideMore(script, [FACTORY, ALICE]);
  provideMore(script, [ALICE]);
  script.nextBlock(); // 5
  swapNovel(script);
  script.mint(EMITTED, FACTORY, 70n * E18);
  const emitted = { vault: REWARD_VAULT, protocol: "reward-vault", kind: "distributed" };
  script.tell("reward", { ...emitted, amount: String(70n * E18) });
  script.tell("incentive", { vault: REWARD_VAULT, kind: "added", token: HONEY, amount: "900" });
  script.tell("incentive", { vault: REWARD_VAULT, kind: "booster_processed", token: HONEY, amount: "899" });
  const args = { receiver: REWARD_VAULT, isWhitelisted: true, metadata: "" } as never;
  script.tell("other_event", { contract: CHEF, event: "VaultWhitelistedStatusUpdated", args });
  script.nextBlock(); // 6
  return script;
}

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellPools(), {
    ponderSchema: "facts_lists",
    foldSchema: "fold_lists",
    finalized: 0,
  });
  const place = (address: string) => ({ address, startBlock: 0 });
  const chain = chainFixture({
    chainId: 31337,
    startBlock: 0,
    stables: [
      { address: HONEY, priceUsd: "1" },
      { address: TOKEN, priceUsd: "2" },
      { address: EMITTED, priceUsd: "3" },
    ],
    knownTokens: [HONEY, TOKEN].map((address) => ({ address, symbol: "T", decimals: 18, tags: ["usd"] })),
    v2: { factory: place(FACTORY), router: FACTORY },
    rewardVaults: { factory: place(FACTORY), distributor: place(FACTORY), beraChef: place(CHEF), rewardToken: EMITTED },
    farms: { factory: place(FACTORY) },
    baults: { factory: place(FACTORY) },
  });
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

type Vault = Record<string, unknown> & { id: string };

async function list(query = ""): Promise<{ count: number; data: Vault[] }> {
  const { status, body } = await gateway.get(`/vaults?chainId=31337${query}`);
  expect(status).toBe(200);
  return body as { count: number; data: Vault[] };
}

const near = (value: number) => expect.closeTo(value, 9);
const token = (id: string, price: number) => ({ id, symbol: "T", name: "T", decimals: 18, price });

describe("a pool's record", () => {
  it("shows what it holds, earns and pays", async () => {
    const { count, data } = await list("&withBaults=true");
    expect(count).toBe(3);
    const [pair] = data;
    // 11,000 HONEY at 1 USD and 4,550 TOKEN at 2; 0.3 % of 1,000; 70 at 3 USD on a quarter
    const tvl = 20_100;
    const apr = (100 * 3 * 365) / tvl;
    // at the mean price the same liquidity is worth this
    const fair = 2 * Math.sqrt(11_000 * 4_550 * 2);
    const bgtApr = (100 * 210 * 365) / 7 / (tvl / 4);
    expect(pair).toEqual({
      ...{ id: PAIR, provider: "v2", poolAddress: PAIR, lowerTick: -887272, upperTick: 887272, feeTier: 3000 },
      currentTick: Math.floor(Math.log(4_550 / 11_000) / Math.log(1.0001)),
      ...{ tvl, farmTvl: near(tvl * 0.35), apr: near(apr), farmApr: null, totalApr: null, weeklyFeesEarnedUSD: 3 },
      lastUpdated: new Date(timestampOf(HEAD) * 1_000).toISOString(),
      ...{ isSweetened: true, isRewardVault: true, isVolatile: false, managerFeeBps: 0 },
      token0: token(HONEY, 1),
      token1: token(TOKEN, 2),
      tokenLp: { ...token(PAIR, 0), price: expect.closeTo(fair / 1_000, 6), totalSupply: 1_000 },
      ...{ amount0: 11_000, amount1: 4_550, unpriced: [], unread: [FARM], stopped: [], incomplete: null },
      farm: {
        ...{ id: REWARD_VAULT, provider: "bgt", tvl: near(tvl / 4), apr: near(bgtApr), stakingToken: PAIR },
        rewardRates: [String((70n * E18) / 604_800n)],
        rewardTokens: [token(EMITTED, 3)],
      },
      baults: [
        {
          ...{ id: BAULT, apy: null, blacklisted: false, price: expect.closeTo((fair / 1_000) * 1.25, 6) },
          ...{ totalAssets: 50, totalSupply: 40 },
        },
      ],
    });
  });

  it("is not sweetened by incentives of a vault that is not whitelisted, or that are used up", async () => {
    expect((await list("&blockNumber=4&sweetened=true")).count).toBe(0);
    expect((await list("&blockNumber=5&sweetened=true")).data.map(({ id }) => id)).toEqual([PAIR]);
  });

  it("has no APR of a farm that could not be read: null, and the farm is named", async () => {
    const { data } = await gateway.graphql(
      `{ vault(id: "${PAIR}") { apr farmApr totalApr farms { address apr rewards { rate } staked } } }`,
    );
    const { vault } = data as { vault: Record<string, unknown> };
    expect(vault).toMatchObject({ apr: near((100 * 3 * 365) / 20_100), farmApr: null, totalApr: null });
    expect(vault.farms).toEqual([
      {
        address: REWARD_VAULT,
        apr: expect.any(Number),
        rewards: [{ rate: expect.any(String) }],
        staked: String(250n * E18),
      },
      { address: FARM, apr: null, rewards: null, staked: String(100n * E18) },
    ]);
  });

  it("says whose price is missing: last in both directions, null in REST and GraphQL", async () => {
    for (const direction of ["asc", "desc"]) {
      const { data } = await list(`&orderDirection=${direction}`);
      expect(data.at(-1)).toMatchObject({ id: NOVEL_PAIR, tvl: null, apr: null, unpriced: [NOVEL], amount1: 7 });
    }
    const { data } = await gateway.graphql(`{ vault(id: "${NOVEL_PAIR}") { tvl apr unpriced amount1Decimal } }`);
    expect(data).toEqual({ vault: { tvl: null, apr: null, unpriced: [NOVEL], amount1Decimal: "7" } });
    expect((await list("&minimumTvl=0")).data.map(({ id }) => id)).toEqual([PAIR, EMPTY_PAIR]);
  });

  it("is found by its id, at any block, or not", async () => {
    const { body } = await gateway.get(`/vaults/${PAIR.toUpperCase().replace("0X", "0x")}`);
    expect(body).toEqual((await list("&withBaults=true")).data[0]);
    expect((await gateway.get(`/vaults/${PAIR}?blockNumber=3`)).body).toMatchObject({ amount0: 10_000, farmTvl: 0 });
    for (const path of [`/vaults/${ALICE}`, `/vaults/${PAIR}?blockNumber=1`]) {
      const { status, body: refusal } = await gateway.get(path);
      expect([status, (refusal.error as { code: string }).code]).toEqual([404, "VAULT_NOT_FOUND"]);
    }
  });
});

const listOf: Operation<number, VaultsAt> = {
  name: "vaultsAt",
  async run(number, context) {
    const block = blockNumbered(number);
    const point = await pointOf(context, block);
    return vaultsAt(context, point);
  },
};

describe("a new block", () => {
  it("is worked out once for all who ask at the same time", async () => {
    const scopes = [1, 2, 3].map(() => new RequestScope(gateway.service));
    const [first, ...others] = await Promise.all(scopes.map((scope) => scope.run(listOf, 2)));
    await Promise.all(scopes.map((scope) => scope.close()));
    expect(first?.vaults.map(({ id }) => id)).toEqual([PAIR, NOVEL_PAIR, EMPTY_PAIR]);
    for (const other of others) expect(other).toBe(first);
  });

  it("is stored, though a pair was never used and a farm never read, and worked out again once the farm is read", async () => {
    const ask = async (): Promise<VaultsAt> => {
      const scope = new RequestScope(gateway.service);
      const answer = await scope.run(listOf, 6);
      await scope.close();
      return answer;
    };
    const unread = await ask();
    expect(await ask()).toBe(unread);
    expect(unread.vaults[0]?.farms.map(({ apr }) => apr === undefined)).toEqual([false, true]);
    await database.sql.unsafe(`insert into fold_lists.farm_settings values
      (decode('${FARM.slice(2)}', 'hex'), 2, '${hashOf(2)}', decode('${PAIR.slice(2)}', 'hex'), 0, '{}', '{}')`);
    await raiseRevision(database.sql, "fold_lists");
    const read = await ask();
    expect(read.vaults[0]?.farms.map(({ apr }) => apr === undefined)).toEqual([false, false]);
    await database.sql.unsafe("delete from fold_lists.farm_settings");
  });
});

it("takes the protocol's sixth off a pair's fees, though liquidity moved last when there was nothing to charge", async () => {
  const scope = new RequestScope(gateway.service);
  const feesAt = async (block: number) =>
    (await scope.run(listOf, block)).vaults.find(({ id }) => id === NOVEL_PAIR)?.fees;
  // 0.3 % of 12,000 is 36
  expect(await feesAt(4)).toEqual([30n, 0n]);
  expect(await feesAt(6)).toEqual([60n, 0n]);
  await scope.close();
});

it("shows no price of a token before its first event, whatever the chain file says", async () => {
  for (const [block, price] of [
    [4, null],
    [5, 3],
  ]) {
    const { data } = await list(`&blockNumber=${block}`);
    expect(data.find(({ id }) => id === EMPTY_PAIR)).toMatchObject({ token1: { id: EMITTED, price } });
  }
});

it("names a token that has a price but no decimals, whose amounts are worth nobody knows what", async () => {
  const write = async (decimals: number | null) => {
    const address = Buffer.from(TOKEN.slice(2), "hex");
    await database.sql`update fold_lists.token set decimals = ${decimals} where address = ${address}`;
    await raiseRevision(database.sql, "fold_lists");
  };
  await write(null);
  const { data } = await list("&search=T");
  await write(18);
  expect(data.find(({ id }) => id === PAIR)).toMatchObject({ tvl: null, token1: { price: 2 }, unpriced: [TOKEN] });
});

describe("a user's part", () => {
  it("is what lies in the wallet, and what is staked to any depth", async () => {
    const alice = await list(`&user=${ALICE}`);
    expect(alice.data.map(({ id }) => id)).toEqual([PAIR, NOVEL_PAIR]);
    const wallet = 1_000 - 350;
    expect(alice.data[0]).toMatchObject({
      balances: { balance: near(wallet + 300), vaultBalance: near(wallet), farmBalance: 300 },
      vaultBalanceUSD: near(wallet * 20.1),
      farmBalanceUSD: near(300 * 20.1),
      balanceUSD: near((wallet + 300) * 20.1),
    });
    expect(alice.data[1]).toMatchObject({ balanceUSD: null, balances: { farmBalance: 0 } });
    const bob = await list(`&user=${BOB}&orderBy=farmBalance`);
    expect(bob).toMatchObject({ count: 1, data: [{ balances: { vaultBalance: 0, farmBalance: 50, balance: 50 } }] });
    expect(await list(`&user=${CHEF}`)).toEqual({ count: 0, data: [] });
  });
});

describe("a filter", () => {
  it("is true or false in any case, as Python has a capital", async () => {
    const shown = async (filter: string) => (await list(filter)).data.map(({ id, baults }) => [id, Boolean(baults)]);
    expect(await shown("&rewardVault=True")).toEqual([[PAIR, false]]);
    expect(await shown("&sweetened=True&volatile=False&withBaults=TRUE")).toEqual([[PAIR, true]]);
    expect((await shown("&rewardVault=False")).length).toBe(3);
  });
});

describe("both skins", () => {
  it("give the same list", async () => {
    const rest = await list(`&user=${ALICE}&orderBy=vaultBalance&limit=1&offset=1`);
    const { data, errors } =
      await gateway.graphql(`{ vaults(user: "${ALICE}", orderBy: vaultBalance, limit: 1, offset: 1) {
      count nodes { id weeklyFeesEarnedUSD isVolatile userBalance { vaultBalanceDecimal } } } }`);
    expect(errors).toBeUndefined();
    const { vaults } = data as {
      vaults: { count: number; nodes: (Vault & { userBalance: Record<string, string> })[] };
    };
    expect(vaults.count).toBe(rest.count);
    const shown = rest.data.map(({ id, weeklyFeesEarnedUSD, isVolatile }) => ({ id, weeklyFeesEarnedUSD, isVolatile }));
    expect(vaults.nodes).toMatchObject(shown);
    const [balances] = rest.data.map((one) => one.balances as Record<string, number>);
    expect(Number(vaults.nodes[0]?.userBalance.vaultBalanceDecimal)).toBe(balances?.vaultBalance);
  });

  it("list every bault", async () => {
    const { body } = await gateway.get("/baults");
    expect(body).toMatchObject({ count: 1, data: [{ id: BAULT, stakingToken: { id: PAIR }, totalAssets: 50 }] });
    const { data } = await gateway.graphql("{ baults { token { address } totalAssets totalSupply apy } }");
    const exact = { totalAssets: String(50n * E18), totalSupply: String(40n * E18) };
    expect(data).toEqual({ baults: [{ token: { address: BAULT }, ...exact, apy: null }] });
  });
});

describe("what is refused", () => {
  it.each([
    ["", "chainId"],
    ["chainId=80094", "chainId"],
    ["chainId=main", "chainId"],
    ["chainId=31337&limit=0", "limit"],
    ["chainId=31337&limit=1001", "limit"],
    ["chainId=31337&limit=ten", "limit"],
    ["chainId=31337&limit=1.5", "limit"],
    ["chainId=31337&offset=-1", "offset"],
    ["chainId=31337&offset=", "offset"],
    ["chainId=31337&orderBy=size", "orderBy"],
    ["chainId=31337&orderDirection=up", "orderDirection"],
    ["chainId=31337&orderBy=balance", "user"],
    ["chainId=31337&orderBy=farmBalance", "user"],
    ["chainId=31337&orderBy=vaultBalance", "user"],
    ["chainId=31337&user=alice", "user"],
    ["chainId=31337&rewardVault=1", "rewardVault"],
    ["chainId=31337&sweetened=yes", "sweetened"],
    ["chainId=31337&volatile=", "volatile"],
    ["chainId=31337&withBaults=2", "withBaults"],
    ["chainId=31337&minimumTvl=-5", "minimumTvl"],
    ["chainId=31337&minimumTvl=1e3", "minimumTvl"],
    [`chainId=31337&search=${"x".repeat(201)}`, "search"],
    ["chainId=31337&blockNumber=0x5", "blockNumber"],
  ])("/vaults?%s names %s", async (query, parameter) => {
    const { status, body } = await gateway.get(`/vaults?${query}`);
    const { error } = body as { error: { code: string; message: string; details: { parameter: string } } };
    expect([status, error.code, error.details.parameter]).toEqual([400, "INVALID_INPUT", parameter]);
    expect(error.message.startsWith(`${parameter}: `)).toBe(true);
  });

  it("is the same in GraphQL", async () => {
    for (const argument of ["limit: 0", "offset: -1", "orderBy: balance", "minimumTvl: -1"]) {
      const { errors } = await gateway.graphql(`{ vaults(${argument}) { count } }`);
      expect(errors?.[0]?.extensions?.code, argument).toBe("INVALID_INPUT");
    }
  });
});
