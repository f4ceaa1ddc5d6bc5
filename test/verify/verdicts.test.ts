// Whose fault is a difference? Served answers, contract answers and logs are put together by hand for every case.
import type { Address, PublicClient } from "viem";
import { describe, expect, it } from "vitest";
import { type Comparison, compareToken } from "../../verify/compare.ts";
import type { ContractAnswers, Contracts } from "../../verify/contract-answers.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import type { Served } from "../../verify/served-answers.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";

const TOKEN = tokenOf(1) as Address;
const [ANNA, BEN] = [accountOf(1) as Address, accountOf(2) as Address];
const HASH = "0xb10c";

interface World {
  served: Record<Address, bigint>;
  servedSupply: bigint;
  /** Undefined: the contract does not answer. */
  contract: Record<Address, bigint | undefined>;
  contractSupply: bigint | undefined;
  /** [from, to, amount] of every Transfer, all of them in the first block. */
  logs: [string, string, bigint][];
  isWeth9?: boolean;
  nodeHash?: string;
  /** After which question the node replaces the block. */
  replacedAfter?: "balances" | "logs";
  /** As an earlier run has flagged the token. */
  flagged?: number;
  quarantine?: string;
  /** Accounts and unattributed together; the served supply where it is not said. */
  accountedFor?: bigint;
  /** What the answer to `users=` says otherwise than that of all holders; undefined: it leaves the account out. */
  named?: Record<Address, bigint | undefined>;
  /** The first entry that REST writes otherwise, of all holders and of `users=`. */
  restDiffers?: { all?: string; named?: string };
}

/** 100 minted to the zero address, 50 to Anna, 20 of them sent to Ben: everybody agrees. */
const honest: World = {
  served: { [ANNA]: 30n, [BEN]: 20n },
  servedSupply: 150n,
  contract: { [ANNA]: 30n, [BEN]: 20n, [ZERO]: 100n },
  contractSupply: 150n,
  logs: [
    [ZERO, ZERO, 100n],
    [ZERO, ANNA, 50n],
    [ANNA, BEN, 20n],
  ],
};

/** What is another way from a block on. */
interface Later {
  since: number;
  world: Partial<World>;
}

const holdingsOf = ({ served }: World) => new Map(Object.entries(served) as [Address, bigint][]);

function comparisonOf(begun: World, { since, world }: Later): Comparison {
  const at = (block: number): World => (block < since ? begun : { ...begun, ...world });
  let nodeHash = HASH;
  const replaceAfter = (question: World["replacedAfter"]) => {
    if (begun.replacedAfter === question) nodeHash = "0xreplaced";
  };
  const served: Served = {
    head: async () => 10,
    firstBlock: async () => 0,
    tokens: async () => [],
    pastOf: async () => ({ accounts: [ANNA, BEN, ZERO as Address], first: 2, last: 8 }),
    holdersAt: async (_token, block) => {
      const { servedSupply, accountedFor, restDiffers } = at(block);
      nodeHash = begun.nodeHash ?? HASH;
      return {
        holdings: holdingsOf(at(block)),
        wallets: holdingsOf(at(block)),
        issuers: new Set(),
        supply: servedSupply,
        accountedFor: accountedFor ?? servedSupply,
        restDiffers: restDiffers?.all,
        blockHash: HASH,
      };
    },
    pools: async () => [],
    poolAt: async () => ({ stopped: "not asked for here" }),
    accountsAt: async (_token, block, users) => {
      const { named = {}, restDiffers } = at(block);
      const holdings = holdingsOf(at(block));
      const wallets = new Map(
        users.flatMap((user) => {
          const amount = user in named ? named[user] : (holdings.get(user) ?? 0n);
          return amount === undefined ? [] : [[user, amount] as const];
        }),
      );
      return { wallets, restDiffers: restDiffers?.named };
    },
    ask: () => Promise.reject(new Error("not asked for here")),
    driftOf: async () => begun.flagged,
    recordDrift: async () => {},
    removeDrift: async () => {},
    close: async () => {},
  };
  const client = {
    getLogs: async ({ fromBlock }: { fromBlock: bigint }) => {
      replaceAfter("logs");
      const logs = fromBlock === 0n ? begun.logs : [];
      return logs.map(([from, to, amount]) => ({ eventName: "Transfer", args: { from, to, amount } }));
    },
  };
  const answer = (value: bigint | undefined) => value ?? ("unreadable" as const);
  const contracts: Contracts = {
    client: client as unknown as PublicClient,
    requireSameBlock: async (_block, ours) => {
      if (ours !== nodeHash) throw new Error("another chain");
    },
    answersAt: async ({ accounts, block }): Promise<ContractAnswers> => {
      const { contract, contractSupply } = at(block);
      replaceAfter("balances");
      return {
        supply: answer(contractSupply),
        balances: accounts.map((account) => (account in contract ? answer(contract[account]) : 0n)),
      };
    },
  };
  const random = seededRandom("verdicts");
  return {
    served,
    contracts,
    start: 0,
    head: 10,
    first: 0,
    isWeth9: () => begun.isWeth9 === true,
    random,
    samples: 6,
    block: undefined,
    accounts: undefined,
  };
}

const judge = (world: World, later: Later = { since: 0, world: {} }) =>
  compareToken(comparisonOf(world, later), { address: TOKEN, symbol: "T", quarantine: world.quarantine });

describe("the verdict", () => {
  it("is exact when every account, the zero address and the supply agree", async () => {
    const report = await judge(honest);
    expect(report).toMatchObject({ verdict: "exact", differences: 0, weiOff: 0n });
    // Per block: the supply, the sum, REST's two lists, two wallets; two holders, three strangers, the zero address; the five named
    // again, twice.
    expect(report.comparisons).toBe(report.blocks.length * 22);
  });

  it("is WRONG when we say something else than the contract and its events", async () => {
    const report = await judge({ ...honest, served: { [ANNA]: 31n, [BEN]: 19n } });
    expect(report.verdict).toBe("WRONG");
    expect(report.weiOff).toBe(BigInt(report.blocks.length) * 4n);
  });

  it("is WRONG when a holder is missing", async () => {
    expect(await judge({ ...honest, served: { [ANNA]: 30n } })).toMatchObject({ verdict: "WRONG" });
  });

  it("is WRONG when only the supply is off", async () => {
    expect(await judge({ ...honest, servedSupply: 151n })).toMatchObject({ verdict: "WRONG" });
  });

  it("is WRONG when accounts and unattributed do not sum up to the supply, though the contract agrees with the ledger", async () => {
    const report = await judge({ ...honest, accountedFor: 149n });
    expect(report).toMatchObject({ verdict: "WRONG" });
    expect(report.detail).toContain("149, but 150");
  });

  it.each([
    ["gives another number", 0n],
    ["leaves a holder out", undefined],
  ])("is WRONG when the answer to users= %s, though that of all holders is right", async (_, amount) => {
    const report = await judge({ ...honest, named: { [BEN]: amount } });
    expect(report.verdict).toBe("WRONG");
    expect(report.detail).toContain(BEN);
    expect(report.detail).toContain("but 20 elsewhere");
  });

  it.each([
    ["all holders", { all: "Ben has 21" }],
    ["users=", { named: "Ben has 21" }],
  ])("is WRONG when REST writes %s otherwise than GraphQL, though that is right", async (question, restDiffers) => {
    const report = await judge({ ...honest, restDiffers });
    expect(report.verdict).toBe("WRONG");
    expect(report.detail).toContain(`entries of ${question} that REST writes otherwise, first Ben has 21`);
  });

  it("is drift when the contract disagrees with its own events", async () => {
    const report = await judge({ ...honest, contract: { ...honest.contract, [BEN]: 19n } });
    expect(report.verdict).toBe("drift");
    expect(report.noted[0]).toMatchObject({ what: BEN, served: 20n, contract: 19n });
  });

  it("counts what is sent to the zero address as burnt, except for a weth9", async () => {
    const sent: World = {
      ...{ served: { [ANNA]: 25n, [BEN]: 20n }, servedSupply: 150n },
      ...{ contract: { [ANNA]: 25n, [BEN]: 19n, [ZERO]: 105n }, contractSupply: 150n },
      logs: [...honest.logs, [ANNA, ZERO, 5n]],
    };
    expect(await judge({ ...sent, isWeth9: true })).toMatchObject({ verdict: "drift" });
    expect(await judge(sent)).toMatchObject({ verdict: "WRONG" });
  });

  it("is drift when only totalSupply disagrees with the events", async () => {
    expect(await judge({ ...honest, contractSupply: 149n })).toMatchObject({ verdict: "drift" });
  });

  it("is unreadable when the contract does not answer", async () => {
    const mute = {
      ...honest,
      contract: { [ANNA]: undefined, [BEN]: undefined, [ZERO]: undefined },
      contractSupply: undefined,
    };
    expect(await judge(mute)).toMatchObject({ verdict: "unreadable", weiOff: 0n });
  });

  describe("of a token that differs at several blocks", () => {
    const drifting: World = { ...honest, contract: { ...honest.contract, [BEN]: 19n } };
    const mute: World = { ...honest, contract: { [ANNA]: undefined, [BEN]: undefined, [ZERO]: undefined } };

    it("is WRONG when a holder is missing after the contract has drifted", async () => {
      const report = await judge(drifting, { since: 9, world: { served: { [ANNA]: 30n } } });
      expect(report.verdict).toBe("WRONG");
      expect(report.detail).toContain("at block 9: served 0, contract 19; its events say otherwise than we do");
    });

    it("is WRONG when numbers are false after the contract has been silent, whatever was noted", async () => {
      const world: Partial<World> = { contract: honest.contract, served: { [ANNA]: 31n, [BEN]: 19n } };
      const report = await judge(mute, { since: 9, world });
      expect(new Set(report.noted.map(({ contract }) => contract))).toEqual(new Set(["unreadable"]));
      expect(report.verdict).toBe("WRONG");
    });

    it("is drift, from the first number that differs on, when the contract has been silent before", async () => {
      const report = await judge(mute, { since: 9, world: { contract: drifting.contract } });
      expect(report).toMatchObject({ verdict: "drift", readable: { what: BEN, block: 9, served: 20n, contract: 19n } });
      expect(report.detail).toContain("at block 9: served 20, contract 19");
    });
  });

  it("is quarantined, and nothing is compared, where the product refuses to answer", async () => {
    expect(await judge({ ...honest, quarantine: "balance below zero" })).toMatchObject({
      verdict: "quarantined",
      comparisons: 0,
    });
  });

  it("is none while the node stands on another block", async () => {
    await expect(judge({ ...honest, nodeHash: "0xelse" })).rejects.toThrow(/another chain/);
  });

  it.each(["balances", "logs"] as const)(
    "is none when the node has replaced the block by the time it answers about %s",
    async (replacedAfter) => {
      const contract = { ...honest.contract, [BEN]: 19n };
      await expect(judge({ ...honest, contract, replacedAfter })).rejects.toThrow(/another chain/);
    },
  );

  it("is about the block for which the token is flagged, too, where it is indexed", async () => {
    const blocksOf = async (flagged: number) => (await judge({ ...honest, flagged })).blocks;
    for (const block of [0, 3, 4, 5, 6, 7]) expect(await blocksOf(block)).toContain(block);
    expect(await blocksOf(11)).not.toContain(11);
  });
});
