// Shares redeemed, and withdrawals that waited completed, on a copy of a chain that is kept by hand; and what counts as a position there.
import {
  type Address,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  HttpRequestError,
  type PublicClient,
  parseAbi,
} from "viem";
import { describe, expect, it } from "vitest";
import { readHoldings } from "../../verify/exit/account-holdings.ts";
import type { ChainCopy, Transaction } from "../../verify/exit/chain-copy.ts";
import { completeWithdrawals, waitingRequests } from "../../verify/exit/ways/queued-vault.ts";
import { redeemShares } from "../../verify/exit/ways/vault.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";

const [VAULT, ASSET] = [tokenOf(1) as Address, tokenOf(2) as Address];
const [ACCOUNT, SENDER, RECEIVER] = [1, 2, 3].map(accountOf) as [Address, Address, Address];
const abi = parseAbi(["function previewRedeem(uint256 shares) view returns (uint256)"]);

const failed = (cause: ConstructorParameters<typeof ContractFunctionExecutionError>[0]) =>
  new ContractFunctionExecutionError(cause, { abi, functionName: "previewRedeem", args: [100n] });

/** A receipt of one transfer of the asset. */
function paidBy(from: Address, to: Address, amount: bigint) {
  const topics = [
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    ...[from, to].map((account) => `0x${account.slice(2).padStart(64, "0")}`),
  ];
  return { logs: [{ address: ASSET, topics, data: `0x${amount.toString(16).padStart(64, "0")}` }] };
}

/** A share is worth two of the asset; `preview`: what redeeming gives, or why that is not known; `sent`: to somebody else meanwhile. */
async function callsOfExit(preview: bigint | Error, sent = 0n): Promise<string[]> {
  const calls: string[] = [];
  const readContract = async ({ functionName, args }: { functionName: string; args: [bigint] }) => {
    if (functionName === "convertToAssets") return 2n * args[0];
    if (preview instanceof Error) throw preview;
    return preview;
  };
  const perform = async ({ call, args }: Transaction) => {
    calls.push(`${call} ${String(args[call === "transfer" ? 1 : 0])}`);
    return { logs: [paidBy(VAULT, ACCOUNT, 190n), paidBy(VAULT, RECEIVER, sent)].flatMap(({ logs }) => logs) };
  };
  const copy = { block: 1, perform, client: { readContract } } as unknown as ChainCopy;
  await redeemShares({ vault: VAULT, asset: ASSET }, 100n).take(copy, ACCOUNT);
  return calls;
}

describe("shares that are redeemed", () => {
  it("give what the vault keeps of their worth in addition", async () => {
    expect(await callsOfExit(190n)).toEqual(["redeem 100", "transfer 10"]);
    expect(await callsOfExit(200n)).toEqual(["redeem 100"]);
  });

  it("give nothing in addition of what the vault has sent to somebody as its fee", async () => {
    expect(await callsOfExit(190n, 10n)).toEqual(["redeem 100"]);
    expect(await callsOfExit(190n, 4n)).toEqual(["redeem 100", "transfer 6"]);
  });

  it("give what they give where the vault has no preview", async () => {
    const reverted = new ContractFunctionRevertedError({ abi, functionName: "previewRedeem", data: "0x" });
    expect(await callsOfExit(failed(reverted))).toEqual(["redeem 100"]);
  });

  it("are not judged while the node does not answer", async () => {
    const silent = new HttpRequestError({ url: "http://127.0.0.1", body: {} });
    await expect(callsOfExit(failed(silent))).rejects.toThrow("HTTP request failed");
  });
});

describe("withdrawals that wait", () => {
  it("are those for the account's own shares, no matter who made the request, until they end", async () => {
    const requests = [
      { assets: 5n, owner: ACCOUNT },
      { assets: 7n, owner: SENDER },
      { assets: 0n, owner: ACCOUNT },
    ];
    let withoutId = (): [bigint, bigint, bigint, Address, Address] => [4n, 4n, 9n, ACCOUNT, RECEIVER];
    const node = {
      getLogs: async ({ args }: { args: object }) => [
        { address: VAULT, blockNumber: 3n, args: { ...args, sender: SENDER, receiver: RECEIVER } },
      ],
      readContract: async ({ functionName, args: [of] }: { functionName: string; args: [Address | bigint] }) => {
        if (functionName === "getERC721WithdrawalRequest") return requests[Number(of)];
        if (functionName === "withdrawalRequests") return withoutId();
        return of === SENDER ? [0n, 1n, 2n] : [];
      },
    } as unknown as PublicClient;
    const waiting = () => waitingRequests(node, { vault: VAULT, owner: ACCOUNT, since: 1, block: 9 });
    expect(await waiting()).toEqual([0n, SENDER]);
    withoutId = () => [4n, 4n, 9n, RECEIVER, ACCOUNT];
    expect(await waiting()).toEqual([0n]);
    withoutId = () => {
      throw failed(new ContractFunctionRevertedError({ abi, functionName: "previewRedeem", data: "0x" }));
    };
    expect(await waiting()).toEqual([0n]);
    withoutId = () => {
      throw failed(new HttpRequestError({ url: "http://127.0.0.1", body: {} }));
    };
    await expect(waiting()).rejects.toThrow("HTTP request failed");
  });

  it("arrive at the account where they are paid to somebody else", async () => {
    const calls: string[] = [];
    const perform = async ({ from, call, args }: Transaction) => {
      calls.push(`${from} ${call} ${String(args.at(-1))}`);
      return call === "transfer"
        ? paidBy(RECEIVER, ACCOUNT, 5n)
        : paidBy(VAULT, args[1] === 0n ? RECEIVER : ACCOUNT, 5n);
    };
    const readContract = async ({ functionName, args }: { functionName: string; args?: [bigint] }) => {
      if (functionName === "WITHDRAWAL_COOLDOWN") return 100n;
      if (functionName === "withdrawalRequests") return [5n, 5n, 9n, ACCOUNT, ACCOUNT];
      return { assets: 5n, owner: ACCOUNT, receiver: args?.[0] === 0n ? RECEIVER : ACCOUNT };
    };
    const client = { readContract, getBlock: async () => ({ timestamp: 1n }) };
    const copy = { block: 1, perform, client } as unknown as ChainCopy;
    const { receipts, notes } = await completeWithdrawals(VAULT, [0n, 1n, SENDER]).take(copy, ACCOUNT);
    expect(calls).toEqual([
      ...[`${VAULT} completeWithdrawal 0`, `${RECEIVER} transfer 5`, `${VAULT} completeWithdrawal 1`],
      // one without an id is ended by its maker
      `${SENDER} completeWithdrawal false`,
    ]);
    expect(receipts).toHaveLength(4);
    expect(notes.filter((note) => note.includes(RECEIVER))).toHaveLength(1);
  });
});

describe("positions in a pool", () => {
  const pool = { address: VAULT, manager: SENDER, token0: ASSET, token1: ASSET, fee: 500, since: 1 };
  const node = {
    getLogs: async ({ args }: { args: object }) => [
      { address: VAULT, blockNumber: 3n, args: { ...args, tickLower: -10, tickUpper: 10 } },
    ],
    multicall: async ({ contracts }: { contracts: readonly { functionName: string }[] }) =>
      contracts.map(({ functionName }) => ({
        status: "success",
        result: functionName === "positions" ? [5n, 0n, 0n, 0n, 0n] : 0n,
      })),
  } as unknown as PublicClient;
  const kindsOf = async (account: Address): Promise<string[]> => {
    const holdings = await readHoldings({ node, announced: { contracts: [], pools: [pool] }, account, block: 9 });
    return holdings.map(({ kind }) => kind);
  };

  it("are their owner's, but those of the position manager belong to its token ids", async () => {
    expect(await kindsOf(ACCOUNT)).toEqual(["direct position"]);
    expect(await kindsOf(SENDER)).toEqual([]);
  });
});
