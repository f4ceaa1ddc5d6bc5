// What a bault's share gained in a week in which the chain stood still at first.
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const E18 = 10n ** 18n;
const DAY = 86_400;
const [ASSET, BAULT, REWARD_VAULT] = [tokenOf(1), tokenOf(2), tokenOf(3)];
const [ALICE, FACTORY] = [accountOf(1), accountOf(90)];
/** The last block before the chain stood still for twelve days, and the newest one. */
const [STILL, HEAD] = [3, 6];

function stake(script: Script, amount: bigint): void {
  script.nextTransaction();
  script.mint(ASSET, REWARD_VAULT, amount);
  const staked = { protocol: "reward-vault", kind: "stake", account: BAULT, amount: `${amount}` };
  script.tell("stake", { vault: REWARD_VAULT, ...staked });
}

function tellBault(): Script {
  const script = new Script();
  script.nextBlock();
  script.tell("vault_created", { factory: FACTORY, vault: REWARD_VAULT, kind: "reward-vault", asset: ASSET });
  script.tell("vault_created", { factory: FACTORY, vault: BAULT, kind: "bault", asset: ASSET });
  script.mint(BAULT, ALICE, 1_000n * E18);
  stake(script, 1_000n * E18);
  while (script.nextBlock() < HEAD) if (script.block === STILL + 1) stake(script, 10n * E18);
  return script;
}

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  const index = { ponderSchema: "facts_growth", foldSchema: "fold_growth", finalized: HEAD };
  await buildScripted(database.sql, tellBault(), index);
  await database.sql`update fold_growth.block set timestamp = timestamp - ${12 * DAY} where number <= ${STILL}`;
  const place = { address: FACTORY, startBlock: 0 };
  gateway = openGateway(
    database.url,
    chainFixture({
      ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
      ...{ baults: { factory: place }, rewardVaults: { factory: place } },
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

it("the growth compares what a share is worth now with its worth a week ago, at the last block before that time", async () => {
  const { body } = await gateway.get("/baults");
  const [bault] = body.data as { totalAssets: number; totalSupply: number; apy: number }[];
  expect(bault).toMatchObject({ totalAssets: 1_010, totalSupply: 1_000 });
  expect(bault?.apy).toBeCloseTo(100 * (1.01 ** (365 / 7) - 1), 9);
});
