// Shares redeemed on a copy of a chain that is kept by hand: what a vault says that it keeps of them.
import {
  type Address,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  HttpRequestError,
  parseAbi,
} from "viem";
import { describe, expect, it } from "vitest";
import type { ChainCopy, Transaction } from "../../verify/exit/chain-copy.ts";
import { redeemShares } from "../../verify/exit/ways/vault.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";

const [VAULT, ASSET] = [tokenOf(1) as Address, tokenOf(2) as Address];
const ACCOUNT = accountOf(1) as Address;
const abi = parseAbi(["function previewRedeem(uint256 shares) view returns (uint256)"]);

const failed = (cause: ConstructorParameters<typeof ContractFunctionExecutionError>[0]) =>
  new ContractFunctionExecutionError(cause, { abi, functionName: "previewRedeem", args: [100n] });

/** A share is worth two of the asset; `preview`: what redeeming gives, or why that is not known. */
async function callsOfExit(preview: bigint | Error): Promise<string[]> {
  const calls: string[] = [];
  const readContract = async ({ functionName, args }: { functionName: string; args: [bigint] }) => {
    if (functionName === "convertToAssets") return 2n * args[0];
    if (preview instanceof Error) throw preview;
    return preview;
  };
  const perform = async ({ call, args }: Transaction) => {
    calls.push(`${call} ${String(args[call === "transfer" ? 1 : 0])}`);
    const topics = [
      "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
      ...[VAULT, ACCOUNT].map((account) => `0x${account.slice(2).padStart(64, "0")}`),
    ];
    return { block: 1, logs: [{ address: ASSET, topics, data: `0x${190n.toString(16).padStart(64, "0")}` }] };
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

  it("give what they give where the vault has no preview", async () => {
    const reverted = new ContractFunctionRevertedError({ abi, functionName: "previewRedeem", data: "0x" });
    expect(await callsOfExit(failed(reverted))).toEqual(["redeem 100"]);
  });

  it("are not judged while the node does not answer", async () => {
    const silent = new HttpRequestError({ url: "http://127.0.0.1", body: {} });
    await expect(callsOfExit(failed(silent))).rejects.toThrow("HTTP request failed");
  });
});
