// Contracts that hold each other's shares, and their own: numbers worked out by hand, below and above the last final block.
import { beforeAll, describe, expect, it } from "vitest";
import { expectSameAsBalances } from "../support/account-equality.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

/** A pair of the token and the other pair's shares, twice; a vault of the other vault's shares, twice. */
const [TOKEN, PAIR, OTHER_PAIR, VAULT, OTHER_VAULT] = [1, 3, 4, 5, 6].map(tokenOf) as [
  ...[string, string, string, string, string],
];
const [ALICE, BOB, CAROL, FACTORY, ROUTER] = [1, 2, 3, 70, 71].map(accountOf) as [
  ...[string, string, string, string, string],
];
const place = (address: string) => ({ address, startBlock: 0 });

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  v2: { factory: place(FACTORY), router: ROUTER },
  externalVaults: [
    { ...place(VAULT), kind: "erc4626", asset: OTHER_VAULT },
    { ...place(OTHER_VAULT), kind: "erc4626", asset: VAULT },
  ],
});

/** At block 3 each contract holds some of the other's shares; one pair also has 99 of its own. */
function tellMutual(): Script {
  const script = new Script();
  for (const account of [ALICE, BOB]) script.mint(TOKEN, account, 10_000n);
  script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0: TOKEN, token1: OTHER_PAIR, ordinal: 1 });
  script.tell("v2_pair_created", { factory: FACTORY, pair: OTHER_PAIR, token0: TOKEN, token1: PAIR, ordinal: 2 });
  script.nextBlock(); // 2
  script.move(TOKEN, { from: ALICE, to: PAIR, amount: 1_001n });
  script.mint(PAIR, ALICE, 700n);
  script.mint(PAIR, BOB, 301n);
  script.mint(PAIR, PAIR, 99n);
  script.move(TOKEN, { from: BOB, to: OTHER_PAIR, amount: 777n });
  script.mint(OTHER_PAIR, BOB, 500n);
  script.mint(OTHER_PAIR, CAROL, 277n);
  script.mint(VAULT, ALICE, 100n);
  script.mint(OTHER_VAULT, BOB, 100n);
  script.nextBlock(); // 3
  script.move(OTHER_PAIR, { from: BOB, to: PAIR, amount: 250n });
  script.move(PAIR, { from: ALICE, to: OTHER_PAIR, amount: 333n });
  script.move(VAULT, { from: ALICE, to: OTHER_VAULT, amount: 50n });
  script.move(OTHER_VAULT, { from: BOB, to: VAULT, amount: 50n });
  script.nextBlock();
  return script;
}

const open = scriptedGateway(chain);

describe.each([4, 2, 1])("contracts that hold each other's shares (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const names = { ponderSchema: `facts_mutual_${finalized}`, foldSchema: `fold_mutual_${finalized}` };
    await buildScripted(open.database.sql, tellMutual(), { ...names, finalized, chain });
    return () => dropIndex(open.database.sql, names);
  });

  it("pass on the token through both pairs, each way once, and lose nothing of it", async () => {
    const { accounts, unattributed } = await shownBalances(open.gateway, TOKEN, 3);
    // of 1,001 in the pair 367 / 1,100, and of 777 in the other one 250 / 777 of that
    expect(accounts[ALICE]).toEqual({ balance: 8_999n, [`v2-pool ${PAIR}`]: 333n + 83n });
    expect(accounts[BOB]).toEqual({
      balance: 9_223n,
      [`v2-pool ${PAIR}`]: 273n + 68n,
      [`v2-pool ${OTHER_PAIR}`]: 250n + 97n,
    });
    expect(accounts[CAROL]).toEqual({ [`v2-pool ${OTHER_PAIR}`]: 277n + 108n });
    expect(unattributed).toEqual({
      [`${PAIR} stray`]: 90n + 22n,
      [`${PAIR} cycle`]: 97n,
      [`${OTHER_PAIR} cycle`]: 75n,
      [`${PAIR} rounding`]: 3n,
      [`${OTHER_PAIR} rounding`]: 2n,
    });
  });

  it("give a vault's own shares back to its holders once where they come round", async () => {
    const { accounts, unattributed } = await shownBalances(open.gateway, VAULT, 3);
    expect(accounts).toEqual({
      [ALICE]: { balance: 50n, external_vaults: 12n },
      [BOB]: { external_vaults: 25n },
    });
    expect(unattributed).toEqual({ [`${OTHER_VAULT} cycle`]: 12n, [`${OTHER_VAULT} rounding`]: 1n });
  });

  it("are no part of what a wallet holds of their own shares, to a campaign that tells the two apart", async () => {
    const campaign = {
      ...{ chainId: SCRIPT_CHAIN_ID, token: VAULT, range: { fromBlock: 3, toBlock: 3 } },
      reward: { token: TOKEN, budget: "1000" },
    };
    const averages = async (kind: string): Promise<Record<string, string>> => {
      const body = JSON.stringify({ ...campaign, counts: { sources: [{ kind }] } });
      const response = await open.gateway.app.request("/rewards", { method: "POST", body });
      const { results } = (await response.json()) as { results: { account: string; averageRoundedDown: string }[] };
      return Object.fromEntries(results.map(({ account, averageRoundedDown }) => [account, averageRoundedDown]));
    };
    expect(await averages("balance")).toEqual({ [ALICE]: "50" });
    expect(await averages("external_vaults")).toEqual({ [ALICE]: "12", [BOB]: "25" });
  });

  it("have the same parts for one account as among all accounts", async () => {
    const tokens = [TOKEN, PAIR, OTHER_PAIR, VAULT, OTHER_VAULT];
    const accounts = [ALICE, BOB, CAROL, PAIR, OTHER_VAULT];
    for (const block of [2, 3])
      expect(await expectSameAsBalances(open.gateway, { accounts, tokens, block })).toBe(block === 2 ? 4 : 16);
  });
});
