// Everything that holds tokens for others, against its own contract at random blocks in which some of it moved: stakes, vaults,
// pairs, islands, as the look-through reads them. STAKES_BLOCKS=500 compares more.
import type { Sql } from "postgres";
import { type Address, type PublicClient, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { compareVaults, emptyVaultsReport } from "../../verify/compare-vaults.ts";
import { readAll } from "../../verify/pool-contracts.ts";
import { type ServedVaults, servedVaults } from "../../verify/served-vaults.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededDevnet, openSeededGateway, openSeededSql, seeded, seededClient } from "./seeded-index.ts";

const RANDOM_BLOCKS = Number(process.env.STAKES_BLOCKS ?? 50);
/** The first pair is older than everything else that is compared. */
const FIRST_BLOCK = 90;

const abi = parseAbi([
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function getDelegateStake(address, address) view returns (uint256)",
  "function delegateTotalStaked(address) view returns (uint256)",
]);
const { head, finalized, ponderSchema } = seeded;
let gateway: TestGateway;
let client: PublicClient;
let sql: Sql;

beforeAll(() => {
  gateway = openSeededGateway();
  client = seededClient();
  sql = openSeededSql();
});
afterAll(async () => {
  await gateway.close();
  await sql.end({ timeout: 2 });
});

async function servedAt(block: number): Promise<ServedVaults> {
  const scope = new RequestScope(gateway.service);
  try {
    return await scope.run(servedVaults, blockNumbered(block));
  } finally {
    await scope.close();
  }
}

/** Blocks in which a pair minted shares for the protocol. */
async function protocolMints(): Promise<number[]> {
  const { chain } = await openSeededDevnet();
  const rows = await sql`
    select distinct t.block from ${sql(ponderSchema)}.erc20_transfer t
      join ${sql(ponderSchema)}.v2_pair_created p on p.pair = t.token
     where t.from = ${`0x${"0".repeat(40)}`} and t.to = ${chain.accounts[0] ?? ""}`;
  return rows.map(({ block }) => Number(block));
}

/** Of those with a fact in one of the tables. */
async function randomBlocks(seed: string, tables: readonly string[]): Promise<number[]> {
  const reads = tables.map((table) => `select block from "${ponderSchema}".${table}`).join(" union ");
  const rows = await sql.unsafe<{ block: number }[]>(
    `select distinct block from (${reads}) t where block >= ${FIRST_BLOCK} order by block`,
  );
  return seedRandom(seed).sample(
    rows.map(({ block }) => Number(block)),
    RANDOM_BLOCKS,
  );
}

describe("stakes, vaults, pairs and islands", () => {
  test(
    "are what their contracts say, at every block asked",
    async () => {
      const mints = await protocolMints();
      expect(mints.length).toBeGreaterThan(0);
      const around = mints.slice(0, 5).flatMap((block) => [block - 1, block]);
      const random = await randomBlocks("stakes", ["stake", "vault_flow", "v2_sync", "island_flow"]);
      const blocks = [...new Set([...random, ...around, finalized, finalized + 1, head])];
      const report = emptyVaultsReport();
      for (const block of blocks.sort((a, b) => a - b)) {
        const { vaults } = await servedAt(block);
        await compareVaults(client, { vaults, block }, report);
      }
      for (const [kind, { vaults, compared }] of report.kinds)
        console.log(`${kind}: ${vaults.size} contracts, ${[...compared].map((one) => one.join(" ")).join(", ")}`);
      const kinds = ["bault", "erc4626", "erc4626-queued", "farm", "infrared", "island", "reward-vault", "v2-pair"];
      expect([...report.kinds.keys()].sort()).toEqual(kinds);
      expect([...report.kinds.values()].flatMap(({ noted }) => noted)).toEqual([]);
      expect([...report.kinds.values()].flatMap(({ stopped }) => [...stopped])).toEqual([]);
      const seen = new Map([...report.kinds].map(([kind, { compared }]) => [kind, compared]));
      for (const [kind, view] of [
        ["reward-vault", "balanceOf"],
        ["farm", "lockedLiquidityOf"],
        ["farm", "totalLiquidityLocked"],
        ["farm", "stakingToken"],
        ["infrared", "balanceOf"],
        ["bault", "convertToAssets"],
        ["bault", "totalAssets"],
        ["erc4626", "convertToAssets"],
        ["erc4626-queued", "convertToAssets"],
        ["erc4626-queued", "totalAssets"],
        ["erc4626-queued", "reservedAssets"],
        ["v2-pair", "balanceOf"],
        ["island", "getUnderlyingBalances"],
      ] as const)
        expect(seen.get(kind)?.get(view) ?? 0, `${kind} ${view}`).toBeGreaterThan(blocks.length / 2);
    },
    RANDOM_BLOCKS * 5_000 + 120_000,
  );

  test("know the reserves that a pair last reported", async () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const block of await randomBlocks("reserves", ["v2_sync"])) {
      const rows = await sql`
        select distinct on (pair) pair, reserve0::text as reserve0, reserve1::text as reserve1
          from ${sql(ponderSchema)}.v2_sync where block <= ${block} order by pair, block desc, log_index desc`;
      const reads = rows.map(({ pair }) => ({ address: pair as Address, abi, functionName: "getReserves", args: [] }));
      const answers = await readAll(client, reads, block);
      for (const [i, { pair, reserve0, reserve1 }] of rows.entries()) {
        const answered = answers[i]?.slice(0, 2).join();
        if (answered !== `${reserve0},${reserve1}`)
          wrong.push(`${pair} at block ${block}: ${reserve0},${reserve1}, not ${answered}`);
        compared += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(RANDOM_BLOCKS);
  });

  test("count what a delegate lent once: for the account, with nothing more for the delegate", async () => {
    const lent = await sql`
      select vault, account, delegate, sum(case kind when 'delegate_stake' then amount else -amount end)::text as amount
        from ${sql(ponderSchema)}.stake where kind in ('delegate_stake', 'delegate_withdraw')
       group by vault, account, delegate`;
    const reads = lent.flatMap(({ vault, account, delegate }) => [
      { address: vault as Address, abi, functionName: "getDelegateStake", args: [account, delegate] },
      { address: vault as Address, abi, functionName: "delegateTotalStaked", args: [account] },
    ]);
    const answers = await readAll(client, reads, head);
    expect(answers.filter((_, i) => i % 2 === 0).map((answer) => String(answer?.[0]))).toEqual(
      lent.map(({ amount }) => String(amount)),
    );
    const { vaults } = await servedAt(head);
    const open = lent.filter(({ amount }) => amount !== "0");
    expect(open.length).toBeGreaterThan(0);
    for (const { vault, account } of open) {
      const holders = vaults.find(({ address }) => address === vault)?.holders ?? [];
      const total = answers[2 * lent.findIndex((one) => one.vault === vault && one.account === account) + 1]?.[0];
      expect(holders.find((one) => one.account === account)?.amount ?? 0n).toBeGreaterThanOrEqual(total as bigint);
    }
  });
});
