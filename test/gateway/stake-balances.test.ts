// Balances through reward vaults, farms, Infrared vaults, baults, listed vaults and launch pools: numbers worked out by
// hand, below and above the last final block.
import { beforeAll, describe, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, type Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";
import {
  ALICE,
  BAULT,
  BAULT_FARM,
  BOB,
  DISTRIBUTOR,
  EMITTED,
  FARM,
  FARMED,
  INCENTIVES,
  INFRARED,
  LAUNCH,
  MOO,
  MULTI,
  PLAIN,
  REWARD_VAULT,
  STAKED,
  STRATEGY,
  stakingSections,
  tellStaking,
} from "../support/staking-script.ts";

const chain = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections });
const LAST = 12;

const open = scriptedGateway(chain);

const [vault, farm, baultFarm] = [`reward_vault ${REWARD_VAULT}`, `farm ${FARM}`, `farm ${BAULT_FARM}`];

/** With a block in which Alice stakes on behalf of the Beefy vault itself, and of its strategy. */
function tellStakesForVault(): Script {
  const script = tellStaking();
  script.nextBlock(); // 12
  for (const [account, amount] of [
    [MOO, 19n],
    [STRATEGY, 5n],
  ] as const) {
    script.nextTransaction();
    script.move(STAKED, { from: ALICE, to: REWARD_VAULT, amount });
    const stake = { vault: REWARD_VAULT, protocol: "reward-vault", kind: "stake", account, amount: `${amount}` };
    script.tell("stake", { ...stake, delegate: null });
  }
  return script;
}

/** What an account has of the token elsewhere than in its wallet. */
async function elsewhere(block: number, account: string): Promise<Record<string, bigint>> {
  const { balance: _, ...others } = (await shownBalances(open.gateway, STAKED, block)).accounts[account] ?? {};
  return others;
}

interface ExternalSource {
  source: string;
  contract: string | null;
  paths: { assets: string[] }[];
}

describe.each([12, 8, 5, 1])("balances through vaults (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const index = { ponderSchema: `facts_stake_${finalized}`, foldSchema: `fold_stake_${finalized}`, finalized };
    await buildScripted(open.database.sql, tellStakesForVault(), index);
    return () => dropIndex(open.database.sql, index);
  });

  it("give a delegated stake once, to the account that it was made for", async () => {
    expect(await elsewhere(3, ALICE)).toEqual({ [vault]: 1_500n });
    expect(await elsewhere(3, BOB)).toEqual({});
    expect(await elsewhere(10, ALICE)).toMatchObject({ [vault]: 1_200n });
  });

  it("replace vaults that stake on by those who staked in them", async () => {
    expect(await elsewhere(4, BOB)).toEqual({ external_vaults: 340n });
    expect((await shownBalances(open.gateway, STAKED, 4)).unattributed).toEqual({});
  });

  it("are the holders' parts of what a vault has staked, and of what it holds", async () => {
    expect(await elsewhere(5, ALICE)).toEqual({ [vault]: 1_500n, external_vaults: 700n });
    expect(await elsewhere(6, ALICE)).toEqual({ [vault]: 1_500n, external_vaults: 770n + 60n });
    expect(await elsewhere(6, BOB)).toEqual({ external_vaults: 340n + 330n + 25n });
    expect((await shownBalances(open.gateway, BAULT, 6)).accounts).toEqual({
      [ALICE]: { balance: 700n },
      [BOB]: { balance: 300n },
    });
  });

  it("name the contract of what is in external vaults where it is one, and none where it is several", async () => {
    const contractOf = async (block: number, account: string) => {
      const { data } = await open.gateway.graphql(
        `{ balances(token: "${STAKED}", users: ["${account}"], block: {number: ${block}}) { nodes { sources { source contract paths { assets } } } } }`,
      );
      const { sources } = (data as { balances: { nodes: [{ sources: ExternalSource[] }] } }).balances.nodes[0];
      const found = sources.find(({ source }) => source === "external_vaults");
      return { contract: found?.contract, ways: found?.paths.length };
    };
    expect(await contractOf(5, ALICE)).toEqual({ contract: BAULT, ways: 1 });
    expect(await contractOf(4, BOB)).toEqual({ contract: null, ways: 2 });
  });

  it("find out what a farm takes, and look through its bault shares to the token", async () => {
    expect(await elsewhere(7, ALICE)).toEqual({ [vault]: 1_500n, external_vaults: 830n, [farm]: 400n });
    expect(await elsewhere(7, BOB)).toEqual({ external_vaults: 340n + 110n + 25n, [baultFarm]: 220n });
    expect((await shownBalances(open.gateway, BAULT, 7)).accounts[BOB]).toEqual({ balance: 100n, [baultFarm]: 200n });
  });

  it("name what nobody has, and why", async () => {
    expect((await shownBalances(open.gateway, STAKED, 9)).unattributed).toEqual({
      [`${REWARD_VAULT} incentives`]: 50n,
      [`${LAUNCH} launch-curve`]: 60n,
      [`${INFRARED} stray`]: 11n,
      [`${BAULT} stray`]: 13n,
      [`${FARM} stray`]: 17n,
    });
    expect((await shownBalances(open.gateway, STAKED, 11)).unattributed).toMatchObject({ [`${LAUNCH} stray`]: 5n });
    const of = async (token: string, block: number) => (await shownBalances(open.gateway, token, block)).unattributed;
    expect(await of(INCENTIVES, 8)).toEqual({ [`${REWARD_VAULT} incentives`]: 900n });
    expect(await of(FARMED, 9)).toEqual({ [`${FARM} rewards`]: 4_997n, [`${REWARD_VAULT} stray`]: 1n });
    expect(await of(MULTI, 9)).toEqual({ [`${INFRARED} rewards`]: 80n });
    expect(await of(EMITTED, 9)).toEqual({ [`${DISTRIBUTOR} rewards`]: 1_000n });
    expect(await of(LAUNCH, 10)).toEqual({ [`${LAUNCH} launch-curve`]: 900n });
    expect(await of(LAUNCH, 11)).toEqual({});
  });

  it("give the holders of a Beefy vault what is staked for its strategy, and nobody what is staked for the vault itself", async () => {
    expect(await elsewhere(12, BOB)).toMatchObject({ external_vaults: 340n + 110n + 25n + 5n });
    expect((await shownBalances(open.gateway, STAKED, 12)).unattributed).toMatchObject({ [`${MOO} stray`]: 19n });
  });

  it("price a share of a Beefy vault by what is staked for its strategy alone", async () => {
    const { data } = await open.gateway.graphql(
      `{ shareHistory(share: "${MOO}", from: {number: 12}, points: 1) { nodes { parts { amount } } } }`,
    );
    expect(data).toMatchObject({ shareHistory: { nodes: [{ parts: [{ amount: "30" }] }] } });
  });

  it("add up at every block", async () => {
    const born: Record<string, number> = { [STAKED]: 1, [BAULT]: 5, [MOO]: 5, [PLAIN]: 6 };
    for (const [token, first] of Object.entries(born))
      for (let block = first; block <= LAST; block++) await shownBalances(open.gateway, token, block);
  });
});
