// What a user has of pools, against the contracts; and lists with filters against a plain reading of the full one.
// VAULT_LISTS=2000 asks for more of them, VAULT_SEED for others.
import type { Sql } from "postgres";
import type { Address, PublicClient } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filterVaults, isUserOrder, orderVaults, type VaultOrder, vaultOrders } from "../../core/vaults/vault-list.ts";
import { type Random, seedRandom } from "../../devnet/scenario/random.ts";
import type { VaultRecord } from "../../gateway/catalogue/vault-record.ts";
import { leastUsd } from "../../gateway/questions/vaults.ts";
import { type Read, readAll } from "../../verify/pool-contracts.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import {
  drawQuestion,
  type FullList,
  listByHand,
  type ShownVault,
  type SortValues,
} from "../support/vault-list-by-hand.ts";
import { listAt, vaultViewAbi } from "../support/vault-reads.ts";
import {
  openSeededDevnet,
  openSeededGateway,
  openSeededSql,
  seeded,
  seededChain,
  seededClient,
} from "./seeded-index.ts";

const SEED = process.env.VAULT_SEED ?? "vaults";
/** Of all combinations of parameters. */
const LISTS = Number(process.env.VAULT_LISTS ?? 300);

const chain = seededChain();
const { head, finalized, ponderSchema } = seeded;
let gateway: TestGateway;
let client: PublicClient;
let sql: Sql;
let actors: readonly Address[];

beforeAll(async () => {
  gateway = openSeededGateway();
  client = seededClient();
  sql = openSeededSql();
  actors = (await openSeededDevnet()).world.actors;
});
afterAll(async () => {
  await gateway.close();
  await sql.end({ timeout: 2 });
});

interface HoldingRead {
  vault: string;
  read: Read;
  isWallet: boolean;
  /** Shares of the pool that this amount stands for. */
  worthOf(amount: bigint): bigint;
}

type InfraredRow = Record<"vault" | "asset", Address>;

function holdingReads({ address, farms, baults }: VaultRecord, user: Address, infrared: readonly InfraredRow[]) {
  const one = (contract: Address, more: Partial<HoldingRead> & { view?: string } = {}): HoldingRead => {
    const { view = "balanceOf", ...rest } = more;
    const read = { address: contract, abi: vaultViewAbi, functionName: view, args: [user] };
    return { vault: address, read, isWallet: false, worthOf: (amount) => amount, ...rest };
  };
  const ofBault =
    ({ totalSupply = 0n, totalAssets = 0n }: VaultRecord["baults"][number]) =>
    (amount: bigint) =>
      totalSupply === 0n ? 0n : (amount * totalAssets) / totalSupply;
  return [
    one(address, { isWallet: true }),
    ...farms.map(({ address: farm, kind, through }) =>
      one(farm, {
        view: kind === "farm" ? "lockedLiquidityOf" : "balanceOf",
        ...(through ? { worthOf: ofBault(through) } : {}),
      }),
    ),
    ...infrared.filter(({ asset }) => asset === address).map(({ vault }) => one(vault)),
    ...baults.map((bault) => one(bault.bault, { worthOf: ofBault(bault) })),
  ];
}

interface Held {
  inWallet: bigint;
  staked: bigint;
}

/** By pool, as the contracts say; those without any are left out. */
async function heldByContracts(
  vaults: readonly VaultRecord[],
  user: Address,
  block: number,
): Promise<Map<string, Held>> {
  const infrared = await sql<InfraredRow[]>`
    select vault, asset from ${sql(ponderSchema)}.vault_created where kind = 'infrared' and block <= ${block}`;
  const reads = vaults.flatMap((vault) => holdingReads(vault, user, infrared));
  const answers = await readAll(
    client,
    reads.map(({ read }) => read),
    block,
  );
  const held = new Map<string, Held>();
  for (const [i, { vault, worthOf, isWallet }] of reads.entries()) {
    const amount = worthOf((answers[i]?.[0] as bigint | undefined) ?? 0n);
    const own = held.get(vault) ?? { inWallet: 0n, staked: 0n };
    held.set(vault, isWallet ? { ...own, inWallet: amount } : { ...own, staked: own.staked + amount });
  }
  return new Map([...held].filter(([, { inWallet, staked }]) => inWallet + staked > 0n));
}

describe("what a user has", () => {
  test("is what wallets, reward vaults, farms, Infrared vaults and baults say", async () => {
    const random = seedRandom(`${SEED} users`);
    const held: Held[] = [];
    const stakers = await sql<{ account: Address }[]>`
      select distinct account from ${sql(ponderSchema)}.stake where account in ${sql(actors)} order by account`;
    const staking = stakers.map(({ account }) => account);
    for (const block of [head, finalized, random.between(700, finalized)]) {
      const vaults = (await listAt(gateway.service, block)).entries.map(({ vault }) => vault);
      for (const user of [...random.sample(staking, 4), ...random.sample(actors, 2)]) {
        const expected = await heldByContracts(vaults, user, block);
        const { entries, count } = await listAt(gateway.service, block, user);
        expect(new Map(entries.map(({ vault, holding }) => [vault.address as string, holding]))).toEqual(expected);
        expect(count).toBe(expected.size);
        held.push(...expected.values());
      }
    }
    const inWallets = held.filter(({ inWallet }) => inWallet > 0n).length;
    const staked = held.filter((one) => one.staked > 0n).length;
    console.log(`${inWallets} holdings in wallets, ${staked} staked`);
    expect(inWallets).toBeGreaterThan(5);
    expect(staked).toBeGreaterThan(2);
  });
});

async function fullList(block: number, user: string | undefined): Promise<FullList> {
  const query = `chainId=${chain.chainId}&limit=1000&blockNumber=${block}${user === undefined ? "" : `&user=${user}`}`;
  const vaults = (await gateway.get(`/vaults?${query}`)).body.data as ShownVault[];
  const { data } = await gateway.graphql(
    `query ($block: Int!, $user: Address) { vaults(block: {number: $block}, user: $user, limit: 1000) { nodes {
       id tvl farmTvl apr farmApr totalApr userBalance { balanceUSD vaultBalanceUSD farmBalanceUSD } } } }`,
    { block, user },
  );
  type Node = SortValues & { id: string; userBalance: Record<string, number | null> | null };
  const values = (data as { vaults: { nodes: Node[] } }).vaults.nodes.map(({ userBalance, ...node }) => {
    const { balanceUSD = null, vaultBalanceUSD = null, farmBalanceUSD = null } = userBalance ?? {};
    const own = { balance: balanceUSD, vaultBalance: vaultBalanceUSD, farmBalance: farmBalanceUSD };
    return [node.id, { ...node, ...own }] as const;
  });
  return { vaults, values: new Map(values) };
}

const NO_LIST: FullList = { vaults: [], values: new Map() };
const withoutUser = vaultOrders.filter((order) => !isUserOrder(order));

const choicesOf = (first: ShownVault | undefined, users: readonly Address[]) => ({
  rewardVault: ["-", "-", "-", "-", "true", "false"],
  sweetened: ["-", "-", "-", "-", "true", "false"],
  volatile: ["-", "-", "-", "-", "true", "false"],
  minimumTvl: ["-", "-", "-", "0", "100", "4000.5"],
  search: ["-", "-", "-", "-", "honey", "KODI", "bera", first?.token0.id ?? "-", first?.poolAddress ?? "-"],
  orderDirection: ["-", "asc", "desc"],
  limit: ["-", "-", "1", "3", "1000"],
  offset: ["-", "-", "0", "2", "500"],
  user: ["-", "-", ...users],
});

/** Every combination, "-" left out; the whole list each time. */
function allQuestions(first: ShownVault | undefined): URLSearchParams[] {
  const flag = ["-", "true", "false"];
  const choices = {
    ...{ rewardVault: flag, sweetened: flag, volatile: flag, minimumTvl: ["-", "0", "100", "4000.5"] },
    search: ["-", "honey", "KODI", "nobody", first?.token0.id ?? "-", first?.poolAddress ?? "-"],
    ...{ orderBy: withoutUser, orderDirection: ["asc", "desc"], limit: ["1000"] },
  };
  return Object.entries(choices).reduce<URLSearchParams[]>(
    (questions, [name, values]) =>
      questions.flatMap((question) =>
        values.map((value) => new URLSearchParams([...question, ...(value === "-" ? [] : [[name, value]])])),
      ),
    [new URLSearchParams()],
  );
}

function shownOf(records: readonly VaultRecord[], query: URLSearchParams): VaultRecord[] {
  const flag = (name: string) => (query.has(name) ? query.get(name) === "true" : undefined);
  const filter = {
    ...{ rewardVault: flag("rewardVault"), sweetened: flag("sweetened"), volatile: flag("volatile") },
    minimumTvl: leastUsd.parse(query.get("minimumTvl") ?? undefined),
    search: query.get("search") ?? undefined,
  };
  return orderVaults(filterVaults(records, filter), {
    order: query.get("orderBy") as VaultOrder,
    direction: query.get("orderDirection") as "asc" | "desc",
  });
}

/** How many pools the page shows. */
async function compareList(query: URLSearchParams, list: FullList, block: number): Promise<number> {
  const { status, body } = await gateway.get(`/vaults?chainId=${chain.chainId}&blockNumber=${block}&${query}`);
  const expected = listByHand(list, query);
  expect({ query: String(query), status, ...body }).toEqual({ query: String(query), status: 200, ...expected });
  return expected.data.length;
}

function withOrder(query: URLSearchParams, random: Random): URLSearchParams {
  const order = random.pick(["-", ...(query.has("user") ? vaultOrders : withoutUser)]);
  if (order !== "-") query.set("orderBy", order);
  return query;
}

describe("lists with filters", () => {
  test("are what a plain reading gives for all combinations of filters, orders and directions", async () => {
    const block = finalized - 3;
    const list = await fullList(block, undefined);
    const records = (await listAt(gateway.service, block)).entries.map(({ vault }) => vault);
    const wrong: string[] = [];
    const counts = { lists: 0, some: 0 };
    for (const query of allQuestions(list.vaults[0])) {
      const byHand = listByHand(list, query).data.map(({ id }) => id);
      const shown = shownOf(records, query).map(({ id }) => id);
      if (shown.join() !== byHand.join()) wrong.push(String(query));
      counts.lists += 1;
      counts.some += shown.length > 0 ? 1 : 0;
    }
    console.log(`${counts.lists} lists of ${records.length} pools at block ${block}, ${counts.some} not empty`);
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(counts.some).toBeGreaterThan(counts.lists / 10);
  });

  test("are what a plain reading of the full list gives, in order, page by page", async () => {
    const random = seedRandom(`${SEED} lists`);
    const block = random.between(1_000, finalized);
    const lists = new Map<string | null, FullList>([[null, await fullList(block, undefined)]]);
    const users: Address[] = [];
    for (const user of random.sample(actors, actors.length)) {
      const list = await fullList(block, user);
      if (list.vaults.length < 2) continue;
      lists.set(user, list);
      users.push(user);
      if (users.length === 3) break;
    }
    const choices = choicesOf(lists.get(null)?.vaults[0], users);
    const seen: { user: string | null; shown: number }[] = [];
    for (let i = 0; i < LISTS; i++) {
      const query = withOrder(drawQuestion(random, choices), random);
      const user = query.get("user");
      seen.push({ user, shown: await compareList(query, lists.get(user) ?? NO_LIST, block) });
    }
    const shown = seen.filter((one) => one.shown > 0);
    const ofUser = shown.filter(({ user }) => user !== null);
    console.log(
      `${LISTS} lists at block ${block}, VAULT_SEED=${SEED}: ${shown.length} not empty, ${ofUser.length} of a user`,
    );
    expect(shown.length).toBeGreaterThan(LISTS / 5);
    expect(ofUser.length).toBeGreaterThan(LISTS / 20);
  });
});
