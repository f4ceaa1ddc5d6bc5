// Which contracts pass on what they hold, from their factories' own logs and the chain file. Shares no data with the product.
import type { AbiEvent, Address, PublicClient } from "viem";
import { farmDeployed } from "../../abis/farm.ts";
import { islandCreated } from "../../abis/island.ts";
import { rewardVaultCreated } from "../../abis/reward-vault.ts";
import { v2PairCreated } from "../../abis/v2.ts";
import { v3PoolCreated } from "../../abis/v3.ts";
import { baultDeployed, infraredVaultCreated } from "../../abis/vault.ts";
import type { ChainFile } from "../../chains/chain-file.ts";

const kinds = {
  "v2-pool": "shares",
  island: "shares",
  bault: "shares",
  erc4626: "shares",
  "erc4626-queued": "shares",
  beefy: "shares",
  reward_vault: "stakes",
  farm: "stakes",
  infrared: "stakes",
  staking: "stakes",
} as const;

export type ContractKind = keyof typeof kinds;

const stakesOn: ReadonlySet<ContractKind> = new Set(["bault", "erc4626", "beefy", "infrared", "staking"]);

export interface AnnouncedContract {
  kind: ContractKind;
  address: Address;
  /** The block of the announcement. */
  since: number;
  /** The v3 pool of an island; what a vault takes, where its announcement says so. */
  over: Address | undefined;
  /** The two tokens of a pair. */
  tokens?: readonly Address[];
}

/** Whether an account holds shares, which are a token, or has a stake that only the contract knows of. */
export const issues = ({ kind }: AnnouncedContract): "shares" | "stakes" => kinds[kind];

export interface AnnouncedPool {
  address: Address;
  manager: Address;
  token0: Address;
  token1: Address;
  fee: number;
  since: number;
}

export interface Announced {
  contracts: readonly AnnouncedContract[];
  pools: readonly AnnouncedPool[];
}

const BLOCKS_PER_REQUEST = 10_000;

export interface LogQuestion {
  address?: Address;
  event: AbiEvent;
  args?: Record<string, unknown>;
  from: number;
  upTo: number;
}

/** Logs of one event in chain order, however many blocks they are spread over. */
export async function readLogs(
  node: PublicClient,
  { address, event, args, from, upTo }: LogQuestion,
): Promise<{ address: Address; block: number; args: Record<string, unknown> }[]> {
  const found = [];
  for (let low = from; low <= upTo; low += BLOCKS_PER_REQUEST) {
    const logs = await node.getLogs({
      ...(address === undefined ? {} : { address }),
      event,
      ...(args === undefined ? {} : { args }),
      fromBlock: BigInt(low),
      toBlock: BigInt(Math.min(low + BLOCKS_PER_REQUEST - 1, upTo)),
      strict: true,
    });
    for (const log of logs)
      found.push({
        address: log.address.toLowerCase() as Address,
        block: Number(log.blockNumber),
        args: log.args as unknown as Record<string, unknown>,
      });
  }
  return found;
}

const lower = (value: unknown): Address => String(value).toLowerCase() as Address;

/** Everything announced up to `upTo`. */
export async function readAnnounced(node: PublicClient, chain: ChainFile, upTo: number): Promise<Announced> {
  const contracts: AnnouncedContract[] = chain.externalVaults.map(({ kind, address, asset, startBlock }) => ({
    kind,
    address,
    since: startBlock,
    over: asset,
  }));
  const announcements = [
    { kind: "v2-pool", factory: chain.v2?.factory, event: v2PairCreated, name: "pair", over: undefined },
    { kind: "island", factory: chain.islands?.factory, event: islandCreated, name: "island", over: "uniPool" },
    {
      kind: "reward_vault",
      factory: chain.rewardVaults?.factory,
      event: rewardVaultCreated,
      name: "vault",
      over: "stakingToken",
    },
    { kind: "farm", factory: chain.farms?.factory, event: farmDeployed, name: "farm", over: undefined },
    { kind: "bault", factory: chain.baults?.factory, event: baultDeployed, name: "bault", over: "stakingToken" },
    {
      kind: "infrared",
      factory: chain.infrared?.core,
      event: infraredVaultCreated,
      name: "_vault",
      over: "_asset",
    },
  ] as const;
  for (const { kind, factory, event, name, over } of announcements) {
    if (!factory) continue;
    const { address, startBlock } = factory;
    for (const { block, args } of await readLogs(node, { address, event, from: startBlock, upTo }))
      contracts.push({
        kind,
        address: lower(args[name]),
        since: block,
        over: over === undefined ? undefined : lower(args[over]),
        ...(kind === "v2-pool" ? { tokens: [lower(args.token0), lower(args.token1)] } : {}),
      });
  }
  const distinct = new Map(contracts.map((contract) => [contract.address, contract]));
  return { contracts: [...distinct.values()], pools: await readPools(node, chain, upTo) };
}

/** The tokens that an asset's issuer is there to hold; the asset is named as in answers. */
export function tokensBehind({ contracts, pools }: Announced, asset: string): readonly Address[] {
  const issuer = asset.split(":")[1];
  const contract = contracts.find(({ address }) => address === issuer);
  const place = contract?.kind === "island" ? contract.over : issuer;
  const pool = pools.find(({ address }) => address === place);
  if (pool) return [pool.token0, pool.token1];
  return contract?.tokens ?? (contract?.over ? [contract.over] : []);
}

/** The asset's issuer; for an island also the pool that has its liquidity, for a vault those in which it may have staked on. */
export function contractsBehind({ contracts }: Announced, asset: string): readonly string[] {
  const issuer = asset.split(":")[1] ?? asset;
  const contract = contracts.find(({ address }) => address === issuer);
  if (!contract?.over) return [issuer];
  if (contract.kind === "island") return [issuer, contract.over];
  if (!stakesOn.has(contract.kind)) return [issuer];
  const onward = contracts.filter((one) => issues(one) === "stakes" && one.over === contract.over);
  return [...new Set([issuer, ...onward.map(({ address }) => address)])];
}

/** The kind of an asset in words; the asset is named as in answers. */
export function kindOf({ contracts }: Announced, asset: string): string {
  const [name, contract, manager] = asset.split(":");
  if (name === "v3-position") return manager === "direct" ? "direct position" : "token id";
  const kind = contracts.find(({ address }) => address === contract)?.kind ?? "unknown";
  return name === "stake" && kind === "erc4626-queued" ? `queued ${kind}` : kind;
}

async function readPools(node: PublicClient, { v3 }: ChainFile, upTo: number): Promise<AnnouncedPool[]> {
  const pools: AnnouncedPool[] = [];
  for (const { factory, positionManager } of v3?.deployments ?? []) {
    const { address, startBlock } = factory;
    for (const { block, args } of await readLogs(node, { address, event: v3PoolCreated, from: startBlock, upTo }))
      pools.push({
        address: lower(args.pool),
        manager: positionManager.address,
        token0: lower(args.token0),
        token1: lower(args.token1),
        fee: Number(args.fee),
        since: block,
      });
  }
  return pools;
}
