// Balances through a listed vault in which withdrawals wait: numbers worked out by hand, below and above the last final block.
import { beforeAll, describe, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

const [ASSET, VAULT, REWARD_VAULT] = [1, 2, 3].map(tokenOf) as [string, string, string];
const [ALICE, BOB, KEEPER, FACTORY] = [1, 2, 3, 70].map(accountOf) as [string, string, string, string];
const place = (address: string) => ({ address, startBlock: 0 });

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  rewardVaults: { factory: place(FACTORY) },
  externalVaults: [{ ...place(VAULT), kind: "erc4626-queued", asset: ASSET, holder: KEEPER }],
});

function tellQueue(): Script {
  const script = new Script();
  const waits = (kind: "requested" | "completed" | "cancelled", owner: string, assets: bigint): void =>
    script.tell("vault_flow", { vault: VAULT, kind: `withdrawal_${kind}`, sender: BOB, owner, assets: `${assets}` });
  for (const account of [ALICE, BOB, KEEPER]) script.mint(ASSET, account, 10_000n);
  script.tell("vault_created", { factory: FACTORY, vault: REWARD_VAULT, kind: "reward-vault", asset: ASSET });
  script.nextBlock(); // 2: a share for each
  for (const account of [ALICE, BOB]) {
    script.move(ASSET, { from: account, to: VAULT, amount: 1_000n });
    script.mint(VAULT, account, 1_000n);
  }
  script.nextBlock(); // 3: Alice burns 200 shares
  script.move(VAULT, { from: ALICE, to: ZERO, amount: 200n });
  waits("requested", ALICE, 200n);
  script.nextBlock(); // 4: a gift makes shares worth more, not what waits
  script.move(ASSET, { from: BOB, to: VAULT, amount: 900n });
  script.nextBlock(); // 5: somebody stakes for the vault, which counts no stakes
  script.move(ASSET, { from: BOB, to: REWARD_VAULT, amount: 500n });
  script.tell("stake", { vault: REWARD_VAULT, protocol: "reward-vault", kind: "stake", account: VAULT, amount: "500" });
  script.nextBlock(); // 6: Bob burns all his shares; Alice is paid
  script.move(VAULT, { from: BOB, to: ZERO, amount: 1_000n });
  waits("requested", BOB, 1_500n);
  waits("completed", ALICE, 200n);
  script.move(ASSET, { from: VAULT, to: ALICE, amount: 200n });
  script.nextBlock(); // 7: Bob has it put back
  waits("cancelled", BOB, 1_500n);
  script.mint(VAULT, BOB, 1_000n);
  return script;
}

const open = scriptedGateway(chain);

describe.each([7, 4, 1])("what waits in a vault (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const index = { ponderSchema: `facts_queue_${finalized}`, foldSchema: `fold_queue_${finalized}`, finalized };
    await buildScripted(open.database.sql, tellQueue(), index);
    return () => dropIndex(open.database.sql, index);
  });

  it.each([
    [2, { [ALICE]: 1_000n, [BOB]: 1_000n }],
    [3, { [ALICE]: 800n + 200n, [BOB]: 1_000n }],
    [4, { [ALICE]: 1_200n + 200n, [BOB]: 1_500n }],
    [6, { [ALICE]: 1_200n, [BOB]: 1_500n }],
    [7, { [ALICE]: 1_200n, [BOB]: 1_500n }],
  ])("is its owner's one for one, and no part of the shares, at block %i", async (block, held) => {
    const { accounts } = await shownBalances(open.gateway, ASSET, block);
    for (const [account, amount] of Object.entries(held)) {
      const { balance: _, ...others } = accounts[account] ?? {};
      expect(others, account).toEqual({ external_vaults: amount });
    }
  });

  it("is no part of what anybody else holds, whatever the chain file says of a holder", async () => {
    const { accounts } = await shownBalances(open.gateway, ASSET, 4);
    expect(accounts[KEEPER]).toEqual({ balance: 10_000n });
  });

  it("does not grow by what others stake for the vault", async () => {
    const { accounts, unattributed } = await shownBalances(open.gateway, ASSET, 5);
    expect(accounts[ALICE]?.external_vaults).toBe(1_400n);
    expect(unattributed).toEqual({ [`${VAULT} stray`]: 500n });
  });
});
