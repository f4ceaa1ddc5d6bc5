// What the contracts say: balanceOf and totalSupply at a block, in few large calls.
import {
  type Address,
  BlockNotFoundError,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  type PublicClient,
} from "viem";
import { callContract, cannotTell } from "./contract-failure.ts";

/**
 * Calls per request. The aggregating code is sent with its calls as creation code, and its answer counts as the created code: at most
 * 49,152 and 24,576 bytes (EIP-3860, EIP-170); a call takes 224 and 160 of them.
 */
const CALLS_PER_REQUEST = 150;

/** Raw units; `unreadable` when the contract reverts or answers something else than a number. */
export type ContractAnswer = bigint | "unreadable";

export interface ContractAnswers {
  balances: ContractAnswer[];
  supply: ContractAnswer;
}

export interface Contracts {
  client: PublicClient;
  /** @throws Error unless the node's block of that number has the hash `ours`, where that is known */
  requireSameBlock(block: number, ours: string | undefined): Promise<void>;
  /**
   * Before its code exists a token holds nothing for anybody: all zeros.
   * @throws Error when the node cannot answer, e.g. because it keeps no state of that block
   */
  answersAt(question: { token: Address; block: number; accounts: readonly Address[] }): Promise<ContractAnswers>;
}

export function openContracts(rpcUrl: string): Contracts {
  const client: PublicClient = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000, retryCount: 2 }) });

  const askTogether = async (calls: readonly Call[], block: number): Promise<(bigint | undefined)[]> => {
    const options = { allowFailure: true, deployless: true, batchSize: 0, blockNumber: BigInt(block) } as const;
    const results = await client.multicall({ contracts: calls, ...options });
    return results.map((result) => (result.status === "success" ? result.result : undefined));
  };

  const askAlone = async (call: Call, block: number): Promise<ContractAnswer> => {
    const data = await callContract(client, { to: call.address, data: dataOf(call) }, block);
    return data === undefined || data.length < 66 ? "unreadable" : BigInt(data.slice(0, 66));
  };

  /** A contract that burns all gas it is given, or a node with tighter limits, fails a whole request: ask in halves. */
  const askInHalves = async (calls: readonly Call[], block: number): Promise<ContractAnswer[]> => {
    const half = Math.ceil(calls.length / 2);
    return [...(await ask(calls.slice(0, half), block)), ...(await ask(calls.slice(half), block))];
  };
  const fillGaps = async (calls: readonly Call[], answers: readonly (bigint | undefined)[], block: number) => {
    const filled: ContractAnswer[] = [];
    for (const [i, call] of calls.entries()) filled.push(answers[i] ?? (await askAlone(call, block)));
    return filled;
  };
  const ask = async (calls: readonly Call[], block: number): Promise<ContractAnswer[]> => {
    const [only] = calls;
    if (only !== undefined && calls.length === 1) return [await askAlone(only, block)];
    const together = await askTogether(calls, block);
    const isSilent = together.every((value) => value === undefined);
    return isSilent ? askInHalves(calls, block) : fillGaps(calls, together, block);
  };

  /** Nothing came back for any of `calls`: there is no code yet, the contract never answers, or the request was too large. */
  const askSilent = async (calls: readonly Call[], block: number): Promise<ContractAnswer[]> => {
    const [supply, balance] = calls;
    if (!supply || !balance) return ask(calls, block);
    const code = await client.getCode({ address: supply.address, blockNumber: BigInt(block) });
    if (code === undefined) return calls.map(() => 0n);
    const isMute =
      (await askAlone(supply, block)) === "unreadable" && (await askAlone(balance, block)) === "unreadable";
    return isMute ? calls.map(() => "unreadable") : askInHalves(calls, block);
  };

  return {
    client,
    async requireSameBlock(block, ours) {
      const theirs = await client.getBlock({ blockNumber: BigInt(block) }).then(
        ({ hash }) => hash,
        (error: unknown) => {
          if (error instanceof BlockNotFoundError) return undefined;
          throw cannotTell(block, error);
        },
      );
      if (ours !== undefined && theirs !== ours)
        throw new Error(
          `block ${block} is ${ours} here and ${theirs ?? "not there"} at the node: a reorg, or another chain. Run it again.`,
        );
    },
    async answersAt({ token, block, accounts }) {
      const calls: Call[] = [
        { address: token, abi: erc20Abi, functionName: "totalSupply" },
        ...accounts.map(
          (account): Call => ({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
        ),
      ];
      const first = calls.slice(0, CALLS_PER_REQUEST);
      const together = await askTogether(first, block);
      if (together.every((value) => value === undefined)) {
        const [supply = "unreadable", ...balances] = await askSilent(calls, block);
        return { supply, balances };
      }
      const answers = await fillGaps(first, together, block);
      for (let from = CALLS_PER_REQUEST; from < calls.length; from += CALLS_PER_REQUEST)
        answers.push(...(await ask(calls.slice(from, from + CALLS_PER_REQUEST), block)));
      const [supply = "unreadable", ...balances] = answers;
      return { supply, balances };
    },
  };
}

type Call =
  | { address: Address; abi: typeof erc20Abi; functionName: "totalSupply" }
  | { address: Address; abi: typeof erc20Abi; functionName: "balanceOf"; args: readonly [Address] };

const dataOf = (call: Call): Hex =>
  call.functionName === "balanceOf"
    ? encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: call.args })
    : encodeFunctionData({ abi: erc20Abi, functionName: "totalSupply" });
