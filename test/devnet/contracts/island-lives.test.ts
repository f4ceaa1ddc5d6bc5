// Random lives of islands on anvil, several transactions of several islands in each block, and several calls in one transaction, in
// any order: after every block the reducer has what the contracts say, from their events and from what is read at the end of blocks that leave
// something open; and what it derives where nothing is read is what the contracts say, too. `ISLAND_LIVES=200` makes as many.
import {
  type Abi,
  type Address,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  type Log,
  parseEventLogs,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { islandAbi, islandFactoryAbi, mintableTokenAbi, poolCallerAbi } from "../../../devnet/artifacts/abis.ts";
import { type Random, seedRandom } from "../../../devnet/scenario/random.ts";
import { compileSolidity } from "../../../trials/faults/compile.ts";
import { type IslandOnChain, IslandWorlds } from "./island-worlds.ts";
import { HIGHEST_PRICE, LOWEST_PRICE, MAX_UINT, startTestChain, type TestChain, ZERO } from "./test-chain.ts";

const LIVES = Number(process.env.ISLAND_LIVES ?? 12);
const SEED = process.env.ISLAND_SEED ?? "islands";
const BLOCKS = 9;
const TOGETHER = 4;
const E18 = 10n ** 18n;
const BATCH_GAS = 15_000_000n;

let t: TestChain;
let pool: Address;
let tokens: [Address, Address];
let worlds: IslandWorlds;
const random: Random = seedRandom(SEED);
const counts = { blocks: 0, transactions: 0, batches: 0, batchedCalls: 0, facts: 0, severalInOneBlock: 0 };
const { Batch } = compileSolidity("../../test/devnet/contracts/batch.sol");
/** Holds, manages and trades as any account, several calls in one transaction. */
let batch: Address;

beforeAll(async () => {
  t = await startTestChain();
  const { honey, kdk } = t.at.tokens;
  tokens = honey < kdk ? [honey, kdk] : [kdk, honey];
  pool = await t.openPool("uniswap", tokens, 10n ** 21n);
  worlds = new IslandWorlds(t, { pool, tokens });
  batch = (await t.chain.create(t.account(0), Batch!.bytecode)).toLowerCase() as Address;
  await t.chain.seal();
});
afterAll(() => t?.stop());

interface Life extends IslandOnChain {
  manager: Address;
}

type Act = { to: Address; abi: Abi | readonly unknown[]; call: string; args?: readonly unknown[]; from: Address };

const dataOf = ({ abi, call, args = [] }: Act): Hex =>
  encodeFunctionData({ abi: abi as Abi, functionName: call, args });

function queue(act: Act, gas?: bigint): void {
  if (act.from === batch) {
    queueTogether([act]);
    return;
  }
  counts.transactions += 1;
  t.chain.queue({
    from: act.from,
    to: act.to,
    data: dataOf(act),
    reverts: "maybe",
    ...(gas === undefined ? {} : { gas }),
  });
}

/** All of them in one transaction, sent by the batch contract in place of their own accounts. */
function queueTogether(list: readonly Act[]): void {
  counts.batches += 1;
  counts.batchedCalls += list.length;
  const args = [list.map((act) => ({ to: act.to, data: dataOf(act) }))];
  queue({ to: batch, abi: Batch!.abi, call: "run", args, from: t.account(0) }, BATCH_GAS);
}

/** The address of the n-th island from now, whose holders and managers may do things in the block of its creation. */
async function nextIslands(count: number): Promise<Address[]> {
  const { factory } = t.at.islands;
  const nonce = await t.chain.client.getTransactionCount({ address: factory });
  return Array.from(
    { length: count },
    (_, i) => getContractAddress({ from: factory, nonce: BigInt(nonce + i) }).toLowerCase() as Address,
  );
}

const someone = (): Address => (random.chance(0.3) ? batch : t.account(random.between(2, 5)));
const onIsland = (island: Address, call: string, more: { args?: readonly unknown[]; from: Address }): Act => ({
  ...{ to: island, abi: islandAbi, call },
  ...more,
});

const acts: readonly ((life: Life) => Act)[] = [
  ({ island }) => onIsland(island, "mint", { args: [BigInt(random.between(1, 50)) * E18, someone()], from: someone() }),
  ({ island }) => onIsland(island, "mint", { args: [BigInt(random.between(1, 50)) * E18, someone()], from: someone() }),
  ({ island }) =>
    onIsland(island, "burn", { args: [BigInt(random.between(1, 900)) * 10n ** 15n, someone()], from: someone() }),
  ({ island }) => onIsland(island, "rebalance", { from: someone() }),
  ({ island, manager }) => {
    const middle = random.between(-20, 20) * 60;
    const args = [middle - 60 * random.between(1, 60), middle + 60 * random.between(1, 60), LOWEST_PRICE, 0n, true];
    return onIsland(island, "executiveRebalance", { args, from: manager });
  },
  ({ island, manager }) =>
    onIsland(island, "updateManagerParams", { args: [random.between(0, 5_000), someone(), 500, 300], from: manager }),
  ({ island }) => onIsland(island, "withdrawManagerBalance", { from: someone() }),
  ({ island, manager }) => onIsland(island, "renounceOwnership", { from: manager }),
  ({ island }) => onIsland(island, "syncToFactory", { from: someone() }),
  (life) => {
    const args = [random.chance(0.5) ? life.manager : someone()];
    return onIsland(life.island, "transferOwnership", { args, from: life.manager });
  },
  () => {
    const isZero = random.chance(0.5);
    const amount = BigInt(random.between(1, 40)) * E18;
    const args = [pool, t.account(1), isZero, amount, isZero ? LOWEST_PRICE : HIGHEST_PRICE];
    return { to: t.at.poolCaller, abi: poolCallerAbi, call: "swapDirect", args, from: t.account(1) };
  },
  () => ({
    ...{ to: t.at.islands.factory, abi: islandFactoryAbi, from: t.account(0) },
    ...(random.chance(0.5)
      ? { call: "setIslandFee", args: [random.between(0, 2_000)] }
      : { call: "setTreasury", args: [someone()] }),
  }),
];

function creationOf(life: Life): Act {
  const fee = random.pick([0, 250, 1_000, 3_333]);
  const manager = random.chance(0.15) ? ZERO : life.manager;
  const args = [pool, manager, someone(), fee, -60 * random.between(10, 100), 60 * random.between(10, 100)];
  return { to: t.at.islands.factory, abi: islandFactoryAbi, call: "deployVaultForPool", args, from: t.account(0) };
}

/** Mints, and lets every island that will be there take it. */
async function fund(islands: readonly Address[]): Promise<void> {
  const ofTokens = tokens.map((to) => ({ to, abi: mintableTokenAbi, from: t.account(0) }));
  const approvals = [t.at.poolCaller, ...islands].flatMap((spender) =>
    ofTokens.map((own) => ({ ...own, call: "approve", args: [spender, MAX_UINT] })),
  );
  const people = [2, 3, 4, 5].map((i) => t.account(i));
  for (const account of [...people, batch])
    for (const own of ofTokens) queue({ ...own, call: "mint", args: [account, 10n ** 27n] });
  for (const from of people) for (const approval of approvals) queue({ ...approval, from });
  queueTogether(approvals);
  await t.chain.seal();
}

async function seal(lives: readonly Life[]): Promise<string[]> {
  const { number } = await t.chain.seal();
  counts.blocks += 1;
  const logs: Log[] = await t.chain.client.getLogs({ fromBlock: BigInt(number), toBlock: BigInt(number) });
  const taken = await worlds.take(number, logs);
  counts.facts += taken.facts;
  counts.severalInOneBlock += taken.several;
  for (const event of parseEventLogs({ abi: islandAbi, eventName: "OwnershipTransferred", logs })) {
    const life = lives.find(({ island }) => island === event.address.toLowerCase());
    if (life && event.args.newManager !== ZERO) life.manager = event.args.newManager.toLowerCase() as Address;
  }
  return worlds.differences(lives);
}

async function live(count: number): Promise<void> {
  const lives = (await nextIslands(count)).map((island): Life => ({ island, manager: someone() }));
  await fund(lives.map(({ island }) => island));
  for (let block = 0; block < BLOCKS; block += 1) {
    for (const life of lives) {
      const list = Array.from({ length: random.between(0, 6) }, () => random.pick(acts)(life));
      if (block === 0) list.unshift(creationOf(life));
      if (list.length > 0 && random.chance(0.5)) queueTogether(list);
      else for (const act of list) queue(act);
    }
    expect(await seal(lives)).toEqual([]);
  }
}

describe("random lives of islands", () => {
  it("are folded from events as the contracts have them after every block, and no island stops", {
    timeout: 1_800_000,
  }, async () => {
    for (let left = LIVES; left > 0; left -= TOGETHER) await live(Math.min(left, TOGETHER));
    expect(worlds.stops).toEqual([]);
    expect(worlds.islands).toBe(LIVES);
    expect(counts.severalInOneBlock).toBeGreaterThan(0);
    expect(counts.batchedCalls).toBeGreaterThan(counts.batches);
    console.log(JSON.stringify({ seed: SEED, lives: LIVES, ...counts, ...worlds.compared }));
  });
});
