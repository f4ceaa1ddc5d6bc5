// Whatever one skin offers the other offers too, or there is a reason.
import { describe, expect, it } from "vitest";
import { violationsOf } from "./laws.ts";
import { type LoneQuestion, offeredBy, parityProblems } from "./operations-parity.ts";
import { projectTree, treeOf } from "./source-tree.ts";

const folders = { rest: "gateway/rest/", graphql: "gateway/graphql/" };
const operation = (name: string, question = name) =>
  `export const ${name}: Operation<Input, Output> = { name: "${question}", async run(input, context) { return 1; } };`;

/** A gateway with two questions that both skins offer, and a case for each. */
const sound = {
  "gateway/questions/balances.ts": operation("balancesPage", "balances") + operation("balancesText", "balances"),
  "gateway/questions/status.ts": operation("status"),
  "gateway/rest/routes.ts": `import { status } from "../questions/status.ts";
    import { balancesText } from "../questions/balances.ts"; ask(status); ask(balancesText);`,
  "gateway/graphql/resolvers.ts": `import { status } from "../questions/status.ts";
    import { balancesPage } from "../questions/balances.ts"; ask(status); ask(balancesPage);`,
  "test/cases.ts": `export const cases = [{ question: "status", rest: "/status", graphql: "{ status }" },
    { question: "balances", rest: "/balances", graphql: "{ balances }" }];`,
};
const problemsOf = (files: Record<string, string>, alone: Record<string, LoneQuestion> = {}) =>
  parityProblems(treeOf({ ...sound, ...files }), { folders, alone, cases: "test/cases.ts" });

const pools = {
  "gateway/questions/pools.ts": operation("poolsPage", "pools"),
  "gateway/graphql/pools.ts": 'import { poolsPage } from "../questions/pools.ts"; ask(poolsPage);',
};
const poolsCase = `${sound["test/cases.ts"]} export const more = [{ question: "pools", graphql: "{ pools }" }];`;
const listed: Record<string, LoneQuestion> = { pools: { skin: "graphql", why: "they are trees" } };

describe("The law of parity between the skins", () => {
  it("is content when both skins offer the same questions and a case asks each", () => {
    expect(problemsOf({})).toEqual([]);
  });

  it("finds a question that one skin offers and the other lacks", () => {
    const files = { ...pools, "test/cases.ts": poolsCase };
    expect(problemsOf(files)).toEqual(["pools is offered by graphql alone, without a reason on the list"]);
    expect(problemsOf(files, listed)).toEqual([]);
  });

  it("finds a reason that holds no more", () => {
    const both = { ...pools, "gateway/rest/pools.ts": pools["gateway/graphql/pools.ts"] };
    const cases = poolsCase.replace('question: "pools",', 'question: "pools", rest: "/pools",');
    expect(problemsOf({ ...both, "test/cases.ts": cases }, listed)).toEqual([
      "pools is offered by both skins and listed as lone",
    ]);
    expect(problemsOf({}, listed)).toEqual(["pools is listed as lone and offered by no skin"]);
  });

  it("finds a question that no case asks, through each skin by itself", () => {
    expect(problemsOf(pools, listed)).toEqual(["pools is offered by graphql and asked by no parity case"]);
    const cases = sound["test/cases.ts"].replace('rest: "/balances",', "");
    expect(problemsOf({ "test/cases.ts": cases })).toEqual(["balances is offered by rest and asked by no parity case"]);
  });

  it("takes another test for a case only where the list names it and it is there", () => {
    const elsewhere = { pools: { skin: "graphql" as const, why: "they last", coveredBy: "test/pools.test.ts" } };
    expect(problemsOf(pools, elsewhere)).toEqual(["pools is offered by graphql and asked by no parity case"]);
    expect(problemsOf({ ...pools, "test/pools.test.ts": "" }, elsewhere)).toEqual([]);
  });

  it("finds a case for what a skin does not offer", () => {
    expect(problemsOf({ "test/cases.ts": poolsCase })).toEqual([
      "pools has a parity case for graphql, which does not offer it",
    ]);
  });

  it("sees what a skin runs, under another name or defined in the skin, and no types or steps below a question", () => {
    const files = {
      "gateway/questions/a.ts": operation("aPage", "a"),
      "gateway/questions/b.ts": 'export const b = { name: "b", run: async () => 1 } satisfies Operation<I, O>;',
      "gateway/questions/c.ts": 'export const cOf = (n: number): Operation<I, O> => ({ name: "c", run: () => n });',
      "gateway/questions/d.ts": operation("d"),
      "gateway/questions/step.ts": 'export const step = { name: "step" }; export const MOST = 5;',
      "gateway/rest/a.ts": `import { aPage as page } from "../questions/a.ts"; import { b } from "../questions/b.ts";
        import { cOf } from "../questions/c.ts"; import type { d } from "../questions/d.ts";
        import { step, MOST } from "../questions/step.ts"; ${operation("own")}`,
    };
    expect([...offeredBy(treeOf(files), folders).rest].sort()).toEqual(["a", "b", "c", "own"]);
  });

  it("finds what the project's skins offer", () => {
    const { rest, graphql } = offeredBy(projectTree(), folders);
    expect(rest.size).toBeGreaterThan(10);
    expect(graphql.size).toBeGreaterThan(20);
    expect(rest).toContain("balances");
    expect(graphql).toContain("balances");
  });

  it("is broken by no question of the project", () => {
    expect(violationsOf("operations-parity")).toEqual([]);
  });
});
