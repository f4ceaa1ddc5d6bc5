// What every act of the scenario uses: the chain, the deployed contracts, the accounts that act, and a way to queue calls.
import { type AbiFunction, type Address, concatHex, encodeAbiParameters, type Hex, toFunctionSelector } from "viem";
import type { DevChain } from "../chain.ts";
import { type ContractName, readArtifact } from "../compile/artifacts.ts";
import type { Deployment } from "../deploy/all.ts";
import { openPurse, type Purse } from "./purse.ts";
import type { Random } from "./random.ts";
import { emptyStage, type Stage } from "./stage.ts";

export interface World {
  chain: DevChain;
  at: Deployment;
  /** Ordinary accounts; they trade, hold and stake at random. */
  actors: readonly Address[];
  /** Accounts that nothing else touches, for cases that need to know a balance exactly. */
  extras: readonly Address[];
  purse: Purse;
  /** What earlier acts have put on the chain: pools, pairs, islands, vaults. */
  stage: Stage;
}

export interface Invocation {
  name: ContractName;
  to: Address;
  call: string;
  args?: readonly unknown[];
  from: Address;
  value?: bigint;
  gas?: bigint;
  reverts?: boolean | "maybe";
}

/** Something that happens on the seeded chain, in the block of its step. */
export interface Act {
  name: string;
  /** The steps it may happen in, both included; `last` absent: only in `first`. */
  first: number;
  last?: number;
  /** Probability per step between `first` and `last`; absent: in each of them. */
  chance?: number;
  /** Probability per block after the seeded part; absent: never. Such an act seals no block and may fail. */
  live?: number;
  run(world: World, random: Random, step: number): Promise<void> | void;
}

const DEPLOYER_AND_SPARE = 1;
const EXTRAS = 30;

/** The cast: `accounts[0]` owns and deploys, the last thirty are extras, all others act. */
export function openWorld(chain: DevChain, at: Deployment): World {
  const actors = chain.accounts.slice(DEPLOYER_AND_SPARE, -EXTRAS);
  const extras = chain.accounts.slice(-EXTRAS);
  return { chain, at, actors, extras, purse: openPurse(chain, at), stage: emptyStage() };
}

const TRADERS = 48;
const PROVIDERS = 20;

/** Traders of one market: few enough that each has a history there, and that approvals stay few. */
export function tradersOf({ actors }: World, market: Address): readonly Address[] {
  return shareOf(actors.slice(0, TRADERS), market, 8);
}

/** Accounts that provide liquidity to one market. */
export function providersOf({ actors }: World, market: Address): readonly Address[] {
  return shareOf(actors.slice(TRADERS, TRADERS + PROVIDERS), market, 6);
}

/** `count` neighbours of the cast, the same ones for a market every time. */
function shareOf(cast: readonly Address[], market: Address, count: number): Address[] {
  const first = Number(BigInt(market) % BigInt(cast.length));
  return Array.from({ length: count }, (_, index) => accountAt(cast, (first + index) % cast.length));
}

/** `accounts[0]`: owner of every factory. */
export function ownerOf(world: World): Address {
  return accountAt(world.chain.accounts, 0);
}

export function accountAt(accounts: readonly Address[], index: number): Address {
  const account = accounts[index];
  if (account === undefined) throw new Error(`the devnet has no account ${index}`);
  return account;
}

interface Encoding {
  selector: Hex;
  inputs: AbiFunction["inputs"];
}

const encodings = new Map<string, Encoding>();

/** Finding a function in an ABI and hashing its signature costs more than encoding its arguments, so it is done once. */
function encodingOf(name: ContractName, call: string): Encoding {
  const key = `${name}.${call}`;
  const stored = encodings.get(key);
  if (stored !== undefined) return stored;
  const item = readArtifact(name).abi.find((part) => part.type === "function" && part.name === call);
  if (item?.type !== "function") throw new Error(`${name} has no function ${call}`);
  const encoding = { selector: toFunctionSelector(item), inputs: item.inputs };
  encodings.set(key, encoding);
  return encoding;
}

/** Queues a contract call for the next block. */
export function invoke(world: Pick<World, "chain">, { name, to, call, args = [], ...rest }: Invocation): void {
  const { selector, inputs } = encodingOf(name, call);
  world.chain.queue({ ...rest, to, data: concatHex([selector, encodeAbiParameters(inputs, args)]) });
}

/** Reads a view at the last sealed block. */
export async function readView<T>(
  world: Pick<World, "chain">,
  { name, to, call, args = [] }: Pick<Invocation, "name" | "to" | "call" | "args">,
): Promise<T> {
  const { abi } = readArtifact(name);
  return (await world.chain.client.readContract({ abi, address: to, functionName: call, args })) as T;
}
