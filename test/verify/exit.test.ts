// What an exit proves, by hand: which differences are the contracts' rounding, and which are ours.
import type { Address } from "viem";
import { describe, expect, it } from "vitest";
import type { Shortfall } from "../../core/lookthrough/attribute.ts";
import { parsePlan } from "../../verify/arguments.ts";
import { type Answer, type Answers, trailOf } from "../../verify/exit/account-answers.ts";
import type { Announced } from "../../verify/exit/announced-contracts.ts";
import { compareExit, exitCodeOf, isRight, type Taken } from "../../verify/exit/compare-exit.ts";
import { formatExit } from "../../verify/exit/exit-report.ts";
import { Overdrawn } from "../../verify/exit/overdrawn.ts";
import { type Candidate, pickAccounts } from "../../verify/exit/pick-accounts.ts";
import type { Arrival, Refusal } from "../../verify/exit/unwind.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";

const [TOKEN, OTHER] = [tokenOf(1) as Address, tokenOf(2) as Address];
const [ISLAND, FARM, PAIR, POOL] = [11, 12, 13, 14].map(accountOf) as [Address, Address, Address, Address];
const [BAULT, ONWARD, ELSEWHERE] = [15, 16, 17].map(accountOf) as [Address, Address, Address];
const ACCOUNT = accountOf(1) as Address;
const STAKE = `stake:${FARM}`;
const SHARES = `erc20:${ISLAND}`;

const announced: Announced = {
  contracts: [
    { kind: "farm", address: FARM, since: 1, over: undefined },
    { kind: "island", address: ISLAND, since: 1, over: POOL },
    { kind: "v2-pool", address: PAIR, since: 1, over: undefined, tokens: [TOKEN, OTHER] },
    { kind: "bault", address: BAULT, since: 1, over: TOKEN },
    { kind: "reward_vault", address: ONWARD, since: 1, over: TOKEN },
    { kind: "reward_vault", address: ELSEWHERE, since: 1, over: OTHER },
  ],
  pools: [],
};

const PATH = [`erc20:${TOKEN}`, SHARES, STAKE];
const answer = (amount: bigint, more: Partial<Answer> = {}): Answer => ({
  token: TOKEN,
  trail: [STAKE, SHARES],
  amount,
  contracts: 3,
  paths: [{ path: PATH, amount }],
  ...more,
});
const arrival = (amount: bigint, more: Partial<Arrival> = {}): Arrival => ({
  token: TOKEN,
  trail: [STAKE, SHARES],
  amount,
  contracts: 3,
  coarseness: 0n,
  ...more,
});

interface Case {
  answers: Answer[];
  arrivals: Arrival[];
  unwound?: Partial<Omit<Taken["unwound"], "refused">> & { refused?: (Partial<Refusal> & Pick<Refusal, "trail">)[] };
  unanswered?: Address[];
  flagged?: Address[];
  overdrawn?: Shortfall[];
  incomplete?: Address[];
  /** Given where the account holds nothing of any contract. */
  inWallet?: number;
}

function compare({
  answers,
  arrivals,
  unwound,
  unanswered = [],
  flagged = [],
  overdrawn,
  incomplete = [],
  inWallet,
}: Case) {
  const refused = (unwound?.refused ?? []).map((one) => ({ reason: "no", through: [], fault: undefined, ...one }));
  const way = { through: [FARM], payer: FARM, take: () => Promise.reject(new Error("not taken here")) };
  const taken: Taken = {
    holding: { id: STAKE, kind: "farm", way },
    unwound: { arrivals, cycles: [], notes: [], ...unwound, refused },
  };
  const answered: Answers = {
    answers,
    inWallet: inWallet ?? 1,
    unanswered: new Map(unanswered.map((token) => [token, "its events contradict themselves"])),
    flagged: new Set(flagged),
    blockHash: undefined,
  };
  const cutShort = {
    incomplete: new Set<string>(incomplete),
    ...(overdrawn && { overdrawn: new Overdrawn(overdrawn) }),
  };
  const question = { account: ACCOUNT, block: 5, announced, ...cutShort };
  return compareExit(question, inWallet === undefined ? [taken] : [], answered);
}

describe("the comparison of an exit", () => {
  it("allows a wei for each contract passed, either way", () => {
    for (const received of [997n, 1_000n, 1_003n])
      expect(isRight(compare({ answers: [answer(1_000n)], arrivals: [arrival(received)] }))).toBe(true);
    for (const received of [996n, 1_004n])
      expect(isRight(compare({ answers: [answer(1_000n)], arrivals: [arrival(received)] }))).toBe(false);
  });

  it("allows more where a wei of a share on the way is worth more than a wei of the token", () => {
    const coarse = (received: bigint) =>
      isRight(compare({ answers: [answer(1_000n)], arrivals: [arrival(received, { coarseness: 5n })] }));
    expect([992n, 1_008n].map(coarse)).toEqual([true, true]);
    expect([991n, 1_009n].map(coarse)).toEqual([false, false]);
  });

  it("misses what was answered and never arrived", () => {
    expect(isRight(compare({ answers: [answer(1_000n)], arrivals: [] }))).toBe(false);
  });

  it("finds what arrived and was never answered", () => {
    expect(isRight(compare({ answers: [], arrivals: [arrival(1_000n)] }))).toBe(false);
  });

  it("never lets one way make up for another", () => {
    const answers = [answer(1_000n), answer(1_000n, { trail: [STAKE] })];
    const arrivals = [arrival(990n), arrival(1_010n, { trail: [STAKE] })];
    expect(compare({ answers, arrivals }).lines).toHaveLength(2);
    expect(isRight(compare({ answers, arrivals }))).toBe(false);
  });

  it("counts what a contract refuses to give as wrong, and names it", () => {
    const refused = [{ trail: [STAKE, SHARES], reason: "paused" }];
    const comparison = compare({ answers: [answer(1_000n)], arrivals: [], unwound: { refused } });
    expect(isRight(comparison)).toBe(false);
    expect(comparison.stranded.join()).toContain(`paused; answered: 1000 of ${TOKEN}`);
  });

  it("forgives a pair its dust, and contracts over a token whose balances are unknown", () => {
    const trail = [`erc20:${PAIR}`];
    const answers = [answer(7n, { trail })];
    const dust = [{ trail, reason: "burn: UniswapV2: INSUFFICIENT_LIQUIDITY_BURNED" }];
    expect(isRight(compare({ answers, arrivals: [], unwound: { refused: dust } }))).toBe(true);
    const stuck = [{ trail, reason: "transfer failed" }];
    expect(isRight(compare({ answers, arrivals: [], unwound: { refused: stuck }, unanswered: [OTHER] }))).toBe(true);
    expect(isRight(compare({ answers, arrivals: [], unwound: { refused: stuck } }))).toBe(false);
  });

  it("leaves out what lies behind a cycle, and only that", () => {
    const beyond = answer(500n, { trail: [STAKE, SHARES, SHARES] });
    const unwound = { cycles: [[STAKE, SHARES, SHARES]] };
    const comparison = compare({ answers: [answer(1_000n), beyond], arrivals: [arrival(1_000n)], unwound });
    expect(comparison.lines.map(({ answered }) => answered)).toEqual([1_000n]);
    expect(comparison.skipped.join()).toContain(`500 of ${TOKEN}`);
    expect(isRight(comparison)).toBe(true);
  });

  it("does not blame answers for a token that drifts from its events", () => {
    const drifting = compare({ answers: [answer(1_000n)], arrivals: [arrival(900n)], flagged: [TOKEN] });
    expect(drifting).toMatchObject({ lines: [] });
    expect(drifting.skipped).toHaveLength(1);
  });
});

describe("the exit from a contract whose holding cannot be attributed to accounts", () => {
  const arrivals = [arrival(1_000n)];

  it("is skipped where more arrives than was answered, and says which contract it is", () => {
    for (const contract of [ISLAND, POOL, FARM]) {
      const comparison = compare({ answers: [answer(10n)], arrivals, incomplete: [contract] });
      expect(isRight(comparison), contract).toBe(true);
      expect(comparison.skipped.join()).toContain(`what ${contract} holds cannot be attributed to accounts`);
    }
    expect(isRight(compare({ answers: [], arrivals, incomplete: [PAIR] }))).toBe(false);
  });

  it("is skipped where a vault on the way may have staked on there", () => {
    const through = (contract: Address, trail: string[]) =>
      isRight(compare({ answers: [], arrivals: [arrival(1_000n, { trail })], incomplete: [contract] }));
    expect(through(ONWARD, [`erc20:${BAULT}`])).toBe(true);
    expect(through(ELSEWHERE, [`erc20:${BAULT}`])).toBe(false);
    expect(through(BAULT, [`stake:${ONWARD}`])).toBe(false);
  });

  it("is wrong where less arrives, and compared where it fits", () => {
    expect(isRight(compare({ answers: [answer(2_000n)], arrivals, incomplete: [ISLAND] }))).toBe(false);
    expect(compare({ answers: [answer(1_000n)], arrivals, incomplete: [ISLAND] }).lines).toHaveLength(1);
  });

  it("is no fault of answers where the contract refuses to pay", () => {
    const unwound = { refused: [{ trail: [STAKE, SHARES], reason: "no" }] };
    expect(isRight(compare({ answers: [], arrivals: [], unwound, incomplete: [ISLAND] }))).toBe(true);
  });
});

describe("the exit from a contract that owes more than it holds", () => {
  // of 1,000 owed 990 are there, and answers cut every claim alike
  const lacking = (contract: Address, asset: string): Shortfall => ({ contract, asset, held: 990n, amount: 10n });
  const cut = answer(99_000n);

  it("is held against what answers would be without the cut: the first to leave is paid in full", () => {
    const first = (received: bigint, ...overdrawn: Shortfall[]) =>
      isRight(compare({ answers: [cut], arrivals: [arrival(received)], overdrawn }));
    expect(first(100_000n)).toBe(false);
    expect(first(100_000n, lacking(PAIR, SHARES))).toBe(false);
    expect(first(100_000n, lacking(FARM, SHARES))).toBe(true);
    expect(first(100_000n, lacking(ISLAND, `erc20:${TOKEN}`))).toBe(true);
  });

  it("is wrong where the contract pays as much as was answered, or anything else but the claim", () => {
    for (const received of [99_000n, 99_990n, 100_010n])
      expect(
        isRight(compare({ answers: [cut], arrivals: [arrival(received)], overdrawn: [lacking(FARM, SHARES)] })),
      ).toBe(false);
  });

  it("does not blame answers for what any contract passed refuses to give", () => {
    const last = (...overdrawn: Shortfall[]) =>
      isRight(
        compare({
          answers: [cut],
          arrivals: [],
          overdrawn,
          unwound: { refused: [{ trail: [STAKE], through: [FARM] }] },
        }),
      );
    expect(last()).toBe(false);
    expect(last(lacking(PAIR, SHARES))).toBe(false);
    expect(last(lacking(FARM, SHARES))).toBe(true);
  });
});

describe("the exit from a contract whose token cannot be paid", () => {
  it("blames the token, and names what is wrong with it", () => {
    const refused = [{ trail: [STAKE, SHARES], reason: "TF", fault: `${TOKEN} refuses to be sent by ${PAIR}` }];
    const comparison = compare({ answers: [answer(1_000n)], arrivals: [], unwound: { refused } });
    expect(isRight(comparison)).toBe(true);
    expect(comparison.skipped.join()).toContain(`TF; ${TOKEN} refuses to be sent by ${PAIR}; answered: 1000`);
  });
});

describe("the exit code", () => {
  const nothing = compare({ answers: [], arrivals: [] });
  const right = compare({ answers: [answer(1_000n)], arrivals: [arrival(1_000n)] });
  const wrong = compare({ answers: [answer(1_000n)], arrivals: [] });
  const stranded = compare({ answers: [], arrivals: [], unwound: { refused: [{ trail: [STAKE] }] } });
  const skipped = compare({ answers: [answer(1_000n)], arrivals: [], unwound: { cycles: [[STAKE]] } });
  const inWallet = compare({ answers: [], arrivals: [], inWallet: 2 });

  it("tells what is right from what is wrong, where anything was compared", () => {
    expect(
      [
        [right, nothing],
        [right, skipped],
        [right, wrong],
        [nothing, stranded],
      ].map(exitCodeOf),
    ).toEqual([0, 0, 1, 1]);
  });

  it("is not that of success where nothing was compared", () => {
    const empty = compare({ answers: [], arrivals: [], inWallet: 0 });
    for (const none of [[], [nothing], [empty], [inWallet, empty]])
      expect(() => exitCodeOf(none)).toThrow("nothing was verified: there is nothing to take out, nor in a wallet");
    expect(() => exitCodeOf([inWallet, skipped])).toThrow("nothing was verified: everything was skipped");
  });

  it("is that of success where contracts and answers agree that all is in the wallet, and the report says so", () => {
    expect(exitCodeOf([inWallet])).toBe(0);
    const shown = formatExit(inWallet, { announced, symbols: new Map() }).join("\n");
    expect(shown).toContain("nothing had to be taken out: it has 2 tokens in its wallet and");
    expect(exitCodeOf([compare({ answers: [answer(1_000n)], arrivals: [], inWallet: 2 })])).toBe(1);
  });
});

describe("the trail of a path", () => {
  it("is what taking it apart passes: the holding, then the shares that come out", () => {
    const path = [
      `erc20:${TOKEN}`,
      `v3-position:${PAIR}:direct:7:${TOKEN}`,
      SHARES,
      `stake:${PAIR}`,
      `erc20:${PAIR}`,
      STAKE,
    ];
    expect(trailOf(path)).toEqual([STAKE, `erc20:${PAIR}`, SHARES]);
  });

  it("names a position without the token", () => {
    expect(trailOf([`erc20:${TOKEN}`, `v3-position:${PAIR}:direct:7:${TOKEN}`])).toEqual([
      `v3-position:${PAIR}:direct:7`,
    ]);
  });
});

describe("the accounts picked", () => {
  const candidate = (n: number, ...ways: string[]): Candidate => ({
    account: accountOf(n) as Address,
    block: 5,
    ways: new Set(ways),
  });

  it("have every way that anybody has, as far as their number allows, each account once", () => {
    const many = Array.from({ length: 50 }, (_, i) => candidate(i + 10, "v2-pool"));
    const rare = [
      candidate(1, "farm"),
      candidate(2, "island", "bault"),
      candidate(3, "token id"),
      candidate(1, "v2-pool"),
    ];
    const picked = pickAccounts([...many, ...rare], 4, seededRandom("any"));
    expect(new Set(picked.flatMap(({ ways }) => [...ways]))).toEqual(
      new Set(["farm", "island", "bault", "token id", "v2-pool"]),
    );
    expect(new Set(picked.map(({ account }) => account)).size).toBe(4);
  });
});

describe("the command line", () => {
  it("takes one account apart, or a number of them", () => {
    const upper = `0x${"AB".repeat(20)}`;
    const one = { subject: "exits", only: upper.toLowerCase(), block: 7, exits: undefined };
    expect(parsePlan(["--exit", upper, "--block", "7"])).toMatchObject(one);
    expect(parsePlan(["--exits", "20"])).toMatchObject({ subject: "exits", only: undefined, exits: 20, samples: 6 });
  });

  it("refuses what is neither", () => {
    expect(() => parsePlan(["--exit", "0xab"])).toThrow("--exit must be a 0x-prefixed address");
    expect(() => parsePlan(["--exits", "some"])).toThrow("--exits must be a whole number");
    expect(() => parsePlan(["--exits", "0"])).toThrow("--exits must be a whole number, at least 1");
    expect(() => parsePlan(["--exits", "2", "--pools"])).toThrow("give one of --token, --all, --pool");
  });
});
