// What benchmarks hold answers against: one wrong amount, one holder too few or too many, and the benchmark ends with an error.
import { describe, expect, it } from "vitest";
import { requireEqual } from "../../bench/as-of/answers.ts";
import { createSyntheticChain } from "../../bench/ground/synthetic-chain.ts";
import type { Indexer } from "../../bench/index/indexer.ts";
import { checkBalances } from "../../bench/index/truth.ts";
import { runReducer } from "../../bench/index/v3/reducer-speed.ts";
import { createV3Chain } from "../../bench/index/v3/v3-chain.ts";

const shape = {
  events: 300,
  transfersPerBlock: 50,
  emptyBlocks: 5,
  transfersPerLiveBlock: 10,
  tokens: 3,
  accounts: 100,
};

describe("balances of a made-up chain", () => {
  const chain = createSyntheticChain(shape);
  const right = new Map<string, bigint>(
    chain
      .balancesAt(chain.lastFinal)
      .flatMap((held, token) =>
        [...held].map(
          ([account, amount]) => [`${chain.tokenAddresses[token]} ${chain.accountAddresses[account]}`, amount] as const,
        ),
      ),
  );
  const check = (held: Map<string, bigint>) =>
    checkBalances(
      { name: "tidemark", balancesAt: async () => held } as Partial<Indexer> as Indexer,
      chain,
      chain.lastFinal,
    );

  it("are all compared", async () => {
    expect(right.size).toBeGreaterThan(20);
    expect(await check(right)).toBe(right.size);
  });

  it("are refused by name when one of them is a wei off, missing, or one too many", async () => {
    const [[holder, amount] = ["", 0n]] = [...right];
    const off = new Map(right).set(holder, amount + 1n);
    await expect(check(off)).rejects.toThrow(`${holder}: ${amount + 1n}, should be ${amount}`);
    const fewer = new Map(right);
    fewer.delete(holder);
    await expect(check(fewer)).rejects.toThrow(`${holder}: nothing, should be ${amount}`);
    const more = new Map(right).set(`0x01 ${holder}`, 1n);
    await expect(check(more)).rejects.toThrow(`${right.size + 1} balances, should be ${right.size}`);
  });
});

describe("tallies of whole answers", () => {
  it("must be the same holders and the same sum", () => {
    const tally = { holders: 2, sum: 10n ** 25n };
    expect(() => requireEqual("graph-node", { ...tally }, tally)).not.toThrow();
    expect(() => requireEqual("graph-node", { ...tally, sum: tally.sum + 1n }, tally)).toThrow("graph-node is wrong");
    expect(() => requireEqual("graph-node", { ...tally, holders: 1 }, tally)).toThrow("graph-node is wrong");
  });
});

describe("pools of a made-up chain", () => {
  it("must end where the pool's own arithmetic ends", () => {
    const chain = createV3Chain({ swaps: 60, swapsPerBlock: 10, pools: 2, emptyBlocks: 5 });
    expect(runReducer(chain).rows).toBeGreaterThan(0);
    const stateAt: typeof chain.stateAt = (block) =>
      chain.stateAt(block)?.map((point) => ({ ...point, liquidity: point.liquidity + 1n }));
    expect(() => runReducer({ ...chain, stateAt })).toThrow("ends elsewhere than the pool");
  });
});
