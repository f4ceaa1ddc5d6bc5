// A reward vault that the chain file lists as `staking` is one that its factory announces, whichever source wrote its stakes.
import { beforeAll, describe, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

const [ASSET, VAULT] = [1, 2].map(tokenOf) as [string, string];
const [ALICE, BOB, FACTORY] = [1, 2, 70].map(accountOf) as [string, string, string];
const place = (address: string) => ({ address, startBlock: 0 });

const open = scriptedGateway(
  chainFixture({
    ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
    rewardVaults: { factory: place(FACTORY) },
    externalVaults: [{ ...place(VAULT), kind: "staking", asset: ASSET }],
  }),
);

describe.each(["reward-vault", "vault"])("a vault listed and announced, with stakes of source %s", (protocol) => {
  beforeAll(async () => {
    const script = new Script();
    for (const account of [ALICE, BOB]) script.mint(ASSET, account, 1_000n);
    script.tell("vault_created", { factory: FACTORY, vault: VAULT, kind: "reward-vault", asset: ASSET });
    script.nextBlock();
    script.move(ASSET, { from: ALICE, to: VAULT, amount: 100n });
    script.tell("stake", { vault: VAULT, protocol, kind: "stake", delegate: null, account: ALICE, amount: "100" });
    script.nextTransaction();
    script.move(ASSET, { from: BOB, to: VAULT, amount: 5n });
    script.nextBlock();
    const name = protocol.replace("-", "_");
    const index = { ponderSchema: `facts_listed_${name}`, foldSchema: `fold_listed_${name}`, finalized: 1 };
    await buildScripted(open.database.sql, script, index);
    return () => dropIndex(open.database.sql, index);
  });

  it("gives its stakers what they staked under the kind that was announced, and nobody the rest", async () => {
    const { accounts, unattributed } = await shownBalances(open.gateway, ASSET, 2);
    expect(accounts).toEqual({
      [ALICE]: { balance: 900n, [`reward_vault ${VAULT}`]: 100n },
      [BOB]: { balance: 995n },
    });
    expect(unattributed).toEqual({ [`${VAULT} stray`]: 5n });
  });
});
