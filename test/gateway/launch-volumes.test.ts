// Launches whose base tokens are priced through pools or are launched themselves: who holds them, and what their trades were worth.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const E = 10n ** 18n;
const [USD, MIDDLE, BASE] = [tokenOf(1), tokenOf(2), tokenOf(3)];
/** Sold for BASE; sold for USD; sold for the one before, while that is still on its curve and afterwards. */
const [OF_BASE, FIRST, SECOND] = [tokenOf(11), tokenOf(12), tokenOf(13)];
const [SHALLOW, DEEP, FURTHER, GRADUATED] = [tokenOf(101), tokenOf(102), tokenOf(103), tokenOf(104)];
const [ALICE, BOB, FACTORY] = [accountOf(1), accountOf(2), accountOf(90)];
const AT = { launched: 2, traded: 3, again: 4, graduated: 6, head: 8 } as const;

const place = (address: string) => ({ address, startBlock: 0 });
const chain = chainFixture({
  chainId: SCRIPT_CHAIN_ID,
  startBlock: 0,
  v2: { factory: place(accountOf(91)), router: accountOf(92) },
  launch: { factory: place(FACTORY) },
  stables: [{ address: USD, priceUsd: "1" }],
});

interface Pair {
  address: string;
  tokens: [string, string];
  /** Whole tokens. */
  reserves: [bigint, bigint];
}

function tellPair(script: Script, { address, tokens: [token0, token1], reserves }: Pair): void {
  script.tell("v2_pair_created", { factory: FACTORY, pair: address, token0, token1, ordinal: address.slice(-3) });
  script.move(token0, { from: ALICE, to: address, amount: reserves[0] * E });
  script.move(token1, { from: ALICE, to: address, amount: reserves[1] * E });
  script.mint(address, ALICE, E);
  script.tell("v2_sync", { pair: address, reserve0: `${reserves[0] * E}`, reserve1: `${reserves[1] * E}` });
}

function tellSync(script: Script, pool: string, raised: bigint): void {
  script.tell("launch_sync", {
    pool,
    token_reserve: `${900n * E}`,
    base_reserve: `${raised}`,
    sqrt_price: `${2n * E}`,
  });
}

/** Each is its own pool, whose price is 4 base tokens. */
function tellLaunch(script: Script, token: string, base: string): void {
  script.mint(token, token, 1_000n * E);
  tellSync(script, token, 0n);
  const range = { sqrt_pa: `${2n * E}`, sqrt_pb: `${3n * E}`, vesting_period: "0", data: "0x", deployer: ALICE };
  script.tell("launch_pool", { pool: token, kind: "initialized", token, base_token: base, ...range });
}

/** Of 10 base tokens. */
function tellTrade(script: Script, pool: string, base: string): void {
  script.move(base, { from: ALICE, to: pool, amount: 10n * E });
  script.move(pool, { from: pool, to: ALICE, amount: E });
  const amounts = { token_in: "0", base_in: `${10n * E}`, token_out: `${E}`, base_out: "0" };
  script.tell("launch_swap", { pool, sender: ALICE, to: ALICE, ...amounts });
  tellSync(script, pool, 10n * E);
}

/** BASE costs 2 USD where it is traded for USD, and 5 in the deeper pools through MIDDLE. */
function tellAll(): Script {
  const script = new Script();
  for (const token of [USD, MIDDLE, BASE]) script.mint(token, ALICE, 10_000_000n * E);
  for (const pair of [
    { address: SHALLOW, tokens: [USD, BASE], reserves: [2_000n, 1_000n] },
    { address: DEEP, tokens: [USD, MIDDLE], reserves: [1_000_000n, 1_000_000n] },
    { address: FURTHER, tokens: [MIDDLE, BASE], reserves: [100_000n, 20_000n] },
  ] satisfies Pair[])
    tellPair(script, pair);
  script.nextBlock();
  tellLaunch(script, OF_BASE, BASE);
  tellLaunch(script, FIRST, USD);
  tellLaunch(script, SECOND, FIRST);
  script.mint(FIRST, ALICE, 500n * E);
  while (script.block < AT.again) {
    script.nextBlock();
    tellTrade(script, OF_BASE, BASE);
    tellTrade(script, SECOND, FIRST);
  }
  script.block = AT.graduated - 1;
  script.nextBlock();
  tellPair(script, { address: GRADUATED, tokens: [USD, FIRST], reserves: [5_000n, 100n] });
  script.tell("launch_pool", { pool: FIRST, kind: "graduated", token_amount: "0", base_amount: "0" });
  script.move(FIRST, { from: ALICE, to: BOB, amount: E });
  while (script.block < AT.head) script.nextBlock();
  return script;
}

const index = { ponderSchema: "facts_volumes", foldSchema: "fold_volumes", finalized: 5 };
let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellAll(), index);
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface Shown {
  volumeUSD: string | null;
  holdersCount: number;
}

async function launchAt(token: string, block: number, through: TestGateway = gateway): Promise<Shown> {
  const { data, errors } = await through.graphql(
    `{ launch(address: "${token}", block: {number: ${block}}) { volumeUSD holdersCount } }`,
  );
  expect(errors).toBeUndefined();
  return (data as { launch: Shown }).launch;
}

it("the gateway works a volume out again once the decimals are known of a token through which the base token is priced", async () => {
  const bytes = Buffer.from(MIDDLE.slice(2), "hex");
  const [known] = await database.sql`delete from fold_volumes.token where address = ${bytes} returning *`;
  const before = openGateway(database.url, chain);
  try {
    expect(Number((await launchAt(OF_BASE, AT.again, before)).volumeUSD)).toBeCloseTo(40);
    await database.sql`insert into fold_volumes.token ${database.sql(known as object as Record<string, string>)}`;
    await database.sql`update fold_volumes.meta set revision = revision + 1`;
    expect(Number((await launchAt(OF_BASE, AT.again, before)).volumeUSD)).toBeCloseTo(100);
  } finally {
    await before.close();
  }
});

it("the gateway values a base token that was on a curve of its own as the curve did, after its graduation as before", async () => {
  for (const block of [AT.again, AT.graduated, AT.head]) {
    const fresh = openGateway(database.url, chain);
    expect([block, (await launchAt(SECOND, block, fresh)).volumeUSD]).toEqual([block, "80"]);
    await fresh.close();
  }
});

it("the gateway goes on with the next request about the same block where one request has run out of time", async () => {
  const slow = openGateway(database.url, chain);
  const real = performance.now.bind(performance);
  let late = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    if (new Error("where").stack?.includes("launch-volume.ts")) late += 2_500;
    return real() + late;
  });
  try {
    expect((await launchAt(SECOND, AT.again, slow)).volumeUSD).toBeNull();
    expect((await launchAt(SECOND, AT.again, slow)).volumeUSD).toBe("80");
  } finally {
    clock.mockRestore();
    await slow.close();
  }
});

it("the gateway counts no launch pool among the holders of another launch's token, whichever are listed with it", async () => {
  const alone = await launchAt(FIRST, AT.again);
  expect(alone.holdersCount).toBe(1);
  const { data } = await gateway.graphql(
    `{ launches(block: {number: ${AT.again}}) { nodes { token { address } holdersCount } } }`,
  );
  const { nodes } = (data as { launches: { nodes: (Shown & { token: { address: string } })[] } }).launches;
  expect(nodes.find(({ token }) => token.address === FIRST)?.holdersCount).toBe(1);
});
