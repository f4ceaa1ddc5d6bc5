// What a farm of KodiakFarm.sol holds to hand out: numbers worked out by hand, below and above the last final block.
import { beforeAll, describe, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

const [FIRST, SECOND, STAKED, FARM, DIVIDEND, GIFT] = [1, 2, 3, 4, 5, 6].map(tokenOf) as [
  ...[string, string, string, string, string, string],
];
const [OWNER, ALICE, FACTORY, TRACKER] = [1, 2, 70, 71].map(accountOf) as [string, string, string, string];

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  farms: { factory: { address: FACTORY, startBlock: 0 } },
});

/** Its reward tokens, FIRST and SECOND, were given at its creation, which logs neither; `startFarm` pulls what they need. */
function tellStart(): Script {
  const script = new Script();
  for (const token of [FIRST, SECOND]) script.mint(token, OWNER, 10_000n);
  for (const token of [STAKED, GIFT]) script.mint(token, ALICE, 10_000n);
  script.mint(DIVIDEND, TRACKER, 10_000n);
  script.nextBlock(); // 2: gifts before it, in other transactions
  script.tell("vault_created", { factory: FACTORY, vault: FARM, kind: "farm", asset: null });
  script.move(STAKED, { from: ALICE, to: FARM, amount: 5n });
  script.nextBlock(); // 3
  script.move(STAKED, { from: ALICE, to: FARM, amount: 2n });
  script.nextTransaction();
  script.move(FIRST, { from: OWNER, to: FARM, amount: 3_000n });
  script.move(SECOND, { from: OWNER, to: FARM, amount: 400n });
  script.tell("other_event", { contract: FARM, event: "FarmStarted", args: {} });
  script.nextBlock(); // 4
  script.move(STAKED, { from: ALICE, to: FARM, amount: 100n });
  const staked = { vault: FARM, protocol: "farm", kind: "stake", account: ALICE, amount: "100", delegate: null };
  script.tell("stake", staked);
  script.nextBlock(); // 5: what is staked pays its holders a dividend whenever it moves
  script.move(STAKED, { from: ALICE, to: FARM, amount: 50n });
  script.move(DIVIDEND, { from: TRACKER, to: FARM, amount: 30n });
  script.tell("stake", { ...staked, amount: "50" });
  script.nextBlock(); // 6: and lets the staker send something else before the farm logs
  script.move(STAKED, { from: ALICE, to: FARM, amount: 20n });
  script.move(GIFT, { from: ALICE, to: FARM, amount: 6n });
  script.tell("stake", { ...staked, amount: "20" });
  return script;
}

const open = scriptedGateway(chain);

describe.each([6, 5, 4, 3, 1])("a farm that has paid nobody yet (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const index = { ponderSchema: `facts_start_${finalized}`, foldSchema: `fold_start_${finalized}`, finalized };
    await buildScripted(open.database.sql, tellStart(), index);
    return () => dropIndex(open.database.sql, index);
  });

  const unattributed = async (token: string, block: number) =>
    (await shownBalances(open.gateway, token, block)).unattributed;

  it("holds what it took at its start to hand it out", async () => {
    for (const block of [3, 4]) {
      expect(await unattributed(FIRST, block)).toEqual({ [`${FARM} rewards`]: 3_000n });
      expect(await unattributed(SECOND, block)).toEqual({ [`${FARM} rewards`]: 400n });
    }
  });

  it("does not count what else is sent to it as its holders' or rewards", async () => {
    expect(await unattributed(STAKED, 2)).toEqual({ [`${FARM} stray`]: 5n });
    expect(await unattributed(STAKED, 4)).toEqual({ [`${FARM} stray`]: 7n });
  });

  it("takes what the staker brought, and not what the staked token sends along", async () => {
    expect(await unattributed(DIVIDEND, 5)).toEqual({ [`${FARM} stray`]: 30n });
    const { accounts } = await shownBalances(open.gateway, STAKED, 5);
    expect(accounts).toEqual({ [ALICE]: { balance: 9_843n, [`farm ${FARM}`]: 150n } });
    expect((await shownBalances(open.gateway, DIVIDEND, 5)).accounts).toEqual({ [TRACKER]: { balance: 9_970n } });
  });

  it("takes what came as much as is staked, and not what else the staker sent meanwhile", async () => {
    const { accounts, unattributed } = await shownBalances(open.gateway, GIFT, 6);
    expect(unattributed).toEqual({ [`${FARM} stray`]: 6n });
    expect(accounts).toEqual({ [ALICE]: { balance: 9_994n } });
  });
});
