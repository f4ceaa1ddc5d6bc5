// Everything from which an account could take something out at a block, as the contracts say: shares, stakes, positions.
import { type Address, type PublicClient, parseAbi, parseAbiItem } from "viem";
import { directPositionId } from "../../gateway/concentrated/position-id.ts";
import { poolAbi, readAll, storageKey } from "../pool-contracts.ts";
import {
  type Announced,
  type AnnouncedContract,
  type AnnouncedPool,
  issues,
  kindOf,
  readLogs,
} from "./announced-contracts.ts";
import type { WayOut } from "./way-out.ts";
import { withdrawFromFarm } from "./ways/farm.ts";
import { burnIslandShares } from "./ways/island.ts";
import { completeWithdrawals, queueShares, waitingRequests } from "./ways/queued-vault.ts";
import { type DelegatedStake, readDelegatedStakes, withdrawFromRewardVault } from "./ways/reward-vault.ts";
import { burnPairShares } from "./ways/v2-pair.ts";
import { closeDirectPosition, closeTokenId } from "./ways/v3-position.ts";
import { redeemShares, withdrawFromVault } from "./ways/vault.ts";

export interface Holding {
  /** The asset, by the name that answers give it in paths; for positions without the token. */
  id: string;
  /** For the reader: a kind of contract, `token id`, `direct position`. */
  kind: string;
  way: WayOut;
}

export interface AccountAt {
  node: PublicClient;
  announced: Announced;
  account: Address;
  block: number;
}

const abi = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function lockedLiquidityOf(address account) view returns (uint256)",
  "function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)",
  "function positions(uint256) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128 owed0, uint128 owed1)",
]);
const minted = parseAbiItem(
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
);

/** How to take all that `amount` shares of a contract stand for; undefined for contracts without shares. */
export function wayOutOfShares({ kind, address, over }: AnnouncedContract, amount: bigint): WayOut | undefined {
  if (kind === "v2-pool") return burnPairShares(address, amount);
  if (kind === "island" && over) return burnIslandShares({ island: address, pool: over }, amount);
  if (kind === "erc4626-queued") return queueShares(address, amount);
  if ((kind === "bault" || kind === "erc4626") && over) return redeemShares({ vault: address, asset: over }, amount);
  return kind === "beefy" ? withdrawFromVault(address, amount) : undefined;
}

export async function readHoldings(at: AccountAt): Promise<Holding[]> {
  return [
    ...(await readContracts(at)),
    ...(await readQueued(at)),
    ...(await readTokenIds(at)),
    ...(await readDirectPositions(at)),
  ];
}

async function readContracts(at: AccountAt): Promise<Holding[]> {
  const { node, announced, account, block } = at;
  const contracts = announced.contracts.filter(({ since }) => since <= block);
  const answers = await readAll(
    node,
    contracts.map(({ kind, address }) => ({
      address,
      abi,
      functionName: kind === "farm" ? "lockedLiquidityOf" : "balanceOf",
      args: [account],
    })),
    block,
  );
  const holdings: Holding[] = [];
  for (const [i, contract] of contracts.entries()) {
    const amount = answers[i]?.[0];
    if (typeof amount !== "bigint" || amount === 0n) continue;
    const { kind, address } = contract;
    if (issues(contract) === "shares") {
      const way = wayOutOfShares(contract, amount);
      if (way) holdings.push({ id: `erc20:${address}`, kind, way });
      continue;
    }
    const delegated = kind === "reward_vault" ? await readDelegated(at, contract) : [];
    const way = wayOutOfStake(contract, { amount, delegated });
    const name = delegated.length > 0 ? `delegated ${kind}` : kind;
    holdings.push({ id: `stake:${address}`, kind: name, way });
  }
  return holdings;
}

/** What has been withdrawn from vaults and still waits in them. */
async function readQueued({ node, announced, account, block }: AccountAt): Promise<Holding[]> {
  const vaults = announced.contracts.filter(({ kind, since }) => kind === "erc4626-queued" && since <= block);
  const waiting = await Promise.all(
    vaults.map(({ address, since }) => waitingRequests(node, { vault: address, owner: account, since, block })),
  );
  return vaults.flatMap(({ address }, i) => {
    const [id, requests = []] = [`stake:${address}`, waiting[i]];
    if (requests.length === 0) return [];
    return [{ id, kind: kindOf(announced, id), way: completeWithdrawals(address, requests) }];
  });
}

const readDelegated = (
  { node, account, block }: AccountAt,
  { address, since }: AnnouncedContract,
): Promise<DelegatedStake[]> => readDelegatedStakes(node, { vault: address, account, since, block });

function wayOutOfStake(
  { kind, address }: AnnouncedContract,
  { amount, delegated }: { amount: bigint; delegated: readonly DelegatedStake[] },
): WayOut {
  if (kind === "farm") return withdrawFromFarm(address);
  if (kind === "reward_vault") return withdrawFromRewardVault(address, amount, delegated);
  return withdrawFromVault(address, amount);
}

async function readTokenIds({ node, announced, account, block }: AccountAt): Promise<Holding[]> {
  const holdings: Holding[] = [];
  const pools = announced.pools.filter(({ since }) => since <= block);
  for (const manager of new Set(pools.map((pool) => pool.manager))) {
    const own = { address: manager, abi } as const;
    const [counted] = await readAll(node, [{ ...own, functionName: "balanceOf", args: [account] }], block);
    const count = typeof counted?.[0] === "bigint" ? Number(counted[0]) : 0;
    const indices = Array.from({ length: count }, (_, i) => BigInt(i));
    const ids = await readAll(
      node,
      indices.map((i) => ({ ...own, functionName: "tokenOfOwnerByIndex", args: [account, i] })),
      block,
    );
    const tokenIds = ids.map((answer) => answer?.[0]).filter((id) => typeof id === "bigint");
    const positions = await readAll(
      node,
      tokenIds.map((id) => ({ ...own, functionName: "positions", args: [id] })),
      block,
    );
    for (const [i, tokenId] of tokenIds.entries()) {
      const held = tokenIdAmong(pools, { manager, tokenId, position: positions[i] });
      if (held) holdings.push(held);
    }
  }
  return holdings;
}

function tokenIdAmong(
  pools: readonly AnnouncedPool[],
  held: { manager: Address; tokenId: bigint; position: readonly unknown[] | undefined },
): Holding | undefined {
  const { manager, tokenId, position = [] } = held;
  const [token0, token1] = [String(position[2]).toLowerCase(), String(position[3]).toLowerCase()];
  const [fee, liquidity] = [Number(position[4]), position[7] as bigint];
  const pool = pools.find(
    (one) => one.manager === manager && one.token0 === token0 && one.token1 === token1 && one.fee === fee,
  );
  if (!pool || (liquidity === 0n && position[10] === 0n && position[11] === 0n)) return undefined;
  return {
    id: `v3-position:${pool.address}:${manager}:${tokenId}`,
    kind: "token id",
    way: closeTokenId({ pool: pool.address, manager, tokenId }, liquidity),
  };
}

async function readDirectPositions({ node, announced, account, block }: AccountAt): Promise<Holding[]> {
  const pools = announced.pools.filter(({ since }) => since <= block);
  if (pools.length === 0) return [];
  const from = Math.min(...pools.map(({ since }) => since));
  const logs = await readLogs(node, { event: minted, args: { owner: account }, from, upTo: block });
  const ranges = new Map<bigint, { pool: Address; tickLower: number; tickUpper: number }>();
  for (const { address: pool, args } of logs) {
    const range = { pool, tickLower: Number(args.tickLower), tickUpper: Number(args.tickUpper) };
    // what a manager has in a pool belongs to its token ids
    if (pools.some(({ address, manager }) => address === pool && manager !== account))
      ranges.set(directPositionId({ ...range, owner: account }), range);
  }
  const found = [...ranges];
  const positions = await readAll(
    node,
    found.map(([, { pool, tickLower, tickUpper }]) => ({
      address: pool,
      abi: poolAbi,
      functionName: "positions",
      args: [storageKey(account, tickLower, tickUpper)],
    })),
    block,
  );
  return found.flatMap(([id, range], i) => {
    const [liquidity, , , owed0, owed1] = (positions[i] ?? []) as bigint[];
    if (liquidity === undefined || (liquidity === 0n && owed0 === 0n && owed1 === 0n)) return [];
    const way = closeDirectPosition(range, liquidity);
    return [{ id: `v3-position:${range.pool}:direct:${id}`, kind: "direct position", way }];
  });
}
