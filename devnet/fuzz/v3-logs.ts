// Logs of pools and position managers as the reducer's facts.
import { type Abi, type Address, decodeEventLog, type Hex } from "viem";
import type { V3Flavour } from "../../core/concentrated/protocol-fee.ts";
import type { V3Fact } from "../../core/v3/facts.ts";
import { readArtifact } from "../compile/artifacts.ts";
import { kodiakArtifacts } from "../compile/kodiak-v3.ts";
import type { Stage } from "./v3-setting.ts";

interface RawLog {
  address: Address;
  topics: [Hex, ...Hex[]];
  data: Hex;
  blockNumber: Hex;
  logIndex: Hex;
  transactionIndex: Hex;
}

type Args = Record<string, never>;

const uniswapAbi = readArtifact("UniswapV3Pool").abi;
const managerAbi = readArtifact("NonfungiblePositionManager").abi;

type ByFlavour = Record<V3Flavour, V3Fact[]>;

/** All v3 facts of blocks `from`…`to`, in order, by flavour: each flavour has its own manager and so its own world. */
export async function readFacts(setting: Stage, { from, to }: { from: number; to: number }): Promise<ByFlavour> {
  const { chain, pools, managers } = setting;
  const address = [...pools.map((pool) => pool.address), managers.uniswap, managers.kodiak];
  const range = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
  const logs = await chain.rpc<RawLog[]>("eth_getLogs", [{ address, ...range }]);
  const kodiakAbi = (await kodiakArtifacts()).pool.abi;
  const facts: ByFlavour = { uniswap: [], kodiak: [] };
  for (const log of logs) {
    const at = log.address.toLowerCase();
    const pool = pools.find((candidate) => candidate.address === at);
    const flavour = pool?.flavour ?? (at === managers.kodiak ? "kodiak" : "uniswap");
    const poolAbi = flavour === "kodiak" ? kodiakAbi : uniswapAbi;
    const fact = pool === undefined ? managerFact(decode(managerAbi, log)) : poolFact(decode(poolAbi, log));
    if (fact === undefined) continue;
    const place = {
      block: Number(log.blockNumber),
      logIndex: Number(log.logIndex),
      txIndex: Number(log.transactionIndex),
      ...(pool === undefined ? {} : { pool: at }),
    };
    facts[flavour].push({ ...place, ...fact } as V3Fact);
  }
  return facts;
}

interface Event {
  eventName: string;
  args: Args;
}

function decode(abi: Abi, { topics, data }: RawLog): Event {
  const { eventName, args } = decodeEventLog({ abi, topics, data });
  return { eventName: eventName ?? "", args: (args ?? {}) as Args };
}

const lower = (address: string): string => address.toLowerCase();

function poolFact({ eventName, args }: Event): object | undefined {
  switch (eventName) {
    case "Initialize":
      return { kind: "initialize", ...args };
    case "Mint":
      return { kind: "mint", ...args, sender: lower(args.sender ?? ""), owner: lower(args.owner ?? "") };
    case "Burn":
      return { kind: "burn", ...args, owner: lower(args.owner ?? "") };
    case "Collect":
      return { kind: "collect", ...args, owner: lower(args.owner ?? "") };
    case "Swap":
      return { kind: "swap", ...args };
    case "Flash":
      return { kind: "flash", paid0: args.paid0, paid1: args.paid1 };
    case "SetFeeProtocol":
      return { kind: "setFeeProtocol", ...args };
    case "CollectProtocol":
      return { kind: "collectProtocol", amount0: args.amount0, amount1: args.amount1 };
    case "ProtocolFeesEarned":
      return { kind: "protocolFeesEarned", ...args };
    default:
      return undefined;
  }
}

function managerFact({ eventName, args }: Event): object | undefined {
  switch (eventName) {
    case "IncreaseLiquidity":
      return { kind: "increaseLiquidity", ...args };
    case "DecreaseLiquidity":
      return { kind: "decreaseLiquidity", ...args };
    case "Collect":
      return { kind: "collectToken", ...args };
    case "Transfer":
      return { kind: "transferToken", tokenId: args.tokenId, from: lower(args.from ?? ""), to: lower(args.to ?? "") };
    default:
      return undefined;
  }
}
