// What pools earned and reward vaults were sent between two blocks, from raw logs of the node and reads of the contracts:
// nothing of the index, and none of its arithmetic.
import { type Address, type PublicClient, parseAbi, parseAbiItem, zeroAddress } from "viem";
import { islandAbi } from "../../abis/island.ts";
import { distributorAbi } from "../../abis/reward-vault.ts";
import { v2PairAbi } from "../../abis/v2.ts";
import { v3PoolAbi } from "../../abis/v3.ts";
import { poolAbi, readAll, storageKey } from "../../verify/pool-contracts.ts";

type Two = [bigint, bigint];

interface Placed {
  block: number;
  logIndex: number;
  transaction: string;
}

export interface RawLogs {
  /** `FeesEarned` by island. */
  feesEarned: Map<string, (Placed & { net: Two })[]>;
  /** The pool's `Collect` (positive) and `Burn` (negative) with an island as owner, by `<pool> <owner>`. */
  collected: Map<string, (Placed & { amounts: Two })[]>;
  /** By pair. */
  swaps: Map<string, (Placed & { in: Two })[]>;
  /** By pair; how many times the pair minted shares to somebody since its last liquidity event of the transaction. */
  liquidity: Map<string, (Placed & { kind: "Mint" | "Burn"; minted: number })[]>;
  /** By vault. */
  distributed: Map<string, (Placed & { amount: bigint })[]>;
}

const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 amount)");

interface Log {
  address: Address;
  blockNumber: bigint;
  logIndex: number;
  transactionHash: string;
}

const placeOf = ({ blockNumber, logIndex, transactionHash }: Log): Placed => ({
  block: Number(blockNumber),
  logIndex,
  transaction: transactionHash,
});

function grouped<T>(items: readonly (readonly [string, T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const [key, item] of items) groups.set(key.toLowerCase(), [...(groups.get(key.toLowerCase()) ?? []), item]);
  return groups;
}

export async function readRawLogs(
  client: PublicClient,
  input: { islands: readonly Address[]; pools: readonly Address[]; pairs: readonly Address[]; distributor: Address },
): Promise<RawLogs> {
  const range = { fromBlock: 0n, toBlock: "latest", strict: true } as const;
  const earned = await client.getLogs({ ...range, address: [...input.islands], events: islandAbi });
  const moved = await client.getLogs({ ...range, address: [...input.pools], events: v3PoolAbi });
  const traded = await client.getLogs({ ...range, address: [...input.pairs], events: [...v2PairAbi, transfer] });
  const sent = await client.getLogs({ ...range, address: input.distributor, events: distributorAbi });
  return {
    feesEarned: grouped(
      earned.flatMap((log) =>
        log.eventName === "FeesEarned"
          ? [[log.address, { ...placeOf(log), net: [log.args.feesEarned0, log.args.feesEarned1] as Two }] as const]
          : [],
      ),
    ),
    collected: grouped(
      moved.flatMap((log) => {
        if (log.eventName !== "Collect" && log.eventName !== "Burn") return [];
        const sign = log.eventName === "Collect" ? 1n : -1n;
        const amounts: Two = [sign * log.args.amount0, sign * log.args.amount1];
        return [[`${log.address} ${log.args.owner}`, { ...placeOf(log), amounts }] as const];
      }),
    ),
    swaps: grouped(
      traded.flatMap((log) =>
        log.eventName === "Swap"
          ? [[log.address, { ...placeOf(log), in: [log.args.amount0In, log.args.amount1In] as Two }] as const]
          : [],
      ),
    ),
    liquidity: liquidityEvents(traded),
    distributed: grouped(sent.map((log) => [log.args.receiver, { ...placeOf(log), amount: log.args.amount }] as const)),
  };
}

type PairLog = Log & { eventName: string; args: Record<string, unknown> };

function liquidityEvents(logs: readonly PairLog[]): RawLogs["liquidity"] {
  const events: [string, Placed & { kind: "Mint" | "Burn"; minted: number }][] = [];
  const minted = new Map<string, number>();
  for (const log of logs) {
    const key = `${log.address} ${log.transactionHash}`;
    const own = minted.get(key) ?? 0;
    // those that a first mint locks are nobody's
    if (log.eventName === "Transfer" && log.args.from === zeroAddress && log.args.to !== zeroAddress)
      minted.set(key, own + 1);
    if (log.eventName !== "Mint" && log.eventName !== "Burn") continue;
    events.push([log.address, { ...placeOf(log), kind: log.eventName, minted: own }]);
    minted.delete(key);
  }
  return grouped(events);
}

export interface Window {
  /** Logs with `after < block <= upTo`. */
  after: number;
  upTo: number;
}

const within = <T extends Placed>(logs: readonly T[] | undefined, { after, upTo }: Window): T[] =>
  (logs ?? []).filter(({ block }) => block > after && block <= upTo);

const isBefore = (a: Placed, b: Placed): boolean =>
  a.block < b.block || (a.block === b.block && a.logIndex < b.logIndex);

export const distributedIn = (logs: RawLogs, vault: string, window: Window): bigint =>
  within(logs.distributed.get(vault), window).reduce((sum, { amount }) => sum + amount, 0n);

/**
 * 0.3 % of what came in. One sixth of it is the protocol's where the pair's next `Mint` or `Burn` gave it shares, or, for
 * the swaps after the last one, where the last one did that had a swap of the window before it, or gave any.
 */
export function pairFees(logs: RawLogs, pair: string, window: Window): Two {
  const upTo = (logs.liquidity.get(pair) ?? []).filter(({ block }) => block <= window.upTo);
  const swaps = within(logs.swaps.get(pair), window);
  const isCharged = ({ kind, minted }: { kind: string; minted: number }) => minted > (kind === "Mint" ? 1 : 0);
  const hasSwaps = (event: Placed, previous: Placed | undefined) =>
    swaps.some((swap) => isBefore(swap, event) && !(previous && isBefore(swap, previous)));
  const first = upTo.findLastIndex(({ block }) => block <= window.after);
  const last = upTo.findLast((event, i) => i >= first && (isCharged(event) || hasSwaps(event, upTo[i - 1])));
  // thousandths of a wei, sixths of them
  const fees: Two = [0n, 0n];
  for (const swap of swaps) {
    const next = upTo.find((event) => isBefore(swap, event)) ?? last;
    const sixths = next && isCharged(next) ? 5n : 6n;
    fees[0] += swap.in[0] * 3n * sixths;
    fees[1] += swap.in[1] * 3n * sixths;
  }
  return [fees[0] / 6_000n, fees[1] / 6_000n];
}

export interface IslandPlace {
  island: Address;
  pool: Address;
  lowerTick: number;
  upperTick: number;
}

const wrapped = (value: bigint): bigint => BigInt.asUintN(256, value);

/** Fees that an island's position could collect at the end of the block; nothing where there is none. */
export async function pendingFees(client: PublicClient, at: IslandPlace, block: number): Promise<Two> {
  const { island, pool, lowerTick, upperTick } = at;
  const read = (functionName: string, args: readonly unknown[] = []) => ({
    address: pool,
    abi: poolAbi,
    functionName,
    args,
  });
  const answers = await readAll(
    client,
    [
      read("positions", [storageKey(island, lowerTick, upperTick)]),
      read("slot0"),
      read("feeGrowthGlobal0X128"),
      read("feeGrowthGlobal1X128"),
      read("ticks", [lowerTick]),
      read("ticks", [upperTick]),
    ],
    block,
  );
  const [position, slot, global0, global1, lower, upper] = answers;
  if (!position || !slot) return [0n, 0n];
  const [liquidity, last0, last1, owed0, owed1] = position as bigint[];
  const tick = Number(slot[1]);
  const side = (i: 0 | 1): bigint => {
    const global = (i === 0 ? global0 : global1)?.[0] as bigint;
    const [outsideLower, outsideUpper] = [lower?.[2 + i] as bigint, upper?.[2 + i] as bigint];
    const below = tick >= lowerTick ? outsideLower : wrapped(global - outsideLower);
    const above = tick < upperTick ? outsideUpper : wrapped(global - outsideUpper);
    const inside = wrapped(global - below - above);
    const last = (i === 0 ? last0 : last1) ?? 0n;
    return ((i === 0 ? owed0 : owed1) ?? 0n) + ((liquidity ?? 0n) * wrapped(inside - last)) / 2n ** 128n;
  };
  return [side(0), side(1)];
}

/**
 * Fees that an island earned for its holders. Collection by collection: what the pool paid beyond the principal, of which
 * `FeesEarned` says how much was left after the manager's part; without what had been pending when the window began.
 */
export function islandFees(
  logs: RawLogs,
  input: { island: string; pool: string; window: Window; before: Two; now: Two; managerFeeBps: number },
): Two {
  const { island, pool, window, before, now, managerFeeBps } = input;
  const moves = within(logs.collected.get(`${pool} ${island}`), window);
  const fees: Two = [0n, 0n];
  for (const i of [0, 1] as const) {
    let pending = before[i];
    let previous: Placed | undefined;
    for (const event of within(logs.feesEarned.get(island), window)) {
      const gross = moves
        .filter((move) => isBefore(move, event) && !(previous && isBefore(move, previous)))
        .reduce((sum, { amounts }) => sum + amounts[i], 0n);
      if (gross > 0n) fees[i] += ((gross - pending) * event.net[i]) / gross;
      pending = 0n;
      previous = event;
    }
    const rest = previous ? now[i] : now[i] - pending;
    fees[i] += rest - (rest * BigInt(managerFeeBps)) / 10_000n;
  }
  return fees;
}

const v2Views = parseAbi(["function kLast() view returns (uint256)", "function feeTo() view returns (address)"]);

/** Whether the contracts took their sixth at the liquidity event: they say so before and after it. */
export async function tookProtocolFee(
  client: PublicClient,
  input: { factory: Address; pair: Address; block: number },
): Promise<{ feeTo: string; kLastBefore: bigint }> {
  const { factory, pair, block } = input;
  const [feeTo] = await readAll(client, [{ address: factory, abi: v2Views, functionName: "feeTo", args: [] }], block);
  const [kLast] = await readAll(client, [{ address: pair, abi: v2Views, functionName: "kLast", args: [] }], block - 1);
  return { feeTo: String(feeTo?.[0]), kLastBefore: (kLast?.[0] as bigint | undefined) ?? 0n };
}
