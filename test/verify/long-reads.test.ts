// Reads of many contracts' state in few calls, none of which is given up because a node does not answer so much at once.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { encodeFunctionResult, type Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openContracts } from "../../verify/contract-answers.ts";
import { managerAbi, poolAbi, type Read, readAll } from "../../verify/pool-contracts.ts";
import { type AggregatedCall, answerAggregated } from "../support/aggregated-calls.ts";
import { tokenOf } from "../support/reference-ledger.ts";

const [POOL, MANAGER, MUTE] = [1, 2, 3].map(tokenOf) as [Hex, Hex, Hex];
const word = (value: bigint): string => value.toString(16).padStart(64, "0");
const TICK: Hex = encodeFunctionResult({
  abi: poolAbi,
  functionName: "ticks",
  result: [5n, -5n, 7n, 8n, 0n, 0n, 0, true],
});

/** A position of 12 words, ticks of 8, balances of one. */
const answerOf = ({ target, callData }: AggregatedCall): Hex | undefined => {
  if (target.toLowerCase() === MUTE) return undefined;
  if (target.toLowerCase() === MANAGER) return `0x${word(1n).repeat(12)}`;
  return callData.startsWith("0x70a08231") || callData.startsWith("0x18160ddd") ? `0x${word(9n)}` : TICK;
};

let requests = 0;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const { id, params } = JSON.parse(body) as { id: number; params: [{ to?: Hex; data: Hex }] };
  requests += 1;
  const answer = (): object => {
    const [{ to, data }] = params;
    try {
      if (to === undefined) return { result: answerAggregated(data, answerOf) };
      const result = answerOf({ target: to, callData: data });
      return result === undefined ? { error: { code: 3, message: "execution reverted" } } : { result };
    } catch (error) {
      return { error: { code: -32000, message: String(error) } };
    }
  };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer() }));
});

let contracts: ReturnType<typeof openContracts>;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  contracts = openContracts(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  requests = 0;
});

const ticks = (count: number): Read[] =>
  Array.from({ length: count }, (_, tick) => ({ address: POOL, abi: poolAbi, functionName: "ticks", args: [tick] }));

it("verify reads every tick and token id of a pool that has many", async () => {
  const ids = Array.from(
    { length: 100 },
    (_, id): Read => ({ address: MANAGER, abi: managerAbi, functionName: "positions", args: [BigInt(id)] }),
  );
  const answers = await readAll(contracts.client, [...ticks(200), ...ids], 1);
  expect(answers.length).toBe(300);
  expect(answers.slice(0, 200).every((answer) => answer?.[7] === true)).toBe(true);
  expect(answers.slice(200).every((answer) => answer?.[7] === 1n)).toBe(true);
});

it("verify says of each contract that reverts, and of no other, that it does", async () => {
  const mute = { ...(ticks(1)[0] as Read), address: MUTE };
  const answers = await readAll(contracts.client, [mute, ...ticks(150), mute], 1);
  expect(answers.flatMap((answer, i) => (answer === undefined ? [i] : []))).toEqual([0, 151]);
});

it("verify asks a token about many accounts in calls that a node answers", async () => {
  const accounts = Array.from({ length: 599 }, (_, i) => tokenOf(i + 10)) as Hex[];
  const { supply, balances } = await contracts.answersAt({ token: POOL, block: 1, accounts });
  expect([supply, balances.length, new Set(balances)]).toEqual([9n, 599, new Set([9n])]);
  expect(requests).toBe(4);
});
