// What `--pools` takes for the exit of a token id, from a node that answers by hand.
import {
  type Address,
  createPublicClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  toFunctionSelector,
} from "viem";
import { describe, expect, it } from "vitest";
import { managerAbi, tryExit } from "../../verify/pool-contracts.ts";
import { accountOf } from "../support/reference-ledger.ts";

const [MANAGER, OWNER] = [accountOf(1) as Address, accountOf(2) as Address];
const COLLECT = toFunctionSelector("collect((uint256,address,uint128,uint128))");

const result = (functionName: "collect" | "decreaseLiquidity", paid: readonly [bigint, bigint]): Hex =>
  encodeFunctionResult({ abi: managerAbi, functionName, result: paid });

const positions = (owed: readonly [bigint, bigint]): Hex =>
  encodeFunctionResult({
    abi: managerAbi,
    functionName: "positions",
    result: [0n, OWNER, OWNER, OWNER, 3_000, -60, 60, 0n, 0n, 0n, ...owed],
  });

/** Principal 70 and 7; 5 and 0 of fees. `refusal`: what a `collect` ends with. */
function nodeThat(refusal?: { code: number; message: string }) {
  const request = ({ params }: { params: [{ data: Hex }] }): Promise<Hex> => {
    const { args } = decodeFunctionData({ abi: managerAbi, data: params[0].data });
    const calls = args?.[0] as Hex[];
    const isPaid = calls.at(-1)?.startsWith(COLLECT);
    if (isPaid && refusal) return Promise.reject(Object.assign(new Error(refusal.message), refusal));
    const last = isPaid ? result("collect", [75n, 7n]) : positions([75n, 7n]);
    const answered = calls.length === 1 ? [last] : [result("decreaseLiquidity", [70n, 7n]), last];
    return Promise.resolve(encodeFunctionResult({ abi: managerAbi, functionName: "multicall", result: answered }));
  };
  return createPublicClient({ transport: custom({ request: request as never }, { retryCount: 0 }) });
}

const exitFrom = (client: ReturnType<typeof nodeThat>, liquidity = 9n) =>
  tryExit(client, { manager: MANAGER, tokenId: 4n, owner: OWNER, liquidity }, 5);

describe("the exit of a token id", () => {
  it("is what the manager pays, principal and fees apart", async () => {
    expect(await exitFrom(nodeThat())).toEqual({
      isPaid: true,
      ...{ principal0: 70n, principal1: 7n, fees0: 5n, fees1: 0n },
    });
  });

  it("is what the manager owes where a token refuses to be paid", async () => {
    const paused = nodeThat({ code: 3, message: "execution reverted: TF" });
    expect(await exitFrom(paused)).toEqual({
      isPaid: false,
      ...{ principal0: 70n, principal1: 7n, fees0: 5n, fees1: 0n },
    });
    expect(await exitFrom(paused, 0n)).toMatchObject({ isPaid: false, principal0: 0n, fees0: 75n });
  });

  it("is unknown where the node does not answer", async () => {
    await expect(exitFrom(nodeThat({ code: -32_005, message: "too many requests" }))).rejects.toThrow();
    await expect(exitFrom(nodeThat({ code: -32_603, message: "upstream timeout" }))).rejects.toThrow();
  });
});
