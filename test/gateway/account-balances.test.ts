// Everything an account has must be, token by token, what the token's own balances say: through all kinds of vaults,
// nested pairs and cycles of them, and v3 positions; below and above the last final block.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountAnswer, expectSameAsBalances } from "../support/account-equality.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import * as staking from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { buildV3Index, randomV3World, V3_CHAIN_ID, V3_LONER, V3_TOKENS, v3Deployments } from "../support/v3-index.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

const [A, B, INNER, OUTER, LEFT, RIGHT] = [1, 2, 101, 102, 103, 104].map(tokenOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const VAULT = tokenOf(110);
const [ALICE, BOB, CAROL] = [accountOf(1), accountOf(2), accountOf(3)];
const place = { address: accountOf(90), startBlock: 0 };
const pairs = { v2: { factory: place, router: accountOf(91) } };
const vaults = { rewardVaults: { factory: place, distributor: place, beraChef: null, rewardToken: tokenOf(9) } };

/** A pair, a pair over its shares, a stake of the outer shares, two pairs that hold each other; then all again later. */
function tellNests(): Script {
  const script = new Script();
  const create = (pair: string, token0: string, token1: string) =>
    script.tell("v2_pair_created", { factory: place.address, pair, token0, token1, ordinal: "1" });
  for (const account of [ALICE, BOB]) for (const token of [A, B]) script.mint(token, account, 1_000_000n);
  script.nextBlock(); // 2
  create(INNER, A, B);
  create(OUTER, INNER, B);
  create(LEFT, A, RIGHT);
  create(RIGHT, B, LEFT);
  script.tell("vault_created", { factory: place.address, vault: VAULT, kind: "reward-vault", asset: OUTER });
  script.move(A, { from: ALICE, to: INNER, amount: 100_003n });
  script.move(B, { from: BOB, to: INNER, amount: 70_001n });
  script.mint(INNER, ZERO, 1_000n);
  script.mint(INNER, ALICE, 33_000n);
  script.nextBlock(); // 3
  script.move(INNER, { from: ALICE, to: OUTER, amount: 21_000n });
  script.move(B, { from: ALICE, to: OUTER, amount: 17n });
  script.mint(OUTER, ALICE, 700n);
  script.mint(OUTER, BOB, 11n);
  script.nextBlock(); // 4: staked for somebody else as well
  for (const [account, amount] of [
    [ALICE, 300n],
    [CAROL, 77n],
  ] as const) {
    script.move(OUTER, { from: ALICE, to: VAULT, amount });
    script.tell("stake", { vault: VAULT, protocol: "reward-vault", kind: "stake", account, amount: `${amount}` });
  }
  script.nextBlock(); // 5: each holds the other's shares, and one its own
  script.mint(LEFT, BOB, 500n);
  script.mint(LEFT, RIGHT, 400n);
  script.mint(RIGHT, CAROL, 900n);
  script.mint(RIGHT, LEFT, 90n);
  script.mint(RIGHT, RIGHT, 9n);
  script.move(A, { from: ALICE, to: LEFT, amount: 12_345n });
  script.move(B, { from: BOB, to: RIGHT, amount: 54_321n });
  script.nextBlock(); // 6: taken out again
  script.move(OUTER, { from: VAULT, to: CAROL, amount: 77n });
  script.tell("stake", { vault: VAULT, protocol: "reward-vault", kind: "withdraw", account: CAROL, amount: "77" });
  script.nextBlock(); // 7
  script.move(RIGHT, { from: CAROL, to: BOB, amount: 900n });
  script.nextBlock();
  return script;
}

describe.each([8, 4])("through nested pairs and stakes (final up to %i)", (finalized) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const schemas = { ponderSchema: `facts_nest_${finalized}`, foldSchema: `fold_nest_${finalized}` };
    await buildScripted(database.sql, tellNests(), { ...schemas, finalized });
    gateway = openGateway(database.url, chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...pairs, ...vaults }));
  });
  afterAll(() => gateway.close());

  const tokens = [A, B, INNER, OUTER, LEFT, RIGHT];
  it("an account has what each token says", async () => {
    for (const block of [2, 3, 4, 5, 6, 8]) {
      const accounts = [ALICE, BOB, CAROL, INNER, OUTER, LEFT, RIGHT, VAULT];
      const found = await expectSameAsBalances(gateway, { accounts, tokens, block });
      expect(found).toBeGreaterThanOrEqual([0, 0, 2, 6, 8, 12, 12, 10, 10][block] ?? 0);
    }
  });

  it("an account's answer names the path of every part", async () => {
    const { tokens: answered } = await accountAnswer(gateway, { account: CAROL, block: 4 });
    expect([...answered.keys()]).toEqual([A, B, INNER, OUTER]);
    expect(answered.get(A)?.sources[0]).toMatchObject({
      source: "reward_vault",
      contract: VAULT,
      paths: [{ assets: [`erc20:${A}`, `erc20:${INNER}`, `erc20:${OUTER}`, `stake:${VAULT}`] }],
    });
  });

  it("an account's answer comes in pages that end where they say", async () => {
    const whole = await accountAnswer(gateway, { account: ALICE, block: 5 });
    expect(await accountAnswer(gateway, { account: ALICE, block: 5, first: 1 })).toEqual(whole);
  });

  it("an account's answer says of an issuer that it is one, and of the zero address nothing", async () => {
    expect(await accountAnswer(gateway, { account: INNER, block: 5 })).toMatchObject({ replacedBy: "issuer" });
    expect((await accountAnswer(gateway, { account: ZERO, block: 5 })).tokens.size).toBe(0);
  });
});

describe.each([11, 6])("through vaults of all kinds (final up to %i)", (finalized) => {
  it("an account has what each token says", async () => {
    const schemas = { ponderSchema: `facts_kinds_${finalized}`, foldSchema: `fold_kinds_${finalized}` };
    await buildScripted(database.sql, staking.tellStaking(), { ...schemas, finalized });
    const chain = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...staking.stakingSections });
    const gateway = openGateway(database.url, chain);
    const { STAKED, INCENTIVES, FARMED, MULTI, EMITTED, LAUNCH, BAULT, PLAIN, MOO } = staking;
    const { REWARD_VAULT, FARM, BAULT_FARM, INFRARED, STAKING, DISTRIBUTOR, STRATEGY } = staking;
    const born = { [STAKED]: 1, [BAULT]: 5, [MOO]: 5, [PLAIN]: 6, [FARMED]: 7 };
    const late = { [INCENTIVES]: 8, [MULTI]: 8, [EMITTED]: 8, [LAUNCH]: 8 };
    const accounts = [staking.ALICE, staking.BOB, REWARD_VAULT, FARM, BAULT_FARM, INFRARED, STAKING, DISTRIBUTOR];
    for (const block of [3, 5, 7, 9, 10]) {
      const tokens = Object.entries({ ...born, ...late }).flatMap(([token, first]) => (first <= block ? [token] : []));
      const custodian = { account: DISTRIBUTOR, token: EMITTED };
      const input = { accounts: [...accounts, STRATEGY, LAUNCH, BAULT, PLAIN, MOO], tokens, block, custodian };
      const found = await expectSameAsBalances(gateway, input);
      if (block >= 7) expect(found).toBeGreaterThanOrEqual(6);
    }
    await gateway.close();
  });
});

describe("through v3 positions", () => {
  it.each([0, 4, 60])("an account has what each token says (%i blocks above the last final one)", async (above) => {
    const world = randomV3World("accounts/1", { blocks: 60, pools: 5 });
    const schemas = { ponderSchema: `facts_v3_${above}`, foldSchema: `fold_v3_${above}` };
    await buildV3Index(database.sql, world, { ...schemas, finalized: Math.max(world.head - above, 10) });
    const chain = chainFixture({ chainId: V3_CHAIN_ID, startBlock: 0, v3: { deployments: v3Deployments } });
    const gateway = openGateway(database.url, chain);
    const tokens = [...V3_TOKENS, V3_LONER];
    const accounts = new Set<string>(world.pools.map(({ created }) => created.pool));
    for (const { fact } of world.facts) {
      if (fact.kind === "mint") accounts.add(fact.owner);
      if (fact.kind === "transferToken") accounts.add(fact.to);
    }
    accounts.delete(ZERO);
    let found = 0;
    for (const block of [world.head, world.head - 3, world.head - 30])
      found += await expectSameAsBalances(gateway, { accounts: [...accounts], tokens, block });
    expect(found).toBeGreaterThan(20);
    await gateway.close();
  });
});
