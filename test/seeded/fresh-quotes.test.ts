// How a quote is held against the contracts at the block it names: one of that block passes, and would at no other that moved
// its pools. `npm run verify -- --fresh-quotes` does so with every new block of a running product.
import { type Address, type Hex, numberToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postOne } from "../../devnet/json-rpc.ts";
import { inRequest } from "../../verify/in-request.ts";
import { type Finding, findingsOf } from "../../verify/quotes/answered-quote.ts";
import { routerPlaceAt } from "../../verify/quotes/block-quotes.ts";
import type { AnsweredQuote, ListedPool } from "../../verify/quotes/gateway-answers.ts";
import { depthOf } from "../../verify/quotes/questions.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const MOST_POOLS = 12;

const chain = seededChain();
let gateway: TestGateway;

beforeAll(() => {
  gateway = openSeededGateway();
});
afterAll(() => gateway?.close());

async function hashAt(block: number): Promise<Hex> {
  const { hash } = await postOne<{ hash: Hex }>(seeded.rpcUrl, "eth_getBlockByNumber", [numberToHex(block), false]);
  return hash;
}

test("a quote is that of its block, pool by pool and path by path", async () => {
  const { state } = await inRequest(gateway.service, (scope) => scope.run(routerPlaceAt, "latest"));
  const listed = new Map<Address, ListedPool>(
    [...state.pools].map(([address, { pool, factory }]) => [
      address,
      {
        ...{ address, protocol: pool.kind, factory: factory ?? null, fee: pool.fee },
        ...{ token0: pool.token0 as Address, token1: pool.token1 as Address },
      },
    ]),
  );
  const [now, earlier] = [await hashAt(seeded.head), await hashAt(Math.floor(seeded.head * 0.9))];
  const [same, other]: Finding[][] = [[], []];
  for (const { pool } of [...state.pools.values()].slice(0, MOST_POOLS)) {
    const amount = depthOf(pool, pool.token0) / 1_000n + 1n;
    const input = {
      ...{ tokenInChainId: `${chain.chainId}`, tokenOutChainId: `${chain.chainId}`, type: "exactIn" },
      ...{ tokenInAddress: pool.token0, tokenOutAddress: pool.token1, amount: String(amount) },
    };
    const response = await gateway.app.request(`/router/quote?${new URLSearchParams(input)}`);
    if (response.status === 404) continue;
    const answer = (await response.json()) as AnsweredQuote;
    expect(answer.blockNumber).toBe(String(seeded.head));
    const quote = { chain, rpcUrl: seeded.rpcUrl, listed, type: "exactIn", answer } as const;
    same?.push(...(await findingsOf({ ...quote, blockHash: now })));
    other?.push(...(await findingsOf({ ...quote, blockHash: earlier })));
  }
  expect(same?.filter(({ isSame }) => !isSame)).toEqual([]);
  for (const what of ["state of a v2 pool", "state of a v3 pool", "path v3 exactIn"]) {
    expect(
      same?.some((one) => one.what === what),
      what,
    ).toBe(true);
    expect(
      other?.some((one) => one.what === what && !one.isSame),
      `${what} at another block`,
    ).toBe(true);
  }
});
