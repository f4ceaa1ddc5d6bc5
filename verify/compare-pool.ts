// Compares a v3 pool's served state with its contracts at a block: every number of the pool, its ticks, its positions and
// its token ids, whether any of these is missing, and what each token id would really pay.
import { type Address, parseAbiItem } from "viem";
import type { NftRow, PoolRow, PositionRow, TickRow } from "../core/concentrated/rows.ts";
import type { V3Pool } from "../gateway/concentrated/pool.ts";
import { poolWorth } from "../gateway/concentrated/position-worth.ts";
import type { V3PoolState } from "../gateway/concentrated/state-at.ts";
import type { Contracts } from "./contract-answers.ts";
import { readLogs } from "./exit/announced-contracts.ts";
import {
  asText,
  managerAbi,
  poolAbi,
  type Read,
  readAll,
  readInitialisedTicks,
  storageKey,
  tryExit,
} from "./pool-contracts.ts";

export interface PoolReport {
  pool: Address;
  /** Numbers compared, by what they belong to. */
  compared: Map<string, number>;
  differences: number;
  noted: string[];
  /** Why the pool is not served; undefined where it is. */
  stopped: string | undefined;
}

const MOST_NOTED = 10;

/** Counts numbers of a kind as compared; `line` says how they differ, where they do. */
export type NoteNumbers = (what: string, numbers: number, line: string | undefined) => void;

export const noteIn =
  (report: PoolReport, block: number): NoteNumbers =>
  (what, numbers, line) => {
    report.compared.set(what, (report.compared.get(what) ?? 0) + numbers);
    if (line === undefined) return;
    report.differences += 1;
    if (report.noted.length < MOST_NOTED) report.noted.push(`${report.pool} at block ${block}: ${line}`);
  };

type Range = Pick<PositionRow, "tickLower" | "tickUpper">;

/** A read and the numbers that it must return. */
interface Expectation {
  what: string;
  read: Read;
  pick(answer: readonly unknown[]): readonly unknown[];
  served: readonly unknown[];
}

const whole = (answer: readonly unknown[]): readonly unknown[] => answer;

function slotExpectations({ address, flavour }: V3Pool, slot: PoolRow): Expectation[] {
  const read = (functionName: string): Read => ({ address, abi: poolAbi, functionName, args: [] });
  const feeProtocol = slot.feeProtocol0 + slot.feeProtocol1 * (flavour === "kodiak" ? 65_536 : 16);
  const { sqrtPriceX96, tick, liquidity, feeGrowthGlobal0X128, feeGrowthGlobal1X128, protocolFees0, protocolFees1 } =
    slot;
  return [
    {
      what: "slot0",
      read: read("slot0"),
      pick: (answer) => [answer[0], answer[1], answer[5]],
      served: [sqrtPriceX96, tick, feeProtocol],
    },
    { what: "liquidity", read: read("liquidity"), pick: whole, served: [liquidity] },
    { what: "fee growth", read: read("feeGrowthGlobal0X128"), pick: whole, served: [feeGrowthGlobal0X128] },
    { what: "fee growth", read: read("feeGrowthGlobal1X128"), pick: whole, served: [feeGrowthGlobal1X128] },
    { what: "protocol fees", read: read("protocolFees"), pick: whole, served: [protocolFees0, protocolFees1] },
  ];
}

const tickExpectation = (address: Address, row: TickRow): Expectation => ({
  what: "ticks",
  read: { address, abi: poolAbi, functionName: "ticks", args: [row.tick] },
  pick: (answer) => [...answer.slice(0, 4), answer[7]],
  served: [row.liquidityGross, row.liquidityNet, row.feeGrowthOutside0X128, row.feeGrowthOutside1X128, true],
});

const growthAndOwed = (row: PositionRow | NftRow): bigint[] => [
  row.liquidity,
  row.feeGrowthInside0LastX128,
  row.feeGrowthInside1LastX128,
  row.tokensOwed0,
  row.tokensOwed1,
];

const positionExpectation = (address: Address, row: PositionRow): Expectation => ({
  what: "positions",
  read: {
    address,
    abi: poolAbi,
    functionName: "positions",
    args: [storageKey(row.owner, row.tickLower, row.tickUpper)],
  },
  pick: whole,
  served: growthAndOwed(row),
});

function nftExpectations({ manager, token0, token1, fee }: V3Pool, row: NftRow): Expectation[] {
  const read = (functionName: string): Read => ({
    address: manager,
    abi: managerAbi,
    functionName,
    args: [row.tokenId],
  });
  const served = [token0, token1, fee, row.tickLower, row.tickUpper, ...growthAndOwed(row)];
  return [
    { what: "token ids", read: read("positions"), pick: (answer) => answer.slice(2), served },
    { what: "token ids", read: read("ownerOf"), pick: whole, served: [row.owner] },
  ];
}

/** `isEveryTick`: also that the pool has no initialised tick that is not served, which reads its whole bitmap. */
export async function comparePool(
  contracts: Contracts,
  input: { state: V3PoolState; block: number; isEveryTick: boolean },
  report: PoolReport,
): Promise<void> {
  const { state, block, isEveryTick } = input;
  const { pool, slot } = state;
  const note = noteIn(report, block);
  const expected = [
    ...(slot ? slotExpectations(pool, slot) : []),
    ...[...state.ticks.values()].map((row) => tickExpectation(pool.address, row)),
    ...[...state.positions.values()].map((row) => positionExpectation(pool.address, row)),
    ...state.nfts.flatMap((row) => nftExpectations(pool, row)),
  ];
  const { client } = contracts;
  const answers = await readAll(
    client,
    expected.map(({ read }) => read),
    block,
  );
  for (const [i, { what, read, pick, served }] of expected.entries()) {
    const answer = answers[i];
    const [here, there] = [asText(served), answer === undefined ? "reverts" : asText(pick(answer))];
    const line = here === there ? undefined : `${read.functionName}(${read.args}) served ${here}; contract ${there}`;
    note(what, served.length, line);
  }
  if (isEveryTick && slot) {
    const initialised = await readInitialisedTicks(
      client,
      { pool: pool.address, tickSpacing: pool.tickSpacing },
      block,
    );
    const [here, there] = [[...state.ticks.keys()].sort((a, b) => a - b).join(), initialised.join()];
    note("tick bitmap", 1, here === there ? undefined : `initialised ticks served ${here}; contract ${there}`);
  }
  await compareSums(client, { state, block }, note);
  await compareExits(client, { state, block }, note);
}

/**
 * Whether a position or token id is missing: all positions together have at each tick what the pool counts there, and all token ids in
 * each range what the manager's account has. What is served of ticks and accounts has been compared with the pool before.
 */
async function compareSums(
  client: Contracts["client"],
  { state, block }: { state: V3PoolState; block: number },
  note: NoteNumbers,
): Promise<void> {
  const { pool, ticks, positions, nfts } = state;
  const atTicks = new Map([...ticks.keys()].map((tick) => [tick, 0n]));
  const inRanges = new Map<string, { range: Range; tokenIds: bigint; account: bigint }>();
  const rangeOf = ({ tickLower, tickUpper }: Range) => {
    const key = `${tickLower} ${tickUpper}`;
    const found = inRanges.get(key) ?? { range: { tickLower, tickUpper }, tokenIds: 0n, account: 0n };
    inRanges.set(key, found);
    return found;
  };
  for (const row of positions.values()) {
    for (const tick of [row.tickLower, row.tickUpper]) atTicks.set(tick, (atTicks.get(tick) ?? 0n) + row.liquidity);
    if (row.owner === pool.manager) rangeOf(row).account = row.liquidity;
  }
  for (const row of nfts) rangeOf(row).tokenIds += row.liquidity;
  for (const [tick, sum] of atTicks) {
    const counted = ticks.get(tick)?.liquidityGross ?? 0n;
    const line = `all positions at tick ${tick} have ${sum} of liquidity, the tick ${counted}`;
    note("sums of positions", 1, sum === counted ? undefined : line);
  }
  for (const { range, tokenIds, account } of inRanges.values()) {
    const isSame = tokenIds === account || tokenIds + (await ownerlessIn(client, { pool, range, block })) === account;
    const { tickLower, tickUpper } = range;
    const line = `all token ids in ${tickLower}…${tickUpper} have ${tokenIds} of liquidity, the manager's account ${account}`;
    note("sums of token ids", 1, isSame ? undefined : line);
  }
}

const minted = parseAbiItem(
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
);

/** Liquidity that others minted for the manager's account: it belongs to no token id, and stays for ever. */
async function ownerlessIn(
  client: Contracts["client"],
  { pool, range, block }: { pool: V3Pool; range: Range; block: number },
): Promise<bigint> {
  const { address, manager, createdBlock } = pool;
  const args = { owner: manager, tickLower: range.tickLower, tickUpper: range.tickUpper };
  const logs = await readLogs(client, { address, event: minted, args, from: createdBlock, upTo: block });
  const others = logs.filter(({ args: { sender } }) => String(sender).toLowerCase() !== manager);
  return others.reduce((sum, { args: { amount } }) => sum + (amount as bigint), 0n);
}

async function compareExits(
  client: Contracts["client"],
  { state, block }: { state: V3PoolState; block: number },
  note: NoteNumbers,
): Promise<void> {
  for (const { id, manager, owner, row, principal0, principal1, fees0, fees1 } of poolWorth(state).positions) {
    if (manager === undefined) continue;
    const paid = await tryExit(client, { manager, tokenId: id, owner, liquidity: row.liquidity }, block);
    const here = asText([principal0, principal1, fees0, fees1]);
    const there = asText([paid.principal0, paid.principal1, paid.fees0, paid.fees1]);
    const verb = paid.isPaid ? "pays" : "owes";
    const line = here === there ? undefined : `exit of token id ${id} served ${here}; the manager ${verb} ${there}`;
    note(paid.isPaid ? "exits" : "exits that cannot be paid", 4, line);
  }
}
