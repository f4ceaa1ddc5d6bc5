// An island that is not read from the chain yet waits alone: its part is unknown, everything else is exact; and once it
// is read, everything is as if it had been read at once.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import {
  ALICE,
  BOB,
  CAROL,
  CREATED,
  ISLAND,
  islandChain,
  islandScript,
  islandSettings,
  OTHER,
  POOL,
  RENOUNCED,
  type ReadSettings,
  storeSettings,
  TOKEN0,
  TOKEN1,
} from "../support/island-script.ts";
import { expectNamed } from "../support/named-incomplete.ts";
import { buildScripted, catchUpScripted, SCRIPT_CHAIN_ID } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** Where its first fees are collected; the manager's part of them shows the fee. */
const EARNED = 7;
const INDEX = { ponderSchema: "facts_wait", foldSchema: "fold_wait", finalized: 8, chain: islandChain };
const HEAD = 20;
const BLOCKS = Array.from({ length: HEAD }, (_, i) => i + 1);

let database: TestDatabase;
let gateway: TestGateway;

/** At every block, when everything could be read at once. */
let whole: Awaited<ReturnType<typeof answersEverywhere>>;

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, islandChain);
  await build();
  whole = await answersEverywhere();
  await dropIndex(database.sql, INDEX);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});
afterEach(() => dropIndex(database.sql, INDEX));

const isRefused = (refused: readonly number[]) => (one: ReadSettings) =>
  one.island === ISLAND && refused.includes(one.block);

/** The node refuses to answer for the island at blocks `refused`. */
async function build(...refused: number[]): Promise<void> {
  const prepare = () =>
    storeSettings(database.sql, INDEX.foldSchema, {
      settings: islandSettings.filter((one) => !isRefused(refused)(one)),
      refused: islandSettings.filter(isRefused(refused)),
    });
  await buildScripted(database.sql, islandScript(), { ...INDEX, prepare });
}

/** The node answers for it at `block`. */
async function answer(block: number): Promise<void> {
  const settings = islandSettings.filter((one) => one.island === ISLAND && one.block === block);
  await storeSettings(database.sql, INDEX.foldSchema, { settings });
  await catchUpScripted(database.sql, INDEX);
}

interface Balances {
  incomplete: string[];
  token: { totalSupply: string };
  unattributed: { contract: string; reason: string; amount: string }[];
  nodes: { account: string; total: string; sources: { source: string; contract: string; value: string }[] }[];
}

async function balancesAt(token: string, block: number): Promise<Balances> {
  const { data, errors } = await gateway.graphql(
    `{ balances(token: "${token}", block: {number: ${block}}, first: 100) { incomplete token { totalSupply }
        unattributed { contract reason amount path } nodes { account total sources { source contract value positionId } } } }`,
  );
  expect(errors).toBeUndefined();
  const balances = (data as { balances: Balances }).balances;
  const amounts = [...balances.nodes.map(({ total }) => total), ...balances.unattributed.map(({ amount }) => amount)];
  expect(amounts.reduce((sum, one) => sum + BigInt(one), 0n)).toBe(BigInt(balances.token.totalSupply));
  return balances;
}

interface Vault {
  id: string;
  tvl: number | null;
  apr: number | null;
  amount0: number | null;
  unpriced: string[];
  incomplete: string | null;
  tokenLp: { price: number | null };
}

const vaultAt = async (island: string, block: number) =>
  (await gateway.get(`/vaults/${island}?blockNumber=${block}`)).body as unknown as Vault;

/** Everything that islands have a part in, at one block. */
async function answersAt(block: number) {
  const account = async (address: string) => {
    const { data, errors } = await gateway.graphql(`{ account(address: "${address}", block: {number: ${block}}) {
      balances { incomplete nodes { token { address } total sources { source contract value } } } } }`);
    expect(errors).toBeUndefined();
    return (data as { account: { balances: Pick<Balances, "incomplete" | "nodes"> } }).account.balances;
  };
  const rest = async (path: string) => (await gateway.get(path)).text;
  return {
    balances: [await balancesAt(TOKEN0, block), await balancesAt(TOKEN1, block), await balancesAt(ISLAND, block)],
    rest: [
      await rest(`/balances/${TOKEN0}?blockNumber=${block}`),
      await rest(`/balances/${TOKEN1}?blockNumber=${block}`),
    ],
    accounts: [await account(ALICE), await account(BOB)],
    vaults: block < CREATED ? [] : [await vaultAt(ISLAND, block), await vaultAt(OTHER, block)],
    prices: await rest(`/tokens?blockNumber=${block}`),
  };
}

/** Every answer about the block names what `/balances` does. */
const expectAllToName = async (block: number) =>
  expectNamed(
    gateway,
    { token: TOKEN0, block, chainId: SCRIPT_CHAIN_ID, users: [CAROL, ISLAND] },
    (await balancesAt(TOKEN0, block)).incomplete,
  );

async function answersEverywhere() {
  const all = [];
  for (const block of BLOCKS) all.push({ block, ...(await answersAt(block)) });
  return all;
}

const bySource = ({ nodes }: Balances, account: string, contract: string): bigint =>
  (nodes.find((one) => one.account === account)?.sources ?? [])
    .filter((one) => one.contract === contract)
    .reduce((sum, { value }) => sum + BigInt(value), 0n);
const lostBy = ({ unattributed }: Balances, contract: string, reason: string): bigint =>
  unattributed
    .filter((one) => one.contract === contract && one.reason === reason)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);

interface Withheld {
  token: string;
  reason: "waiting" | "undetermined";
}

/** Nobody has anything through the island; what it has is unattributed, and all other parts are the same. */
function expectWithheld(before: Balances, after: Balances, { token, reason }: Withheld): bigint {
  const holders = [ALICE, BOB, CAROL];
  for (const account of holders) {
    expect(bySource(after, account, ISLAND)).toBe(0n);
    for (const contract of [OTHER, token])
      expect(bySource(after, account, contract)).toBe(bySource(before, account, contract));
  }
  const parts = holders.reduce((sum, account) => sum + bySource(before, account, ISLAND), 0n);
  const others = ["manager_fee", "rounding", "stray"].reduce((sum, one) => sum + lostBy(before, ISLAND, one), 0n);
  // what divisions left over among the holders is left over no more
  const rounded = lostBy(before, POOL, "rounding") - lostBy(after, POOL, "rounding");
  expect(lostBy(after, ISLAND, reason)).toBe(parts + others + rounded);
  expect(after.incomplete).toEqual(parts > 0n ? [ISLAND] : []);
  return parts;
}

type Answers = Awaited<ReturnType<typeof answersAt>>;

function expectUnsaid(before: Answers, now: Answers, reason: Withheld["reason"]): bigint {
  expect(now.vaults[1]).toEqual(before.vaults[1]);
  expect(now.vaults[0]).toMatchObject({
    ...{ tvl: null, apr: null, amount0: null, unpriced: [ISLAND], incomplete: reason },
    tokenLp: { price: null },
  });
  const isHeld = BigInt(before.balances[2]?.token.totalSupply ?? 0) > 0n;
  expect(now.accounts.map(({ incomplete }) => incomplete)).toEqual(isHeld ? [[ISLAND], [ISLAND]] : [[], []]);
  return [TOKEN0, TOKEN1].reduce(
    (sum, token, side) => sum + expectWithheld(before.balances[side]!, now.balances[side]!, { token, reason }),
    0n,
  );
}

describe.each([
  ["since it was created", CREATED],
  ["since its manager renounced", RENOUNCED],
])("an island that waits %s", (_, since) => {
  /** At every block, while it waits and once it was read. */
  let [waiting, read]: (typeof whole)[] = [];

  beforeAll(async () => {
    await build(since);
    waiting = await answersEverywhere();
    await answer(since);
    read = await answersEverywhere();
    await dropIndex(database.sql, INDEX);
  });

  it("has its part unattributed by name from there on, and nothing else changes", () => {
    let withheld = 0n;
    for (const [i, { block, ...before }] of whole.entries()) {
      const now = waiting![i]!;
      if (block < since) expect(now).toEqual({ block, ...before });
      else withheld += expectUnsaid(before, now, "waiting");
    }
    expect(withheld).toBeGreaterThan(0n);
  });

  it("says after it was read what it would have said at once, at every block", () => {
    expect(waiting).not.toEqual(whole);
    expect(read).toEqual(whole);
  });

  it("is named by every kind of answer", async () => {
    await build(since);
    expect((await balancesAt(TOKEN0, HEAD)).incomplete).toEqual([ISLAND]);
    for (const block of [CREATED, EARNED, RENOUNCED, HEAD]) await expectAllToName(block);
  });

  it("shows in the status and the metrics until it is read", async () => {
    await build(since);
    const { body } = await gateway.get("/status");
    expect(body).toMatchObject({
      ...{ lastSyncedBlock: HEAD, state: "ready", waitingContractsCount: 1 },
      waiting: [
        {
          ...{ step: "island", address: ISLAND, block: since },
          reason: "range, fee and treasury are not read yet: missing trie node",
        },
      ],
    });
    const { text } = await gateway.get("/metrics");
    expect(text).toContain('tidemark_waiting_contracts{chain="fixture"} 1');
    expect(text).toContain('tidemark_waiting_steps{chain="fixture"} 0');
    await answer(since);
    expect((await gateway.get("/status")).body).toMatchObject({ waiting: [], waitingContractsCount: 0 });
  });
});

describe("an island whose fee and range are unknown at first", () => {
  it("has its part unattributed by name until fees that were earned show them, and not a block longer", async () => {
    const settings = islandSettings.filter((one) => !isRefused([CREATED])(one));
    const open = islandSettings.filter(isRefused([CREATED])).map((one) => ({ ...one, managerFeeBps: undefined }));
    const prepare = () => storeSettings(database.sql, INDEX.foldSchema, { settings: [...settings, ...open] });
    await buildScripted(database.sql, islandScript(), { ...INDEX, prepare });
    for (const { block, ...before } of whole) {
      const now = await answersAt(block);
      if (block >= CREATED && block < EARNED) expectUnsaid(before, now, "undetermined");
      else expect({ block, ...now }).toEqual({ block, ...before });
      await expectAllToName(block);
    }
    const { body } = await gateway.get("/status");
    expect(body).toMatchObject({ waitingContractsCount: 1, waiting: [{ address: ISLAND, block: CREATED }] });
  });
});

describe("an answer about a final block that a contract is missing in", () => {
  it("is not for ever, and has another tag once the contract is read", async () => {
    await build(CREATED);
    const path = `/balances/${TOKEN0}/holders-count?blockNumber=7`;
    const ask = async (at: string) => {
      const { headers } = await gateway.get(at);
      return { tag: headers.get("etag"), control: headers.get("cache-control") };
    };
    const waiting = await ask(path);
    expect(waiting.control).toBe("no-cache");
    expect((await ask(`/balances/${TOKEN0}/holders-count?blockNumber=2`)).control).toContain("immutable");
    await answer(CREATED);
    const whole = await ask(path);
    expect(whole.control).toContain("immutable");
    expect(whole.tag).not.toBe(waiting.tag);
  });
});

describe("an island that waits twice", () => {
  it("catches up to the second block first, and from there when that is read too", async () => {
    await build(CREATED, RENOUNCED);
    expect((await vaultAt(ISLAND, 10)).incomplete).toBe("waiting");
    await answer(CREATED);
    expect((await vaultAt(ISLAND, 10)).incomplete).toBeNull();
    expect((await vaultAt(ISLAND, RENOUNCED)).incomplete).toBe("waiting");
    await answer(RENOUNCED);
    expect(await answersEverywhere()).toEqual(whole);
  });
});
