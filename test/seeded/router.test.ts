// Router quotes at random blocks of the seeded devnet against its contracts: paths with the quoters, whole routes carried
// out on a copy of the chain. QUOTES=200 asks for more per block, ROUTER_SEED for other ones.
import http from "node:http";
import https from "node:https";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { routerQuotes } from "../../gateway/questions/router-quote.ts";
import type { RouterState } from "../../gateway/router/router-state.ts";
import { copyChain } from "../../verify/exit/chain-copy.ts";
import { inRequest } from "../../verify/in-request.ts";
import { compareAt, type QuotesCheck, routerPlaceAt } from "../../verify/quotes/block-quotes.ts";
import { randomRequest } from "../../verify/quotes/questions.ts";
import { QuotesReport } from "../../verify/quotes/quotes-report.ts";
import { RECIPIENT } from "../../verify/quotes/swap-trial.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const QUOTES = Number(process.env.QUOTES ?? 25);
const SEED = process.env.ROUTER_SEED ?? "router";

const chain = seededChain();
let gateway: TestGateway;

beforeAll(() => {
  gateway = openSeededGateway();
});
afterAll(() => gateway?.close());

const placeAt = (block: number | "latest") => inRequest(gateway.service, (scope) => scope.run(routerPlaceAt, block));

/** One block long folded, one above the last final block. */
function someBlocks(random: () => number): number[] {
  const { finalized, head } = seeded;
  const folded = Math.floor(finalized * (0.4 + 0.55 * random()));
  return [folded, finalized + 1 + Math.floor(random() * (head - finalized))];
}

/** Everything that decides quotes. */
const contentOf = ({ pools, taxed, payouts }: RouterState) => ({
  pools: [...pools].sort(([a], [b]) => (a < b ? -1 : 1)),
  taxed: [...taxed].sort(),
  payouts: [...payouts.values()].sort((a, b) => (a.pool + a.token < b.pool + b.token ? -1 : 1)),
});

describe("router quotes of the seeded devnet", () => {
  test(
    "are what the contracts pay",
    async () => {
      const random = seededRandom(SEED);
      const { state } = await placeAt("latest");
      const report = new QuotesReport();
      const { rpcUrl } = seeded;
      const check: QuotesCheck = {
        service: gateway.service,
        chain,
        first: 0,
        rpcUrl,
        taxed: state.taxed,
        random,
        report,
      };
      for (const block of someBlocks(random)) {
        const copy = await copyChain({ rpcUrl, block });
        try {
          await compareAt(check, copy, { paths: 6 * QUOTES, quotes: QUOTES, late: Math.ceil(QUOTES / 4) });
        } finally {
          await copy.stop();
        }
      }
      for (const line of report.lines()) console.log(line);
      console.log(`seed ${SEED}: ${report.compared} comparisons`);
      expect(report.differences).toEqual([]);
      for (const what of ["path of 1 v3 exactIn", "path of 1 v3 exactOut", "path of 1 v2", "path of 2", "carried out:"])
        expect(report.countOf(what), what).toBeGreaterThan(0);
      expect(report.countOf("carried out: split") + report.countOf("carried out: shared")).toBeGreaterThan(0);
      expect(report.countOf("carried out late")).toBeGreaterThan(0);
    },
    QUOTES * 2_000 + 60_000,
  );

  test("know at every block what a whole reading of it knows", async () => {
    const first = seeded.finalized - 4;
    const grown: RouterState[] = [];
    for (let block = first; block <= seeded.head; block += 3) grown.push((await placeAt(block)).state);
    const other = openSeededGateway();
    try {
      for (const state of grown.slice(-4)) {
        other.service.cache.clear();
        const whole = await inRequest(other.service, (scope) => scope.run(routerPlaceAt, state.block));
        expect(contentOf(whole.state)).toEqual(contentOf(state));
      }
    } finally {
      await other.close();
    }
    expect(grown.length).toBeGreaterThan(5);
  });

  test("take no node, and as many statements for many pools as for few", async () => {
    const random = seededRandom(SEED);
    const { state } = await placeAt("latest");
    const requests = Array.from({ length: 10 }).flatMap(
      () => randomRequest(random, state, { chain, recipient: RECIPIENT }) ?? [],
    );
    const calls = [vi.spyOn(globalThis, "fetch"), vi.spyOn(http, "request"), vi.spyOn(https, "request")];
    const scope = new RequestScope(gateway.service);
    try {
      const block = blockNumbered(seeded.finalized - 300);
      const { outcomes } = await scope.run(routerQuotes, { requests, block });
      expect(outcomes.some(({ quote }) => quote !== undefined)).toBe(true);
      expect(calls.map((call) => call.mock.calls.length)).toEqual([0, 0, 0]);
    } finally {
      await scope.close();
      for (const call of calls) call.mockRestore();
    }
    expect(await statementsAt(seeded.finalized - 10)).toBe(await statementsAt(Math.floor(seeded.finalized / 4)));
  });
});

/** Statements for a state that is read whole. */
async function statementsAt(block: number): Promise<number> {
  gateway.service.cache.clear();
  const { database } = gateway.service;
  let statements = 0;
  const counting: typeof database = {
    ...database,
    async connect() {
      const connection = await database.connect();
      const rows: typeof connection.rows = (text, parameters) => {
        statements += 1;
        return connection.rows(text, parameters);
      };
      return new Proxy(connection, { get: (target, name) => (name === "rows" ? rows : Reflect.get(target, name)) });
    },
  };
  await inRequest({ ...gateway.service, database: counting }, (scope) => scope.run(routerPlaceAt, block));
  return statements;
}
