// Shares of a pair, of an island, of a bault and of a listed vault, and a weth9, that are sent to the zero address: numbers worked
// out by hand, below and above the last final block.
import { beforeAll, describe, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

const [A, B, PAIR, ISLAND, PLAIN, WETH, BAULT, LISTED] = [1, 2, 3, 4, 5, 6, 7, 8].map(tokenOf) as [
  ...[string, string, string, string, string, string, string, string],
];
const [DEV, BOB, FACTORY, ROUTER] = [1, 2, 70, 71].map(accountOf) as [string, string, string, string];
const place = { address: FACTORY, startBlock: 0 };

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  v2: { factory: place, router: ROUTER },
  baults: { factory: place },
  externalVaults: [{ address: LISTED, kind: "erc4626", asset: A, startBlock: 0 }],
  otherWrapped: [{ address: WETH, symbol: "WETH", flavour: "weth9" }],
});

const withdrawn = { vault: BAULT, kind: "withdraw", sender: DEV, receiver: DEV, owner: DEV, assets: "1" };

function tellShares(): Script {
  const script = new Script();
  for (const token of [A, B]) script.mint(token, DEV, 1_000_000n);
  script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0: A, token1: B, ordinal: 1 });
  const places = { factory: FACTORY, island: ISLAND, pool: accountOf(80), implementation: FACTORY, manager: DEV };
  script.tell("island_created", places);
  script.tell("vault_created", { factory: FACTORY, vault: BAULT, kind: "bault", asset: A });
  script.nextBlock(); // 2: the first thousand shares are the zero address's
  for (const token of [A, B]) script.move(token, { from: DEV, to: PAIR, amount: 100_000n });
  for (const share of [PAIR, ISLAND, BAULT, LISTED, PLAIN]) {
    script.mint(share, ZERO, 1_000n);
    script.mint(share, DEV, 90_000n);
    script.mint(share, BOB, 9_000n);
  }
  script.tell("weth9_deposit", { token: WETH, account: DEV, amount: "90000" });
  script.tell("weth9_deposit", { token: WETH, account: BOB, amount: "10000" });
  script.nextBlock(); // 3: sent away, a transaction each
  for (const token of [PAIR, ISLAND, BAULT, LISTED, PLAIN, WETH]) {
    script.nextTransaction();
    script.move(token, { from: DEV, to: ZERO, amount: 50_000n });
  }
  script.nextBlock(); // 4: burnt, by way of the pair and with the island's and the bault's own logs
  script.move(PAIR, { from: DEV, to: PAIR, amount: 30_000n });
  script.move(PAIR, { from: PAIR, to: ZERO, amount: 30_000n });
  for (const token of [A, B]) script.move(token, { from: PAIR, to: DEV, amount: 30_000n });
  script.nextTransaction();
  script.move(ISLAND, { from: DEV, to: ZERO, amount: 7n });
  script.move(ISLAND, { from: DEV, to: ZERO, amount: 30_000n });
  const burnt = { island: ISLAND, kind: "burn", receiver: DEV, shares: "30000", amount0: "0", amount1: "0" };
  script.tell("island_flow", { ...burnt, liquidity: "0" });
  script.nextTransaction();
  script.move(BAULT, { from: DEV, to: ZERO, amount: 30_000n });
  script.tell("vault_flow", { ...withdrawn, shares: "30000" });
  script.nextTransaction();
  script.move(LISTED, { from: DEV, to: ZERO, amount: 20_000n });
  script.tell("vault_flow", { ...withdrawn, vault: LISTED, shares: "20000" });
  script.move(LISTED, { from: DEV, to: LISTED, amount: 10_000n });
  script.move(LISTED, { from: LISTED, to: ZERO, amount: 10_000n });
  script.tell("weth9_withdrawal", { token: WETH, account: DEV, amount: "30000" });
  script.nextBlock(); // 5: as many shares sent away as are burnt next, twice, all in one transaction
  for (const receiver of [DEV, BOB]) {
    script.move(ISLAND, { from: DEV, to: ZERO, amount: 500n });
    script.move(ISLAND, { from: receiver, to: ZERO, amount: 500n });
    script.tell("island_flow", { ...burnt, receiver, shares: "500", liquidity: "0" });
    script.move(BAULT, { from: DEV, to: ZERO, amount: 500n });
    script.move(BAULT, { from: receiver, to: ZERO, amount: 500n });
    script.tell("vault_flow", { ...withdrawn, owner: receiver, shares: "500" });
  }
  script.nextBlock(); // 6: as many shares redeemed while others are being redeemed, by a hook of what is paid
  script.move(BAULT, { from: DEV, to: ZERO, amount: 200n });
  script.move(BAULT, { from: BOB, to: ZERO, amount: 200n });
  script.tell("vault_flow", { ...withdrawn, owner: BOB, shares: "200" });
  script.tell("vault_flow", { ...withdrawn, shares: "200" });
  script.nextBlock(); // 7: shares redeemed from a vault that takes its fee in shares, and from one that takes none; others are sent away
  for (const [owner, sent] of [
    [DEV, 900n],
    [BOB, 450n],
  ] as const) {
    script.move(LISTED, { from: owner, to: ZERO, amount: 15n });
    script.move(LISTED, { from: owner, to: ROUTER, amount: sent / 9n });
    script.move(LISTED, { from: owner, to: ZERO, amount: sent });
    script.tell("vault_flow", { ...withdrawn, vault: LISTED, owner, shares: String((sent * 10n) / 9n) });
  }
  script.nextTransaction();
  script.move(LISTED, { from: DEV, to: ZERO, amount: 40n });
  script.move(LISTED, { from: DEV, to: ZERO, amount: 300n });
  script.move(LISTED, { from: DEV, to: ZERO, amount: 60n });
  script.tell("vault_flow", { ...withdrawn, vault: LISTED, shares: "300" });
  return script;
}

const open = scriptedGateway(chain);

describe.each([7, 6, 5, 4, 3, 2, 1])("shares sent to the zero address (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const index = { ponderSchema: `facts_zero_${finalized}`, foldSchema: `fold_zero_${finalized}`, finalized, chain };
    await buildScripted(open.database.sql, tellShares(), index);
    return () => dropIndex(open.database.sql, index);
  });

  const supplyOf = async (token: string, block: number): Promise<unknown> => {
    const query = `query ($token: Address!) { balances(token: $token, block: {number: ${block}}) { token { totalSupply } } }`;
    const { data } = await open.gateway.graphql(query, { token });
    return (data as { balances: { token: { totalSupply: string } } }).balances.token.totalSupply;
  };

  it.each([
    [PAIR, ["100000", "100000", "70000"]],
    [ISLAND, ["100000", "100000", "70000"]],
    [BAULT, ["100000", "100000", "70000"]],
    [LISTED, ["100000", "100000", "70000"]],
    [PLAIN, ["100000", "50000", "50000"]],
    [WETH, ["100000", "100000", "70000"]],
  ])("stay in the supply of %s where they are not burnt", async (token, supplies) => {
    expect([await supplyOf(token, 2), await supplyOf(token, 3), await supplyOf(token, 4)]).toEqual(supplies);
  });

  it("are the zero address's where nothing else burns", async () => {
    for (const [block, ofDev] of [
      [3, 40_000n],
      [4, 10_000n],
    ] as const) {
      const { accounts, unattributed } = await shownBalances(open.gateway, WETH, block);
      expect(accounts).toEqual({ [DEV]: { balance: ofDev }, [BOB]: { balance: 10_000n } });
      expect(unattributed).toEqual({ [`${ZERO} zero-address`]: 50_000n });
    }
  });

  it.each([
    [ISLAND, 7n],
    [BAULT, 0n],
  ])("stay in the supply of %s, which burns as many in the same transaction", async (share, sentBefore) => {
    expect([await supplyOf(share, 4), await supplyOf(share, 5)]).toEqual(["70000", "69000"]);
    const { accounts, unattributed } = await shownBalances(open.gateway, share, 5);
    expect(unattributed).toEqual({ [`${ZERO} zero-address`]: 52_000n + sentBefore });
    expect(accounts).toEqual({ [DEV]: { balance: 8_500n - sentBefore }, [BOB]: { balance: 8_500n } });
  });

  it("stay in the supply of a bault where a redemption has come between another one's transfer and its log", async () => {
    expect([await supplyOf(BAULT, 5), await supplyOf(BAULT, 6)]).toEqual(["69000", "68600"]);
    const { accounts, unattributed } = await shownBalances(open.gateway, BAULT, 6);
    expect(unattributed).toEqual({ [`${ZERO} zero-address`]: 52_000n });
    expect(accounts).toEqual({ [DEV]: { balance: 8_300n }, [BOB]: { balance: 8_300n } });
  });

  it("stay in the supply of a listed vault that burns what is left of redeemed shares once its fee is paid in shares", async () => {
    expect([await supplyOf(LISTED, 6), await supplyOf(LISTED, 7)]).toEqual(["70000", "68350"]);
    const { accounts, unattributed } = await shownBalances(open.gateway, LISTED, 7);
    expect(unattributed).toEqual({ [`${ZERO} zero-address`]: 51_130n });
    expect(accounts).toEqual({
      [DEV]: { balance: 8_585n },
      [BOB]: { balance: 8_485n },
      [ROUTER]: { balance: 150n },
    });
  });

  it("take their part of the pool with them, and leave everybody else theirs", async () => {
    for (const [block, locked, ofBob] of [
      [2, 1_000n, 9_000n],
      [3, 51_000n, 9_000n],
      [4, 51_000n, 9_000n],
    ] as const) {
      const { accounts, unattributed } = await shownBalances(open.gateway, A, block);
      expect(accounts[BOB], String(block)).toEqual({ [`v2-pool ${PAIR}`]: ofBob });
      expect(unattributed, String(block)).toEqual({ [`${ZERO} zero-address`]: locked });
    }
  });
});

// Comparing each redemption with all pairs of others takes longer than a test may.
describe("a transaction that redeems as many shares of a listed vault for each of 900 accounts", () => {
  it("is folded, and leaves the zero address what others sent it meanwhile", async () => {
    const owners = Array.from({ length: 900 }, (_, i) => accountOf(1_000 + i));
    const script = new Script();
    for (const owner of owners) script.mint(LISTED, owner, 1_000n);
    script.nextBlock(); // 2
    for (const [i, owner] of owners.entries()) {
      script.move(LISTED, { from: owner, to: ZERO, amount: 100n });
      script.tell("vault_flow", { ...withdrawn, vault: LISTED, owner, shares: "100" });
      if (i % 300 === 0) script.move(LISTED, { from: owner, to: ZERO, amount: 100n });
    }
    const names = { ponderSchema: "facts_many", foldSchema: "fold_many" };
    await buildScripted(open.database.sql, script, { ...names, finalized: 1, chain });
    const { accounts, unattributed } = await shownBalances(open.gateway, LISTED, 2);
    expect(unattributed).toEqual({ [`${ZERO} zero-address`]: 300n });
    const balances = owners.map((owner) => accounts[owner]?.balance);
    expect(balances).toEqual(owners.map((_, i) => (i % 300 === 0 ? 800n : 900n)));
  });
});
