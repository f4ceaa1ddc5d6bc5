// A vault that takes its fee in shares, on an anvil of its own: what its contract says at each block, and the facts of its logs.
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, parseAbi, parseEventLogs } from "viem";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { DevChain } from "../../devnet/chain.ts";
import { compileSolidity } from "../../devnet/compile/solidity.ts";
import { deployContract } from "../../devnet/deploy/deploy-contracts.ts";
import { startAnvil } from "../devnet/contracts/anvil.ts";
import { chainFixture } from "./gateway-fixture.ts";
import { SCRIPT_CHAIN_ID, Script } from "./scripted-index.ts";

const abi = parseAbi([
  "function mint(address to, uint256 value)",
  "function approve(address spender, uint256 value) returns (bool)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function deposit(uint256 assets, address receiver) returns (uint256)",
  "function redeem(uint256 shares, address receiver, address owner) returns (uint256)",
  "function setFee(uint256 feeBps, uint8 way)",
  "function run((address to, bytes data)[] calls) returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function convertToAssets(uint256 shares) view returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
]);

const files = ["share-fee-vault.sol", "../devnet/contracts/batch.sol"].map((file) => `../../test/support/${file}`);
const settings = { evmVersion: "london", optimizerRuns: 200 };

export const WAYS = ["fee first", "burn first", "by the vault"] as const;

export interface Call {
  to: Address;
  data: Hex;
}

const low = (address: string): Address => address.toLowerCase() as Address;
const call = (to: Address, functionName: string, args: readonly unknown[]): Call => ({
  ...{ to, data: encodeFunctionData({ abi, functionName, args } as never) },
});

/** The asset has an account that does several things in one transaction, and an ordinary one; both have let the vault take it. */
export interface ShareFeeWorld {
  chain: DevChain;
  asset: Address;
  vault: Address;
  treasury: Address;
  contract: Address;
  person: Address;
  stop(): Promise<void>;
}

export async function startShareFeeWorld(): Promise<ShareFeeWorld> {
  const { chain, stop } = await startAnvil();
  const contracts = compileSolidity({ compiler: "solc", files, settings });
  const [deployer, person, treasury] = chain.accounts.map(low) as [Address, Address, Address];
  const create = async (name: string, args: readonly unknown[]): Promise<Address> => {
    const { abi, bytecode } = contracts.get(name) as { abi: Abi; bytecode: Hex };
    return low(await chain.create(deployer, encodeDeployData({ abi, bytecode, args })));
  };
  const asset = await deployContract(chain, { name: "MintableToken", args: ["Asset", "A", 18] });
  const vault = await create("ShareFeeVault", [asset, treasury]);
  const contract = await create("Batch", []);
  await chain.seal();
  const world = { chain, asset, vault, treasury, contract, person, stop };
  await transact(world, ...[contract, person].map((to) => call(asset, "mint", [to, 10n ** 24n])));
  await transact(world, call(asset, "approve", [vault, 10n ** 24n]), call(vault, "approve", [contract, 10n ** 24n]));
  await together(world, call(asset, "approve", [vault, 10n ** 24n]));
  await chain.seal();
  return world;
}

/** The person does each in a transaction of its own, in the next block. */
export async function transact({ chain, person }: ShareFeeWorld, ...calls: readonly Call[]): Promise<void> {
  for (const { to, data } of calls) await chain.send({ from: person, to, data });
}

/** The contract does all of it in one transaction, in the next block. */
export const together = (world: ShareFeeWorld, ...calls: readonly Call[]): Promise<void> =>
  transact(world, call(world.contract, "run", [calls]));

export const deposit = ({ vault }: ShareFeeWorld, assets: bigint, receiver: Address): Call =>
  call(vault, "deposit", [assets, receiver]);
export const redeem = ({ vault, treasury }: ShareFeeWorld, shares: bigint, owner: Address): Call =>
  call(vault, "redeem", [shares, treasury, owner]);
export const sendAway = ({ vault }: ShareFeeWorld, shares: bigint): Call =>
  call(vault, "transfer", [ZERO_ADDRESS, shares]);
export const give = ({ asset, vault }: ShareFeeWorld, amount: bigint): Call => call(asset, "transfer", [vault, amount]);
export const setFee = ({ vault }: ShareFeeWorld, feeBps: bigint, way: (typeof WAYS)[number]): Call =>
  call(vault, "setFee", [feeBps, WAYS.indexOf(way)]);

export const chainFileOf = ({ vault, asset }: ShareFeeWorld) =>
  chainFixture({
    ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
    externalVaults: [{ address: vault, kind: "erc4626", asset, startBlock: 0 }],
  });

/** What the contract says at a block: shares, and what of the asset they are worth, zeros left out. */
export async function saidByContract({ chain, vault, ...world }: ShareFeeWorld, block: number) {
  const ask = (functionName: "balanceOf" | "totalSupply" | "convertToAssets", args: readonly unknown[]) =>
    chain.client.readContract({
      address: vault,
      abi,
      functionName,
      args,
      blockNumber: BigInt(block),
    } as never) as Promise<bigint>;
  const shares: Record<string, bigint> = {};
  const worth: Record<string, bigint> = {};
  for (const account of [world.contract, world.person, world.treasury]) {
    const amount = await ask("balanceOf", [account]);
    if (amount === 0n) continue;
    shares[account] = amount;
    worth[account] = await ask("convertToAssets", [amount]);
  }
  return { supply: await ask("totalSupply", []), atZero: await ask("balanceOf", [ZERO_ADDRESS]), shares, worth };
}

/** Every log so far as the fact that Ponder would have made of it; blocks have the chain's numbers. */
export async function factsOf({ chain }: ShareFeeWorld): Promise<Script> {
  const script = new Script();
  let transaction = 0;
  const logs = await chain.client.getLogs({ fromBlock: 0n, toBlock: "latest" });
  for (const log of parseEventLogs({ abi, logs })) {
    for (; script.block < Number(log.blockNumber); transaction = 0) script.nextBlock();
    for (; transaction < log.transactionIndex; transaction++) script.nextTransaction();
    const address = low(log.address);
    if (log.eventName === "Transfer") {
      const { from, to, amount } = log.args;
      script.move(address, { from: low(from), to: low(to), amount });
      continue;
    }
    const { sender, owner, assets, shares } = log.args;
    const flow = { vault: address, sender: low(sender), owner: low(owner), assets: `${assets}`, shares: `${shares}` };
    if (log.eventName === "Deposit") script.tell("vault_flow", { ...flow, kind: "deposit" });
    else script.tell("vault_flow", { ...flow, kind: "withdraw", receiver: low(log.args.receiver) });
  }
  const head = Number(await chain.client.getBlockNumber());
  while (script.block < head) script.nextBlock();
  return script;
}
