// What anybody can do to a contract without its leave: send it its own shares, dust, donations; and contracts that hold each
// other's. Every question is still answered, amounts add up, and what belongs to nobody is reported as that.
import type { Sql } from "postgres";
import { type Address, type PublicClient, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chainFileSchema } from "../../chains/chain-file.ts";
import { onStage, type Stage } from "../../devnet/scenario/stage.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { shownBalances } from "../support/shown-balances.ts";
import {
  type OpenedDevnet,
  openSeededDevnet,
  openSeededGateway,
  openSeededSql,
  seeded,
  seededChain,
  seededClient,
} from "./seeded-index.ts";

const abi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function stakeToken() view returns (address)",
  "function stakingToken() view returns (address)",
  "function asset() view returns (address)",
]);
const { head, ponderSchema } = seeded;
let devnet: OpenedDevnet;
let stage: Stage;
let gateway: TestGateway;
let client: PublicClient;
let sql: Sql;

beforeAll(async () => {
  devnet = await openSeededDevnet();
  stage = devnet.world.stage;
  gateway = openSeededGateway();
  client = seededClient();
  sql = openSeededSql();
});
afterAll(async () => {
  await gateway.close();
  await sql.end({ timeout: 2 });
});

const read = (
  address: Address,
  functionName: "balanceOf" | "totalSupply" | "totalAssets",
  { args = [], block = head }: { args?: readonly Address[]; block?: number } = {},
): Promise<bigint> => {
  const call = { address, abi, functionName: functionName as "balanceOf", args: args as [Address] };
  return client.readContract({ ...call, blockNumber: BigInt(block) });
};

const strayAt = async (token: string, contract: string, block = head): Promise<bigint> =>
  (await shownBalances(gateway, token, block)).unattributed[`${contract} stray`] ?? 0n;

describe("a share sent to its own issuer", () => {
  test("is stray as long as it lies there", async () => {
    for (const issuer of [
      onStage(stage.islands, "island free").address,
      onStage(stage.islands, "island permissionless").address,
      onStage(stage.named, "bault free"),
      onStage(stage.named, "bault permissionless"),
    ]) {
      const own = await read(issuer, "balanceOf", { args: [issuer] });
      expect(own).toBeGreaterThan(0n);
      expect(await strayAt(issuer, issuer)).toBe(own);
    }
  });

  test("is stray in a pair until the next burn, and so is what stands behind it", async () => {
    const { address: pair, token0 } = onStage(stage.v2, "pair bera-honey");
    const [sent] = await sql`
      select t.block from ${sql(ponderSchema)}.erc20_transfer t
       where t.token = ${pair} and t.to = ${pair} and t.from <> ${pair}
         and not exists (select from ${sql(ponderSchema)}.v2_liquidity l
                          where l.pair = ${pair} and l.block = t.block and l.tx_index >= t.tx_index)
       order by t.block limit 1`;
    const block = Number(sent?.block);
    const own = await read(pair, "balanceOf", { args: [pair], block });
    expect(own).toBeGreaterThan(0n);
    expect(await strayAt(pair, pair, block)).toBe(own);
    const held = await read(token0, "balanceOf", { args: [pair], block });
    expect(await strayAt(token0, pair, block)).toBe((held * own) / (await read(pair, "totalSupply", { block })));
  });
});

describe("shares of a pair that are sent to the zero address", () => {
  test("stay in its supply, and take their part of the pool with them", async () => {
    const { address: pair, token0 } = onStage(stage.v2, "pair usdc-weth");
    const zero: Address = `0x${"0".repeat(40)}`;
    const [sent] = await sql`
      select block from ${sql(ponderSchema)}.erc20_transfer where token = ${pair} and "to" = ${zero} and "from" not in (${pair}, ${zero})`;
    for (const block of [Number(sent?.block) - 1, Number(sent?.block), head]) {
      const locked = await read(pair, "balanceOf", { args: [zero], block });
      const supply = await read(pair, "totalSupply", { block });
      const { accounts, unattributed } = await shownBalances(gateway, pair, block);
      expect(unattributed[`${zero} zero-address`], String(block)).toBe(locked);
      const shown = [...Object.values(accounts).flatMap((own) => Object.values(own)), ...Object.values(unattributed)];
      expect(shown.reduce((sum, amount) => sum + amount, 0n)).toBe(supply);
      const held = await read(token0, "balanceOf", { args: [pair], block });
      const ofZero = (await shownBalances(gateway, token0, block)).unattributed[`${zero} zero-address`] ?? 0n;
      expect(ofZero - (held * locked) / supply, String(block)).toBe(
        await read(token0, "balanceOf", { args: [zero], block }),
      );
    }
    expect(await read(pair, "balanceOf", { args: [zero] })).toBeGreaterThan(1_000n);
  });
});

describe("islands and pools in a cycle", () => {
  test("are cut where they close, and what is cut is reported", async () => {
    const { honey } = devnet.at.tokens;
    const [x, y] = ["island cycle x", "island cycle y"].map((name) => onStage(stage.islands, name).address) as [
      Address,
      Address,
    ];
    const pools = ["pool under cycle x", "pool under cycle y"].map((name) => onStage(stage.named, name));
    for (const token of [x, y, honey]) {
      const { accounts, unattributed } = await shownBalances(gateway, token, head);
      expect(Object.keys(accounts).length).toBeGreaterThan(0);
      const cut = Object.keys(unattributed).filter((key) => key.endsWith(" cycle"));
      expect(cut.length, token).toBeGreaterThan(0);
      expect(cut.every((key) => [x, y, ...pools].some((contract) => key.startsWith(contract)))).toBe(true);
    }
  });
});

describe("a donation to a pool", () => {
  test("is nobody's: all that the pool's events do not account for", async () => {
    // transfers to a pool in transactions in which the pool itself said nothing
    const gifts = await sql`
      select t.token, t.to as pool, sum(t.amount)::text as amount from ${sql(ponderSchema)}.erc20_transfer t
        join ${sql(ponderSchema)}.v3_pool_created p on p.pool = t.to and t.token in (p.token0, p.token1)
       where not exists (select from ${sql(ponderSchema)}.v3_swap s
                          where s.pool = t.to and s.block = t.block and s.tx_index = t.tx_index)
         and not exists (select from ${sql(ponderSchema)}.v3_liquidity l
                          where l.pool = t.to and l.block = t.block and l.tx_index = t.tx_index)
         and not exists (select from ${sql(ponderSchema)}.v3_flash f
                          where f.pool = t.to and f.block = t.block and f.tx_index = t.tx_index)
       group by t.token, t.to`;
    expect(gifts.length).toBeGreaterThan(0);
    for (const { token, pool, amount } of gifts) expect(await strayAt(token, pool)).toBe(BigInt(amount));
  });
});

describe("the distributor of reward vaults", () => {
  test("keeps the reward token for those who have not claimed it, and owns everything else that it holds", async () => {
    const { distributor, rewardToken } = devnet.at.rewardVaults;
    const emitted = await shownBalances(gateway, rewardToken, head);
    const unclaimed = await read(rewardToken, "balanceOf", { args: [distributor] });
    expect(unclaimed).toBeGreaterThan(0n);
    expect(emitted.unattributed[`${distributor} rewards`]).toBe(unclaimed);
    expect(emitted.accounts[distributor]).toBeUndefined();
    const { address: island } = onStage(stage.islands, "island free");
    const { honey } = devnet.at.tokens;
    for (const token of [honey, island]) {
      const held = await read(token, "balanceOf", { args: [distributor] });
      expect(held).toBeGreaterThan(0n);
      expect((await shownBalances(gateway, token, head)).accounts[distributor]).toMatchObject({ balance: held });
    }
  });

  test("is an account like any other where the chain file does not name it, and stakes stay what they are", async () => {
    const { distributor, rewardToken } = devnet.at.rewardVaults;
    const whole = seededChain();
    const factory = whole.rewardVaults?.factory;
    const alone = chainFileSchema.parse({ ...whole, rewardVaults: { factory } });
    const stakesAlone = openGateway(seeded.databaseUrl, alone);
    // the index has more than such a file would index, and is taken for one that was made of it
    stakesAlone.service.memory.chain = (file) => file;
    try {
      const held = await read(rewardToken, "balanceOf", { args: [distributor] });
      const { accounts } = await shownBalances(stakesAlone, rewardToken, head);
      expect(accounts[distributor]).toEqual({ balance: held });
      const { address: island } = onStage(stage.islands, "island free");
      const answer = await shownBalances(stakesAlone, island, head);
      expect(answer).toEqual(await shownBalances(gateway, island, head));
      const vault = onStage(stage.named, "reward vault free");
      expect(Object.values(answer.accounts).filter((own) => `reward_vault ${vault}` in own).length).toBeGreaterThan(0);
      const { data } = await stakesAlone.graphql(
        `{ vault(id: "${island}", block: {number: ${head}}) { farmTvl farms { address provider apr rewards { amount } } } }`,
      );
      const { farmTvl, farms } = (data as { vault: { farmTvl: number; farms: Record<string, unknown>[] } }).vault;
      expect(farmTvl).toBeGreaterThan(0);
      expect(farms.find(({ address }) => address === vault)).toMatchObject({
        provider: "bgt",
        apr: null,
        rewards: null,
      });
    } finally {
      await stakesAlone.close();
    }
  });
});

describe("dust in every vault", () => {
  const takes = {
    "reward vault ": "stakeToken",
    "farm ": "stakingToken",
    "infrared ": "stakingToken",
    "bault ": "asset",
  };

  const behindOwnShares = async (bault: Address): Promise<bigint> => {
    const own = await read(bault, "balanceOf", { args: [bault] });
    return ((await read(bault, "totalAssets")) * own) / (await read(bault, "totalSupply"));
  };

  test("is nobody's, or the holders' where the contract says so", async () => {
    const kinds = new Map<string, number>();
    for (const [name, vault] of stage.named) {
      const kind = Object.entries(takes).find(([prefix]) => name.startsWith(prefix));
      if (kind === undefined) continue;
      const [prefix, functionName] = kind as [string, "asset"];
      const token = (await client.readContract({ address: vault, abi, functionName })).toLowerCase();
      const stray = await strayAt(token, vault);
      if (stray === 0n) continue;
      const dust = prefix === "bault " ? stray - (await behindOwnShares(vault)) : stray;
      expect(dust, name).toBe(3n);
      kinds.set(prefix, (kinds.get(prefix) ?? 0) + 1);
    }
    for (const [prefix, least] of [
      ["reward vault ", 4],
      ["farm ", 2],
      ["infrared ", 2],
      ["bault ", 2],
    ] as const)
      expect(kinds.get(prefix) ?? 0, prefix).toBeGreaterThanOrEqual(least);
    // a vault that counts what it holds has no dust: it is worth that much more
    const { plain } = devnet.at.vaults;
    expect(await strayAt(devnet.at.tokens.honey, plain)).toBe(0n);
  });
});
