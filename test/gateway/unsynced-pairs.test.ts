// Quotes through pairs that hold more than their reserves, and by way of a router in which tokens lie: indexed from the logs of
// real contracts, and carried out by the real SwapRouter02.
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RequestScope } from "../../gateway/context.ts";
import { routerStates } from "../../gateway/instruments.ts";
import { routerPlaceAt } from "../../verify/quotes/block-quotes.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { type Query, routerQuery } from "../support/router-questions.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { ONE, RECIPIENT, StrayWorld } from "../support/stray-world.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const NAMES = [..."ABCDEFGHIJKLMNOPQRSTUV"];

let world: StrayWorld;
let database: TestDatabase;
let gateway: TestGateway;
/** Before anything was sent anywhere. */
let quietBlock: number;

beforeAll(async () => {
  [world, database] = await Promise.all([StrayWorld.start(NAMES), startTestDatabase()]);
  quietBlock = await openMarkets();
  await stray();
  const [chain, script] = [world.chainFile(), await world.facts()];
  const index = { ponderSchema: "facts_stray", foldSchema: "fold_stray", finalized: quietBlock - 1, chain };
  await buildScripted(database.sql, script, index);
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway?.close();
  await database?.stop();
  await world?.stop();
});

async function openMarkets(): Promise<number> {
  const rich = [1_000_000n, 1_000_000n] as const;
  await world.addLiquidity(["A", "B"], [14_666n, 1_711n]);
  for (const [a, b] of ["CD", "DE", "HI", "HJ", "JI", "LM", "OP", "FG", "RV"] as unknown as [string, string][])
    await world.addLiquidity([a, b], rich);
  for (const [a, b] of ["FU", "UG"] as unknown as [string, string][])
    await world.addLiquidity([a, b], [1_000n, 1_000n]);
  await world.addLiquidity(["N", "wrapped"], [10_000n, 10_000n]);
  await world.addLiquidity(["rebasing", "Q"], rich);
  await world.openPool("K", "L", 1_000_000n);
  return (await world.chain.seal()).number;
}

async function stray(): Promise<void> {
  const pair = (a: string, b: string) => world.pair(a, b);
  await world.give("A", await pair("A", "B"), 100n);
  await world.give("C", await pair("C", "D"), 3_000n);
  await world.give("D", await pair("D", "E"), 20_000n);
  await world.give("H", await pair("H", "I"), 5_000n);
  await world.give("L", await pair("L", "M"), 700n);
  await world.give("P", await pair("O", "P"), 9_000n);
  await world.take("F", await pair("F", "G"), 500n);
  await world.take("R", await pair("R", "V"), 1_000_000n);
  await world.chain.seal();
  // the pair of S and T is opened, and given more, in one block
  await world.addLiquidity(["S", "T"], [1_000n, 1_000n]);
  await world.chain.seal();
  await world.addLiquidity(["S", "T"], [1_000n, 1_000n]);
  await world.give("S", await pair("S", "T"), 50n);
  await world.chain.seal();
  // half of the rebasing tokens are gone without an event, and the pair knows it
  await world.send(world.token("rebasing"), "rebase", [1n, 2n]);
  await world.send(await pair("rebasing", "Q"), "sync", []);
  await world.chain.seal();
  for (const [token, amount] of [
    ["I", 40n],
    ["L", 60n],
    ["wrapped", 2n],
  ] as const)
    await world.give(token, world.router, amount);
  await world.chain.seal();
}

interface Swap {
  type?: "exactIn" | "exactOut";
  amount: bigint;
  native?: boolean;
  query?: Query;
}

interface Hop {
  address: Address;
  unsynced0?: string;
  unsynced1?: string;
}

interface Answer {
  quote: string;
  sweptFromRouter?: string;
  amount: string;
  route: Hop[][];
  methodParameters: { calldata: Hex; value: Hex; to: Address };
}

/** The answer, and what its transaction took and paid. */
async function swap(tokenIn: string, tokenOut: string, { type = "exactIn", amount, native = false, query = {} }: Swap) {
  const [paid, bought] = [world.token(tokenIn), world.token(tokenOut)];
  const parameters = {
    ...{ tokenInAddress: paid, tokenOutAddress: native ? "BERA" : bought, amount, type },
    ...{ recipient: RECIPIENT, slippageTolerance: "0", ...query },
  };
  const { status, body } = await gateway.get(`/router/quote?${routerQuery(parameters)}`);
  expect(status).toBe(200);
  const answer = body as unknown as Answer;
  const got = native ? "native" : bought;
  const watched = [got, ...NAMES.map((name) => world.token(name))] as const;
  const outcome = await world.carryOut(answer.methodParameters, { paid, watched });
  if (!outcome) throw new Error("the contracts refuse it");
  const { taken } = outcome;
  return { answer, quote: BigInt(answer.quote), taken, received: outcome.received(got), of: outcome.received };
}

const sell = (amount: bigint, [reserveIn, reserveOut]: readonly [bigint, bigint]): bigint =>
  (amount * 997n * reserveOut) / (reserveIn * 1_000n + amount * 997n);

const POOR = [14_666n * ONE, 1_711n * ONE] as const;
const RICH = [1_000_000n * ONE, 1_000_000n * ONE] as const;

describe("a pair that holds tokens beyond its reserves", () => {
  it("pays for what is sold and for what lies in it, and the quote says so", async () => {
    const { answer, quote, taken, received } = await swap("A", "B", { amount: ONE });
    expect([taken, received]).toEqual([ONE, quote]);
    expect(quote).toBe(sell(101n * ONE, POOR));
    // 0.1163 by the reserves, 11.667 with the 100 tokens
    expect(Number(sell(ONE, POOR)) / 1e18).toBeCloseTo(0.1163, 4);
    expect(Number(quote) / 1e18).toBeCloseTo(11.667, 2);
    const [hop] = answer.route[0] as [Hop];
    expect(Object.entries(hop).filter(([name]) => name.startsWith("unsynced"))).toEqual([
      [world.token("A") < world.token("B") ? "unsynced0" : "unsynced1", String(100n * ONE)],
    ]);
  });

  it("is quoted so among all providers, too, however far above its price that is", async () => {
    const parameters = { tokenInAddress: world.token("A"), tokenOutAddress: world.token("B"), amount: ONE };
    const { status, body } = await gateway.get(`/quote?${routerQuery(parameters)}`);
    expect([status, body.provider, body.quote]).toEqual([200, "Fixture", String(sell(101n * ONE, POOR))]);
  });

  it("pays on for those of the next pair", async () => {
    const { quote, taken, received } = await swap("C", "E", { amount: 1_000n * ONE });
    expect([taken, received]).toEqual([1_000n * ONE, quote]);
    expect(quote).toBe(sell(sell(4_000n * ONE, RICH) + 20_000n * ONE, RICH));
  });

  it("takes for a fixed output what its reserves demand, and pays more than was asked for", async () => {
    const { quote, taken, received } = await swap("A", "B", { type: "exactOut", amount: ONE });
    const [reserveIn, reserveOut] = POOR;
    expect(quote).toBe((reserveIn * ONE * 1_000n) / ((reserveOut - ONE) * 997n) + 1n);
    expect([taken, received]).toEqual([quote, sell(quote + 100n * ONE, POOR)]);
    expect(received).toBeGreaterThan(12n * ONE);
  });

  it("takes for a fixed output along two pairs what their reserves demand", async () => {
    const { quote, taken, received } = await swap("C", "E", { type: "exactOut", amount: 10n * ONE });
    expect(taken).toBe(quote);
    expect(received).toBe(sell(sell(quote + 3_000n * ONE, RICH) + 20_000n * ONE, RICH));
  });

  it("pays by its reserves where the tokens that lie there are those it gives", async () => {
    const { quote, taken, received } = await swap("O", "P", { amount: 500n * ONE });
    expect([taken, received, quote]).toEqual([500n * ONE, sell(500n * ONE, RICH), sell(500n * ONE, RICH)]);
  });

  it("is known where it got them in the very block of its last Sync", async () => {
    const { quote, received } = await swap("S", "T", { amount: ONE });
    expect([received, quote]).toEqual([quote, sell(51n * ONE, [2_000n * ONE, 2_000n * ONE])]);
  });

  it("is quoted by its reserves where its balance does not follow from events", async () => {
    const { answer, quote, received } = await swap("rebasing", "Q", { amount: ONE });
    expect([received, quote]).toEqual([quote, sell(ONE, [500_000n * ONE, 1_000_000n * ONE])]);
    expect(answer.route[0]?.[0]).not.toHaveProperty("unsynced0");
    expect(answer.route[0]?.[0]).not.toHaveProperty("unsynced1");
  });
});

describe("a pair that holds less than its reserves", () => {
  it.each([
    ["F", "G", "exactIn"],
    ["F", "G", "exactOut"],
    ["G", "F", "exactIn"],
    ["G", "F", "exactOut"],
  ] as const)(
    "is passed over, since swaps of %s for %s (%s) pay less than its reserves say, or fail",
    async (a, b, type) => {
      const { answer, quote, taken, received } = await swap(a, b, { type, amount: 10n * ONE });
      expect(answer.route.map((hops) => hops.length)).toEqual([2]);
      if (type === "exactIn") expect([taken, received]).toEqual([10n * ONE, quote]);
      else expect([taken, received >= 10n * ONE]).toEqual([quote, true]);
    },
  );

  it("is passed over where it holds nothing any more", async () => {
    const query = { tokenInAddress: world.token("R"), tokenOutAddress: world.token("V"), amount: ONE };
    const { status, body } = await gateway.get(`/router/quote?${routerQuery(query)}`);
    expect([status, body]).toEqual([404, { detail: "No route found", errorCode: "NO_ROUTE" }]);
  });
});

describe("tokens that lie in the router", () => {
  it("come on top of what several legs pay, one of them through an unsynced pair", async () => {
    const amount = 100_000n * ONE;
    const { answer, quote, taken, received } = await swap("H", "I", { amount });
    expect(answer.route.map((hops) => hops.length).sort()).toEqual([1, 2]);
    expect([taken, received]).toEqual([amount, quote + 40n * ONE]);
    expect(answer.sweptFromRouter).toBe(String(40n * ONE));
  });

  it("are not sold along where a leg passes the router: they are the recipient's", async () => {
    const { answer, quote, taken, received, of } = await swap("K", "M", { amount: 1_000n * ONE });
    expect(answer.route).toHaveLength(1);
    expect([taken, received]).toEqual([1_000n * ONE, quote]);
    expect(of(world.token("L"))).toBe(60n * ONE);
  });

  it("come on top of the native coin, which the router unwraps whole", async () => {
    const { answer, quote, taken, received } = await swap("N", "wrapped", { amount: 10n * ONE, native: true });
    expect([taken, received]).toEqual([10n * ONE, quote + 2n * ONE]);
    expect(answer.sweptFromRouter).toBe(String(2n * ONE));
  });

  it("are not in what a single leg pays, which never passes the router", async () => {
    const { answer, quote, received } = await swap("J", "I", { amount: 10n * ONE });
    expect(answer.route).toHaveLength(1);
    expect(received).toBe(quote);
    expect(answer).not.toHaveProperty("sweptFromRouter");
  });
});

describe("what is shown", () => {
  it("is null where it is not known, and 0 where balances are reserves", async () => {
    const { data } = await gateway.graphql(
      "{ facts { markets(where: { protocol: [v2] }) { nodes { token0 token1 unsynced0 unsynced1 } } } }",
    );
    interface Node {
      [field: string]: string | null;
    }
    const { nodes } = (data as { facts: { markets: { nodes: Node[] } } }).facts.markets;
    const shown = ([a, b]: readonly [string, string]) => {
      const node = nodes.find((one) =>
        [world.token(a), world.token(b)].every((t) => [one.token0, one.token1].includes(t)),
      );
      return [a, b].map((name) => node?.[node.token0 === world.token(name) ? "unsynced0" : "unsynced1"]);
    };
    expect(shown(["A", "B"])).toEqual([String(100n * ONE), "0"]);
    expect(shown(["O", "P"])).toEqual(["0", String(9_000n * ONE)]);
    expect(shown(["S", "T"])).toEqual([String(50n * ONE), "0"]);
    expect(shown(["H", "J"])).toEqual(["0", "0"]);
    expect(shown(["rebasing", "Q"])).toEqual([null, "0"]);
  });

  it("needs no pruned history where balances are reserves, however long ago they were logged", async () => {
    const { sql } = database;
    const query = `{ facts(block: { number: ${quietBlock} }) { markets(where: { protocol: [v2] }) { nodes { unsynced0 } } } }`;
    gateway.service.cache.clear();
    await sql`insert into tidemark.pruned (chain_id, fold, first, last) values (1, '"fold_stray"', 0, ${quietBlock - 2})`;
    try {
      const { data, errors } = await gateway.graphql(query);
      expect(errors).toBeUndefined();
      const { nodes } = (data as { facts: { markets: { nodes: { unsynced0: string | null }[] } } }).facts.markets;
      expect(new Set(nodes.map(({ unsynced0 }) => unsynced0))).toEqual(new Set(["0"]));
    } finally {
      await sql`delete from tidemark.pruned`;
    }
  });

  it("is in a hop of GraphQL, too", async () => {
    const quote = `{ tokenInAddress: "${world.token("O")}", tokenOutAddress: "${world.token("P")}", amount: "1000", type: exactIn }`;
    const { data } = await gateway.graphql(
      `{ routerQuote(quote: ${quote}) { route { hops { tokenIn { address } unsynced0 unsynced1 } } } }`,
    );
    const hop = (data as { routerQuote: { route: { hops: Record<string, unknown>[] }[] } }).routerQuote.route[0]
      ?.hops[0];
    const isZeroIn = world.token("O") < world.token("P");
    expect(isZeroIn ? [hop?.unsynced0, hop?.unsynced1] : [hop?.unsynced1, hop?.unsynced0]).toEqual([
      "0",
      String(9_000n * ONE),
    ]);
  });
});

describe("the router's state", () => {
  it("is the same by what has changed since an earlier block as read whole", async () => {
    const stateAt = async (block: number | "latest") => {
      const scope = new RequestScope(gateway.service);
      try {
        return (await scope.run(routerPlaceAt, block)).state;
      } finally {
        await scope.close();
      }
    };
    const contentOf = async (block: number | "latest") =>
      [...(await stateAt(block)).pools].sort(([a], [b]) => (a < b ? -1 : 1));
    gateway.service.cache.clear();
    routerStates.reset();
    const before = await contentOf(quietBlock);
    const near = await contentOf("latest");
    const made = (await routerStates.get()).values.map(({ labels, value }) => [labels.from, value]);
    expect(made).toEqual([
      ["database", 1],
      ["near", 1],
    ]);
    gateway.service.cache.clear();
    expect(await contentOf("latest")).toEqual(near);
    expect(near).not.toEqual(before);
  });
});
