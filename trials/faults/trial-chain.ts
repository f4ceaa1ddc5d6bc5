// The chain of the trials: three tokens that follow their events to the wei, and blocks of Transfers, Deposits and
// Withdrawals made on demand. Every block's logs go into a history of branches, the truth that answers are compared with.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Abi, type Address, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from "viem";
import type { Anvil } from "./anvil.ts";
import { BranchHistory, type LogEntry } from "./branch-history.ts";
import { compileSolidity } from "./compile.ts";

/** Deposits and withdrawals that go with the churn of each block. */
const WRAPPED_LOGS = 3;
const POPULATION = 120;

export interface TrialTokens {
  /** Moves among a hundred-odd accounts in every block. */
  churning: Address;
  /** Many holders, touched rarely: its answers are long. */
  wide: Address;
  /** Canonical WETH9: Deposit and Withdrawal. */
  weth: Address;
}

export interface TrialChain {
  tokens: TrialTokens;
  /** Sends every transaction. */
  deployer: Address;
  history: BranchHistory;
  head(): number;
  /** One block of exactly `logs` recorded logs. */
  mine(logs: number): Promise<void>;
  /** `count` holders of the wide token, in one block. */
  spread(count: number): Promise<void>;
  /** One block of any transactions; resolves to the addresses of the contracts it created. */
  include(transactions: readonly Transaction[]): Promise<Address[]>;
  /** Replaces the last `depth` blocks by as many or one more, with other logs. */
  reorg(depth: number, logs: number): Promise<void>;
  /** Removes every block above `height`, so that the head is lower. */
  revert(height: number): Promise<void>;
}

export interface Transaction {
  /** Absent: contract creation. */
  to?: Address;
  data: Hex;
  value?: bigint;
}

interface Receipt {
  status: Hex;
  transactionHash: Hex;
  contractAddress: Address | null;
}

interface Artifact {
  abi: Abi;
  bytecode: Hex;
}

const wethAbi = [
  { type: "function", name: "deposit", inputs: [], outputs: [], stateMutability: "payable" },
  { type: "function", name: "withdraw", inputs: [{ type: "uint256" }], outputs: [], stateMutability: "nonpayable" },
  {
    type: "function",
    name: "transfer",
    inputs: [{ type: "address" }, { type: "uint256" }],
    outputs: [{ type: "bool" }],
    stateMutability: "nonpayable",
  },
] as const;

function readWeth(): Artifact {
  const path = createRequire(import.meta.url).resolve("canonical-weth/build/contracts/WETH9.json");
  return JSON.parse(readFileSync(path, "utf8")) as Artifact;
}

/** The address of the deployer's `nonce`-th contract: known before the chain exists, so that a chain file can name it. */
const DEPLOYER: Address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const created = (nonce: bigint): Address => getContractAddress({ from: DEPLOYER, nonce }).toLowerCase() as Address;
export const trialTokens: TrialTokens = { churning: created(0n), wide: created(1n), weth: created(2n) };

/** Deploys the tokens in block 1, which has no recorded log. */
export async function createTrialChain(anvil: Anvil): Promise<TrialChain> {
  const { rpc } = anvil;
  const history = new BranchHistory();
  const { ChurningToken } = compileSolidity("churning-token.sol");
  if (!ChurningToken) throw new Error("churning-token.sol holds no ChurningToken");
  const { abi, bytecode } = ChurningToken;
  const weth = readWeth();
  let head = 0;
  let seed = 0n;
  /**
   * anvil's snapshot of every block's state, to go back to. `anvil_rollback` instead takes its state from a store of the newest
   * blocks, and after some 900 blocks and many rollbacks transactions are mined without effect.
   */
  const snapshots = new Map<number, Hex>();

  const send = async (transaction: Transaction): Promise<Hex> => {
    const { value, ...rest } = transaction;
    const sent = {
      from: DEPLOYER,
      gas: "0x1dcd65000",
      ...rest,
      ...(value === undefined ? {} : { value: `0x${value.toString(16)}` }),
    };
    return rpc<Hex>("eth_sendTransaction", [sent]);
  };
  const churn = (steps: number): Hex =>
    encodeFunctionData({ abi, functionName: "churn", args: [++seed, BigInt(steps), BigInt(POPULATION)] });

  const sealAny = async (): Promise<number> => {
    const since = Date.now();
    snapshots.set(head, await rpc<Hex>("evm_snapshot"));
    await rpc("evm_mine");
    head = Number(await rpc<Hex>("eth_blockNumber"));
    await record(head, since);
    return head;
  };
  const seal = async (expectedLogs: number): Promise<void> => {
    const number = await sealAny();
    const found = history.at(number).logs.length;
    if (found !== expectedLogs) throw new Error(`block ${number} has ${found} logs, ${expectedLogs} were sent`);
  };
  const record = async (number: number, since: number): Promise<void> => {
    const block = await rpc<{ hash: Hex }>("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
    const logs = await rpc<LogEntry[]>("eth_getLogs", [{ blockHash: block.hash }]);
    history.append(number, { hash: block.hash, logs, since });
  };
  const revert = async (height: number): Promise<void> => {
    if (height === head) return;
    history.cut(height);
    await rpc("evm_revert", [snapshots.get(height)]);
    for (const above of [...snapshots.keys()].filter((number) => number >= height)) snapshots.delete(above);
    head = height;
  };
  const queue = async (logs: number): Promise<void> => {
    if (logs > WRAPPED_LOGS) {
      await send({ to: trialTokens.churning, data: churn(logs - WRAPPED_LOGS) });
      const amount = 1000n + (seed % 977n);
      await send({
        to: trialTokens.weth,
        data: encodeFunctionData({ abi: wethAbi, functionName: "deposit" }),
        value: amount,
      });
      const receiver: Address = `0x${(0xacc0000000n + (seed % 50n)).toString(16).padStart(40, "0")}`;
      await send({
        to: trialTokens.weth,
        data: encodeFunctionData({ abi: wethAbi, functionName: "transfer", args: [receiver, amount / 3n] }),
      });
      await send({
        to: trialTokens.weth,
        data: encodeFunctionData({ abi: wethAbi, functionName: "withdraw", args: [amount / 5n] }),
      });
    } else if (logs > 0) {
      await send({ to: trialTokens.churning, data: churn(logs) });
    }
  };

  await record(0, 0);
  await send({ data: encodeDeployData({ abi, bytecode, args: ["Churning", "CHURN"] }) });
  await send({ data: encodeDeployData({ abi, bytecode, args: ["Wide", "WIDE"] }) });
  await send({ data: weth.bytecode });
  await seal(0);

  return {
    tokens: trialTokens,
    deployer: DEPLOYER,
    history,
    head: () => head,
    async mine(logs) {
      await queue(logs);
      await seal(logs);
    },
    async spread(count) {
      const PER_CALL = 250;
      for (let first = 0; first < count; first += PER_CALL)
        await send({
          to: trialTokens.wide,
          data: encodeFunctionData({
            abi,
            functionName: "spread",
            args: [BigInt(first), BigInt(Math.min(PER_CALL, count - first))],
          }),
        });
      await seal(count);
    },
    async include(transactions) {
      const hashes: Hex[] = [];
      for (const transaction of transactions) hashes.push(await send(transaction));
      await sealAny();
      const receipts = hashes.map((hash) => rpc<Receipt>("eth_getTransactionReceipt", [hash]));
      return (await Promise.all(receipts)).flatMap(({ status, contractAddress, transactionHash }) => {
        if (status !== "0x1") throw new Error(`transaction ${transactionHash} was reverted`);
        return contractAddress ? [contractAddress] : [];
      });
    },
    revert,
    async reorg(depth, logs) {
      await revert(head - depth);
      const length = depth + Number(seed % 2n);
      for (let i = 0; i < length; i++) {
        await queue(logs);
        await seal(logs);
      }
    },
  };
}
