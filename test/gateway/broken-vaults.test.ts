// Pools of which the ledger of their own shares, of a bault's, or of the stakes in a reward vault is impossible from block 4 on, with the
// break above the last final block, and below it: what depends on that ledger is not known and named, never 0 or what it was before.
import { pino } from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";

const E18 = 10n ** 18n;
const [HONEY, TOKEN, EMITTED] = [11, 12, 13].map(tokenOf) as [string, string, string];
const [ALICE, BOB, CAROL, FACTORY, CHEF] = [1, 2, 3, 70, 71].map(accountOf) as [
  ...[string, string, string, string, string],
];

/** A pair with a reward vault over it, a bault that stakes there, and a reward vault over the bault. */
const family = (n: number) => {
  const [pair, vault, bault, baultVault] = [n, n + 1, n + 2, n + 3].map(tokenOf) as [string, string, string, string];
  return { pair, vault, bault, baultVault };
};
/** Of one the pair's shares break, of one the bault's, of one the stakes in the pair's reward vault, of one nothing. */
const [SHARES, BAULT, STAKES, SOUND] = [family(101), family(111), family(121), family(131)];
/** The stakes that break are those of an Infrared vault over a bault. */
const [ABOVE, INFRARED] = [family(141), tokenOf(145)];
const AT = { sound: 3, broken: 4, head: 6 } as const;

const place = (address: string) => ({ address, startBlock: 0 });
const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  stables: [
    { address: HONEY, priceUsd: "1" },
    { address: TOKEN, priceUsd: "2" },
    { address: EMITTED, priceUsd: "3" },
  ],
  v2: { factory: place(FACTORY), router: FACTORY },
  rewardVaults: { factory: place(FACTORY), distributor: place(FACTORY), beraChef: place(CHEF), rewardToken: EMITTED },
  baults: { factory: place(FACTORY) },
  infrared: { core: place(FACTORY) },
});

function stake(script: Script, vault: string, by: { token: string; account: string; amount: bigint }): void {
  script.nextTransaction();
  script.move(by.token, { from: by.account, to: vault, amount: by.amount });
  const { account, amount } = by;
  script.tell("stake", {
    ...{ vault, protocol: "reward-vault", kind: "stake", account, delegate: null, amount: `${amount}` },
  });
}

/** 20,000 USD behind 1,000 shares: 200 are staked by an account, 50 by the bault, of whose 40 shares 10 are staked. */
function tellFamily(script: Script, { pair, vault, bault, baultVault }: ReturnType<typeof family>): void {
  script.nextTransaction();
  script.tell("v2_pair_created", { factory: FACTORY, pair, token0: HONEY, token1: TOKEN, ordinal: 1 });
  const announced = { factory: FACTORY, kind: "reward-vault" };
  script.tell("vault_created", { ...announced, vault, asset: pair });
  script.tell("vault_created", { factory: FACTORY, vault: bault, kind: "bault", asset: pair });
  script.tell("vault_created", { ...announced, vault: baultVault, asset: bault });
  script.mint(HONEY, pair, 10_000n * E18);
  script.mint(TOKEN, pair, 5_000n * E18);
  script.mint(pair, ALICE, 950n * E18);
  script.mint(pair, bault, 50n * E18);
  script.mint(bault, BOB, 40n * E18);
  script.tell("v2_sync", { pair, reserve0: `${10_000n * E18}`, reserve1: `${5_000n * E18}` });
  stake(script, vault, { token: pair, account: ALICE, amount: 200n * E18 });
  stake(script, vault, { token: pair, account: bault, amount: 50n * E18 });
  stake(script, baultVault, { token: bault, account: BOB, amount: 10n * E18 });
}

function tellWorld(): Script {
  const script = new Script();
  script.nextBlock(); // 2
  for (const one of [SHARES, BAULT, STAKES, SOUND, ABOVE]) tellFamily(script, one);
  script.tell("vault_created", { factory: FACTORY, vault: INFRARED, kind: "infrared", asset: ABOVE.bault });
  script.nextBlock(); // 3
  script.nextBlock(); // 4: what nobody had goes
  script.nextTransaction();
  for (const token of [SHARES.pair, BAULT.bault]) script.move(token, { from: CAROL, to: BOB, amount: 1n });
  for (const [vault, protocol] of [
    [STAKES.vault, "reward-vault"],
    [INFRARED, "infrared"],
  ] as const)
    script.tell("stake", { vault, protocol, kind: "withdraw", account: CAROL, delegate: null, amount: "1" });
  while (script.block < AT.head) script.nextBlock();
  return script;
}

const open = scriptedGateway(chain);

async function get<T = Record<string, unknown>>(path: string): Promise<T> {
  const { status, text } = await open.gateway.get(path);
  expect(status, text).toBe(200);
  return JSON.parse(text) as T;
}

async function pageOf(path: string): Promise<string> {
  const app = createApp(open.gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(`/explore/${chain.name}${path}`, { headers: { accept: "text/html" } });
  expect(answer.status).toBe(200);
  return answer.text();
}

const vaultAt = (id: string, block: number, more = "") => get(`/vaults/${id}?blockNumber=${block}${more}`);

async function hasOf(pair: string, block: number, user: string) {
  const { balances, ...record } = await vaultAt(pair, block, `&user=${user}`);
  return { balances, usd: [record.balanceUSD, record.vaultBalanceUSD, record.farmBalanceUSD] };
}
/** Shares of 20 USD. */
const has = (balance: number | null, vaultBalance: number | null, farmBalance: number | null) => ({
  balances: { balance, vaultBalance, farmBalance },
  usd: [balance, vaultBalance, farmBalance].map((shares) => (shares === null ? null : shares * 20)),
});

/** What each has of a sound pair, and where stakes over it are impossible. */
const HAVE = [
  [ALICE, has(950, 750, 200), has(null, 750, null)],
  [BOB, has(50, 0, 50), has(null, 0, null)],
  [CAROL, has(0, 0, 0), has(null, 0, null)],
] as const;

interface ViewOfVault {
  totalSupply: string | null;
  baults: { totalAssets: string | null; totalSupply: string | null; tvl: number | null }[];
  farms: { address: string; staked: string | null; tvl: number | null; apr: number | null }[];
}
async function viewAt(id: string, block: number): Promise<ViewOfVault> {
  const { vault } = await open.gateway.data<{ vault: ViewOfVault }>(
    `{ vault(id: "${id}", block: {number: ${block}}) { totalSupply baults { totalAssets totalSupply tvl }
         farms { address staked tvl apr } } }`,
  );
  return vault;
}

async function baultAt(bault: string, block: number) {
  const { data } = await get<{ data: { id: string }[] }>(`/baults?blockNumber=${block}`);
  return data.find(({ id }) => id === bault);
}

const raw = (whole: bigint) => `${whole * E18}`;
/** The family's numbers where nothing of it is broken. */
const KNOWN = {
  ...{
    tvl: 20_000,
    farmTvl: 5_000,
    apr: 0,
    farmApr: 0,
    totalApr: 0,
    unpriced: [],
    unread: [],
    stopped: [],
    incomplete: null,
  },
  tokenLp: { price: 20, totalSupply: 1_000 },
  baults: [{ price: 25, totalAssets: 50, totalSupply: 40 }],
};

describe.each([1, AT.head])("pools with a broken ledger (final up to %i)", (finalized) => {
  const blocks = [AT.sound, AT.broken, AT.head];
  const unknown = blocks.filter((block) => Math.max(block, finalized) >= AT.broken);
  const known = blocks.filter((block) => !unknown.includes(block));

  beforeAll(async () => {
    const names = { ponderSchema: `facts_pools_${finalized}`, foldSchema: `fold_pools_${finalized}` };
    await buildScripted(open.database.sql, tellWorld(), { ...names, finalized, chain });
  });

  it("have all their numbers before the break, and all else has them after it", async () => {
    for (const block of known)
      for (const { pair } of [SHARES, BAULT, STAKES, ABOVE]) expect(await vaultAt(pair, block)).toMatchObject(KNOWN);
    for (const block of blocks) expect(await vaultAt(SOUND.pair, block)).toMatchObject(KNOWN);
  });

  it("have no supply where it is that of their shares, and nothing staked has a worth", async () => {
    for (const block of unknown) {
      expect(await vaultAt(SHARES.pair, block)).toMatchObject({
        ...{ tvl: 20_000, amount0: 10_000, amount1: 5_000, farmTvl: null, farmApr: null, totalApr: null },
        ...{ unpriced: [SHARES.pair], tokenLp: { price: null, totalSupply: null } },
        farm: { tvl: null, apr: null },
      });
      const { totalSupply, farms } = await viewAt(SHARES.pair, block);
      expect(totalSupply).toBeNull();
      expect(farms).toContainEqual({ address: SHARES.vault, staked: raw(250n), tvl: null, apr: null });
    }
  });

  it("refuse what their shares were, as everything about the share is refused", async () => {
    const historyTo = (block: number) =>
      open.gateway.get(`/shares/${SHARES.pair}/history?fromBlock=${AT.sound}&toBlock=${block}`);
    for (const block of unknown) {
      const { status, body } = await historyTo(block);
      expect({ block, status, body }).toMatchObject({ status: 409, body: { error: { code: "TOKEN_NOT_STANDARD" } } });
    }
    for (const block of known) {
      const { status, body } = await historyTo(block);
      expect({ block, status, body }).toMatchObject({ status: 200, body: { results: [{ supply: raw(1_000n) }] } });
    }
  });

  it("have baults without a supply where it is that of their shares, and nothing staked of these has a worth", async () => {
    for (const block of unknown) {
      expect(await baultAt(BAULT.bault, block)).toMatchObject({
        ...{ price: null, totalSupply: null, totalAssets: 50, tvl: 1_000 },
      });
      expect(await vaultAt(BAULT.pair, block)).toMatchObject({
        ...{ farmTvl: 5_000, farmApr: null, unpriced: [BAULT.bault], tokenLp: { totalSupply: 1_000 } },
      });
      const { baults, farms } = await viewAt(BAULT.pair, block);
      expect(baults).toEqual([{ totalAssets: raw(50n), totalSupply: null, tvl: 1_000 }]);
      expect(farms).toContainEqual({ address: BAULT.baultVault, staked: raw(10n), tvl: null, apr: null });
    }
  });

  it("have baults without assets where these are stakes that nobody knows", async () => {
    for (const block of unknown) {
      expect(await baultAt(STAKES.bault, block)).toMatchObject({
        totalAssets: null,
        totalSupply: 40,
        tvl: null,
        apy: null,
      });
      const { baults, farms } = await viewAt(STAKES.pair, block);
      expect(baults).toEqual([{ totalAssets: null, totalSupply: raw(40n), tvl: null }]);
      expect(farms).toContainEqual({ address: STAKES.baultVault, staked: raw(10n), tvl: null, apr: null });
    }
  });

  it("have no worth and no APR of stakes that nobody knows, nor a price of baults that have some there", async () => {
    for (const block of unknown) {
      expect(await vaultAt(STAKES.pair, block)).toMatchObject({
        ...{ tvl: 20_000, farmTvl: null, farmApr: null, totalApr: null, isRewardVault: true },
        ...{ tokenLp: { price: 20, totalSupply: 1_000 }, baults: [{ price: null }] },
      });
      const { farms } = await viewAt(STAKES.pair, block);
      expect(farms).toContainEqual({ address: STAKES.vault, staked: null, tvl: null, apr: null });
      expect(await get(`/tokens?addresses=${STAKES.bault}&blockNumber=${block}`)).toMatchObject([
        { price: 0, priceStrategy: "none", unpriced: [STAKES.bault] },
      ]);
    }
  });

  it("have baults whose past is known as far as the stakes are", async () => {
    const range = `from: {number: ${AT.sound}}, to: {number: ${AT.head}}`;
    const { shareHistory, priceHistory } = await open.gateway.data<{
      shareHistory: { nodes: { block: { number: number }; supply: string; parts: { amount: string }[] }[] };
      priceHistory: { nodes: { block: { number: number }; price: { usd: string } | null }[] };
    }>(
      `{ shareHistory(share: "${STAKES.bault}", ${range}) { nodes { block { number } supply parts { amount } } }
         priceHistory(token: "${STAKES.bault}", ${range}) { nodes { block { number } price { usd } } } }`,
    );
    const isUnknown = (block: number) => Math.max(block, finalized) >= AT.broken;
    for (const { block, supply, parts } of shareHistory.nodes)
      expect([supply, parts]).toEqual([raw(40n), isUnknown(block.number) ? [] : [{ amount: raw(50n) }]]);
    for (const { block, price } of priceHistory.nodes) expect(price === null).toBe(isUnknown(block.number));
  });

  it("name where it is not known who has their shares, directly or through baults", async () => {
    for (const [{ pair }, stopped] of [
      [SHARES, [SHARES.pair]],
      [BAULT, [BAULT.bault]],
      [STAKES, [STAKES.vault]],
      [ABOVE, [INFRARED]],
    ] as const)
      for (const block of unknown) expect(await vaultAt(pair, block)).toMatchObject({ stopped });
  });

  it("do not say of anybody what is staked where nobody knows", async () => {
    for (const [user, before, after] of HAVE)
      for (const { pair } of [BAULT, STAKES, ABOVE]) {
        for (const block of known) expect(await hasOf(pair, block, user)).toEqual(before);
        for (const block of unknown) expect(await hasOf(pair, block, user)).toEqual(after);
      }
  });

  it("do not say of anybody what is in a wallet of broken shares, and of sound ones everything", async () => {
    const nothing = has(null, null, null);
    for (const [user, before] of HAVE) {
      for (const block of known) expect(await hasOf(SHARES.pair, block, user)).toEqual(before);
      for (const block of unknown) expect(await hasOf(SHARES.pair, block, user)).toEqual(nothing);
      for (const block of blocks) expect(await hasOf(SOUND.pair, block, user)).toEqual(before);
    }
  });

  it("are in an account's list where it is known to have something of them", async () => {
    const listOf = async (user: string, block: number) => {
      const { body, headers } = await open.gateway.get(`/vaults?chainId=31337&user=${user}&blockNumber=${block}`);
      left[user] = headers.get("x-incomplete")?.split(",") ?? [];
      return (body.data as { id: string }[]).map(({ id }) => id).sort();
    };
    const left: Record<string, string[]> = {};
    const every = [SHARES, BAULT, STAKES, SOUND, ABOVE].map(({ pair }) => pair);
    for (const block of known) for (const user of [ALICE, BOB]) expect(await listOf(user, block)).toEqual(every);
    for (const block of unknown) {
      expect(await listOf(ALICE, block)).toEqual(every.filter((pair) => pair !== SHARES.pair));
      expect(await listOf(BOB, block)).toEqual([SOUND.pair, ABOVE.pair]);
      expect(await listOf(CAROL, block)).toEqual([]);
      // what is left out because nobody can say whether the account has something of it is said
      const stopped = [SHARES.pair, BAULT.bault, STAKES.vault];
      expect(left).toEqual({ [ALICE]: [SHARES.pair], [BOB]: stopped, [CAROL]: [...stopped, INFRARED] });
      const { vaults } = await open.gateway.data<{ vaults: unknown }>(
        `{ vaults(user: "${BOB}", block: {number: ${block}}) { incomplete } }`,
      );
      expect(vaults).toEqual({ incomplete: stopped });
    }
    for (const block of known) {
      for (const user of [ALICE, BOB]) await listOf(user, block);
      expect([left[ALICE], left[BOB]]).toEqual([[], []]);
    }
  });

  it("say the same in GraphQL", async () => {
    for (const block of unknown) {
      const { vault } = await open.gateway.data<{ vault: unknown }>(
        `{ vault(id: "${STAKES.pair}", user: "${ALICE}", block: {number: ${block}}) { stopped
             userBalance { balance vaultBalance farmBalance balanceUSD farmBalanceUSD } } }`,
      );
      const userBalance = { balance: null, vaultBalance: raw(750n), farmBalance: null };
      expect(vault).toEqual({
        stopped: [STAKES.vault],
        userBalance: { ...userBalance, balanceUSD: null, farmBalanceUSD: null },
      });
    }
  });

  it("do not say on their page that an account has nothing of them", async () => {
    for (const block of blocks) {
      const text = await pageOf(`/vault/${STAKES.pair}?block=${block}&user=${CAROL}`);
      expect(text.includes("has nothing of it at this block")).toBe(known.includes(block));
      expect(text.includes("who has a stake in")).toBe(unknown.includes(block));
    }
  });

  it("show on their page what stands behind the shares, and that it is not known how many there are", async () => {
    for (const block of blocks) {
      const page = await pageOf(`/vault/${SHARES.pair}?block=${block}`);
      expect(page).toContain("Tokens behind all shares");
      expect(page).not.toContain("There are no shares at this block.");
      expect(page.includes("not known at this block")).toBe(unknown.includes(block));
    }
  });
});
