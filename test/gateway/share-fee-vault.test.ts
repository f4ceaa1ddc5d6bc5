// A listed vault that takes its fee on the way out in shares, beside its contract at every block, before and after blocks are final.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { ZERO } from "../support/reference-ledger.ts";
import { buildScripted, type Script } from "../support/scripted-index.ts";
import {
  chainFileOf,
  deposit,
  factsOf,
  give,
  redeem,
  type ShareFeeWorld,
  saidByContract,
  sendAway,
  setFee,
  startShareFeeWorld,
  together,
  transact,
  WAYS,
} from "../support/share-fee-world.ts";
import { shownBalances } from "../support/shown-balances.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let world: ShareFeeWorld;
let database: TestDatabase;
let gateway: TestGateway;
let script: Script;
let first: number;

beforeAll(async () => {
  [world, database] = await Promise.all([startShareFeeWorld(), startTestDatabase()]);
  gateway = openGateway(database.url, chainFileOf(world));
  first = (await world.chain.seal()).number;
  for (const way of WAYS) await live(way);
  script = await factsOf(world);
});
afterAll(async () => {
  await gateway?.close();
  await database?.stop();
  await world?.stop();
});

/** What a person and a contract do with their shares while the vault takes its fee in one way. */
async function live(way: (typeof WAYS)[number]): Promise<void> {
  const { chain, contract, person } = world;
  const out = (shares: bigint) => redeem(world, shares, contract);
  await transact(world, setFee(world, 100n, way), deposit(world, 1_000_000n, person));
  await together(world, deposit(world, 1_000_000n, contract), deposit(world, 1_000_000n, contract));
  await chain.seal();
  await transact(world, redeem(world, 12_345n, person), give(world, 7_777n), redeem(world, 100n, person));
  await chain.seal();
  await transact(world, sendAway(world, 12_221n), redeem(world, 12_345n, person));
  await together(world, out(54_321n), out(54_321n), out(101n));
  await chain.seal();
  // shares sent away before, between and after those that are redeemed, in one transaction
  await together(world, sendAway(world, 77n), out(12_345n), sendAway(world, 78n), out(54_321n), sendAway(world, 79n));
  await chain.seal();
  // as many sent away as are burnt, and as the fee
  await together(
    world,
    sendAway(world, 9_900n),
    out(10_000n),
    sendAway(world, 100n),
    out(10_000n),
    sendAway(world, 9_900n),
  );
  await together(world, redeem(world, 10_000n, person), sendAway(world, 5n), out(20_000n));
  await chain.seal();
  // so few that no fee is taken, and as many sent away
  await together(world, sendAway(world, 50n), out(50n), out(51n), sendAway(world, 51n), out(200n));
  await transact(world, setFee(world, 0n, way), redeem(world, 500n, person), sendAway(world, 500n));
  await chain.seal();
}

describe.each([
  ["no block", () => first],
  ["every block of the first half", () => (first + script.block) >> 1],
  ["every block", () => script.block],
])("a vault that takes its fee in shares, where %s is final,", (_, finalized) => {
  beforeAll(async () => {
    const schema = `share_fee_${finalized()}`;
    const index = { ponderSchema: `facts_${schema}`, foldSchema: `fold_${schema}`, finalized: finalized() };
    await buildScripted(database.sql, script, { ...index, chain: chainFileOf(world) });
    return () => dropIndex(database.sql, index);
  });

  it("has the supply, the holders and the shares at the zero address that its contract has", async () => {
    for (let block = first + 1; block <= script.block; block++) {
      const { supply, atZero, shares } = await saidByContract(world, block);
      const { accounts, unattributed } = await shownBalances(gateway, world.vault, block);
      const balances = Object.entries(accounts).map(([account, { balance = 0n }]) => [account, balance]);
      expect({ block, ...Object.fromEntries(balances) }).toEqual({ block, ...shares });
      expect({ block, unattributed }).toEqual({
        block,
        unattributed: atZero > 0n ? { [`${ZERO} zero-address`]: atZero } : {},
      });
      expect(balances.reduce((sum, [, amount]) => sum + BigInt(amount ?? 0), atZero)).toBe(supply);
    }
  });

  it("gives each holder what its contract says the shares are worth", async () => {
    for (let block = first + 1; block <= script.block; block++) {
      const { worth } = await saidByContract(world, block);
      const { accounts } = await shownBalances(gateway, world.asset, block);
      const inVault = Object.entries(accounts).flatMap(([account, { external_vaults: amount }]) =>
        amount === undefined ? [] : [[account, amount]],
      );
      expect({ block, ...Object.fromEntries(inVault) }).toEqual({ block, ...worth });
    }
  });
});
