// The distributor of reward vaults keeps the reward token for stakers who have not claimed it. Whatever else it holds is
// its own; without it, or without the reward token, in the chain file nobody keeps anything. Numbers worked out by hand.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountAnswer, expectSameAsBalances } from "../support/account-equality.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildScripted, SCRIPT_CHAIN_ID } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";
import {
  ALICE,
  BAULT,
  BOB,
  DISTRIBUTOR,
  EMITTED,
  FARMED,
  INFRARED,
  LAUNCH,
  MOO,
  PLAIN,
  REWARD_VAULT,
  STAKED,
  stakingSections,
  tellStaking,
} from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const LAST = 12;
const { factory, distributor } = stakingSections.rewardVaults;

/** In the last block the distributor comes to hold the staked token, a stake of it, and shares of a bault over it. */
function tellGifts() {
  const script = tellStaking();
  expect(script.nextBlock()).toBe(LAST);
  script.move(STAKED, { from: ALICE, to: DISTRIBUTOR, amount: 123n });
  script.nextTransaction();
  script.move(STAKED, { from: BOB, to: REWARD_VAULT, amount: 7n });
  const stake = { vault: REWARD_VAULT, protocol: "reward-vault", kind: "stake", account: DISTRIBUTOR, amount: "7" };
  script.tell("stake", { ...stake, delegate: null });
  script.nextTransaction();
  script.move(BAULT, { from: ALICE, to: DISTRIBUTOR, amount: 100n });
  return script;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

const open = (rewardVaults: object): TestGateway =>
  openGateway(
    database.url,
    chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections, rewardVaults }),
  );

async function withGateway(rewardVaults: object, use: (gateway: TestGateway) => Promise<void>): Promise<void> {
  const gateway = open(rewardVaults);
  try {
    await use(gateway);
  } finally {
    await gateway.close();
  }
}

const users = async (gateway: TestGateway, token: string): Promise<[string, number][]> => {
  const { status, body } = await gateway.get(
    `/balances/${token}?blockNumber=${LAST}&users=${DISTRIBUTOR},${ALICE},${REWARD_VAULT}`,
  );
  expect(status).toBe(200);
  return (body.results as { account: string; total: number }[]).map(({ account, total }) => [account, total * 1e18]);
};

describe.each([12, 6])("a distributor (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const index = { ponderSchema: `facts_keeps_${finalized}`, foldSchema: `fold_keeps_${finalized}`, finalized };
    await buildScripted(database.sql, tellGifts(), index);
  });

  it("keeps the reward token for others, and holds any other token, share and stake as its own", async () => {
    await withGateway(stakingSections.rewardVaults, async (gateway) => {
      const { accounts } = await shownBalances(gateway, STAKED, LAST);
      // 1,100 tokens behind 1,000 shares
      const own = { balance: 123n, [`reward_vault ${REWARD_VAULT}`]: 7n, external_vaults: 110n };
      expect(accounts[DISTRIBUTOR]).toEqual(own);
      expect((await shownBalances(gateway, BAULT, LAST)).accounts[DISTRIBUTOR]).toEqual({ balance: 100n });
      const emitted = await shownBalances(gateway, EMITTED, LAST);
      expect(emitted.accounts).toEqual({ [ALICE]: { balance: 10n } });
      expect(emitted.unattributed).toEqual({ [`${DISTRIBUTOR} rewards`]: 1_000n });
      expect(await users(gateway, STAKED)).toEqual([
        [DISTRIBUTOR, 240],
        [ALICE, expect.any(Number)],
        [REWARD_VAULT, 0],
      ]);
      expect(await users(gateway, EMITTED)).toEqual([
        [DISTRIBUTOR, 0],
        [ALICE, 10],
        [REWARD_VAULT, 0],
      ]);
    });
  });

  it("is an account that has what each token says of it", async () => {
    await withGateway(stakingSections.rewardVaults, async (gateway) => {
      const accounts = [ALICE, BOB, DISTRIBUTOR, INFRARED];
      const tokens = [STAKED, BAULT, EMITTED, FARMED, LAUNCH, MOO, PLAIN];
      const custodian = { account: DISTRIBUTOR, token: EMITTED };
      await expectSameAsBalances(gateway, { accounts, tokens, block: LAST, custodian });
      const answer = await accountAnswer(gateway, { account: DISTRIBUTOR, block: LAST });
      expect(answer.replacedBy).toBeNull();
      expect([...answer.tokens].map(([token, { total }]) => [token, total])).toEqual([
        [STAKED, "240"],
        [BAULT, "100"],
      ]);
    });
  });

  it("keeps shares that are the reward token, and so what stands behind them", async () => {
    await withGateway({ factory, distributor, rewardToken: BAULT }, async (gateway) => {
      const { accounts, unattributed } = await shownBalances(gateway, STAKED, LAST);
      expect(accounts[DISTRIBUTOR]).toEqual({ balance: 123n, [`reward_vault ${REWARD_VAULT}`]: 7n });
      expect(unattributed[`${DISTRIBUTOR} rewards`]).toBe(110n);
      expect((await shownBalances(gateway, EMITTED, LAST)).accounts[DISTRIBUTOR]).toEqual({ balance: 1_000n });
    });
  });

  it.each([
    ["the distributor", { factory }],
    ["the reward token", { factory, distributor }],
  ])("is an account like any other in a chain file without %s, and stakes are answered", async (_, rewardVaults) => {
    await withGateway(rewardVaults, async (gateway) => {
      const emitted = await shownBalances(gateway, EMITTED, LAST);
      expect(emitted.accounts[DISTRIBUTOR]).toEqual({ balance: 1_000n });
      expect(emitted.unattributed).toEqual({});
      const { accounts } = await shownBalances(gateway, STAKED, LAST);
      expect(accounts[DISTRIBUTOR]).toMatchObject({ balance: 123n, [`reward_vault ${REWARD_VAULT}`]: 7n });
      expect(accounts[ALICE]).toMatchObject({ [`reward_vault ${REWARD_VAULT}`]: 1_200n });
    });
  });
});
