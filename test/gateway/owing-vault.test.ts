// Balances through a listed vault that owes one for one and has staked on more than it owes, in two places: numbers worked
// out by hand, below and above the last final block.
import { beforeAll, describe, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

const [ASSET, VAULT, REWARD_VAULT, INFRARED] = [1, 2, 3, 4].map(tokenOf) as [string, string, string, string];
const [ALICE, BOB, FACTORY] = [1, 2, 70].map(accountOf) as [string, string, string];
const place = (address: string) => ({ address, startBlock: 0 });

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  rewardVaults: { factory: place(FACTORY) },
  infrared: { core: place(FACTORY) },
  externalVaults: [{ ...place(VAULT), kind: "staking", asset: ASSET }],
});

function tellOwing(): Script {
  const script = new Script();
  const stakes = (vault: string, protocol: string, by: { account: string; amount: bigint }): void =>
    script.tell("stake", { vault, protocol, kind: "stake", delegate: null, ...by, amount: `${by.amount}` });
  for (const account of [ALICE, BOB]) script.mint(ASSET, account, 10_000n);
  for (const [vault, kind] of [
    [REWARD_VAULT, "reward-vault"],
    [INFRARED, "infrared"],
  ] as const)
    script.tell("vault_created", { factory: FACTORY, vault, kind, asset: ASSET });
  script.nextBlock(); // 2: Alice's 100, 60 of which are staked on
  script.move(ASSET, { from: ALICE, to: VAULT, amount: 100n });
  stakes(VAULT, "vault", { account: ALICE, amount: 100n });
  script.move(ASSET, { from: VAULT, to: REWARD_VAULT, amount: 60n });
  stakes(REWARD_VAULT, "reward-vault", { account: VAULT, amount: 60n });
  script.nextBlock(); // 3: somebody stakes 50 for the vault in another place
  script.move(ASSET, { from: BOB, to: INFRARED, amount: 50n });
  stakes(INFRARED, "infrared", { account: VAULT, amount: 50n });
  script.nextBlock(); // 4: and 70 in the first
  script.move(ASSET, { from: BOB, to: REWARD_VAULT, amount: 70n });
  stakes(REWARD_VAULT, "reward-vault", { account: VAULT, amount: 70n });
  return script;
}

const open = scriptedGateway(chain);

describe.each([4, 2, 1])("what a vault owes (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const index = { ponderSchema: `facts_owing_${finalized}`, foldSchema: `fold_owing_${finalized}`, finalized };
    await buildScripted(open.database.sql, tellOwing(), index);
    return () => dropIndex(open.database.sql, index);
  });

  it.each([
    [2, {}],
    [3, { [`${VAULT} stray`]: 10n + 40n }],
    [4, { [`${VAULT} stray`]: 30n + 50n + 40n }],
  ])("is counted once, however much there is for it at block %i", async (block, stray) => {
    const { accounts, unattributed } = await shownBalances(open.gateway, ASSET, block);
    expect(accounts[ALICE]).toEqual({ balance: 9_900n, external_vaults: 100n });
    expect(unattributed).toEqual(stray);
  });
});
