// What a swap quote holds while it waits for others: no transaction, and no state of the index that a new block would make stale.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MarketReader } from "../../gateway/aggregator/market-reader.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { insertBlocks } from "../support/index-fixture.ts";
import { EXTERNALS, openQuoteGateway, type QuoteGateway, withProviders } from "../support/quote-world.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { A, B, routerChain, tellRouterWorld } from "../support/router-world.ts";
import { buildScripted, followScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [AGGREGATOR, EXECUTOR, RECIPIENT] = [accountOf(70), accountOf(71), accountOf(72)] as const;
const chain = withProviders(routerChain, AGGREGATOR);
const INDEX = { ponderSchema: "facts_moving", foldSchema: "fold_moving", finalized: 1, chain: routerChain };
const PATIENT = { QUOTE_TIMEOUT_MS: "20000", QUOTE_PROVIDER_TIMEOUT_MS: "20000", QUOTE_WORTH_WAITING_USD: "0" };
const PATH =
  `/quote?tokenInAddress=${A}&tokenOutAddress=${B}&tokenInChainId=31337&tokenOutChainId=31337` +
  `&amount=1000000000000000000000&type=exactIn&recipient=${RECIPIENT}&slippageTolerance=1`;

let database: TestDatabase;
let base: TestGateway;
let gateway: QuoteGateway;
let head: number;

beforeAll(async () => {
  database = await startTestDatabase();
  const world = tellRouterWorld();
  head = world.block;
  await buildScripted(database.sql, world, INDEX);
  base = openGateway(database.url, routerChain);
  gateway = await openQuoteGateway({ base, chain, executor: EXECUTOR, env: PATIENT });
});
afterAll(async () => {
  await gateway?.stop();
  await base?.close();
  await database?.stop();
});

async function addBlock(): Promise<void> {
  head += 1;
  await insertBlocks(database.sql, INDEX.ponderSchema, { from: head, to: head });
  await followScripted(database.sql, INDEX);
}

describe("a swap quote", () => {
  it("asks every provider once, however many blocks come while they are waited for", async () => {
    const namesDuring = async (meanwhile: () => Promise<void>) => {
      const before = gateway.requested.length;
      await meanwhile();
      return gateway.requested
        .slice(before)
        .map(({ name }) => name)
        .sort();
    };
    const quiet = await namesDuring(async () => {
      expect((await gateway.get(PATH)).status).toBe(200);
    });
    expect(new Set(quiet)).toEqual(new Set(EXTERNALS));
    for (const desk of Object.values(gateway.desks)) desk.mode = "slow";
    const blocks = head;
    const moving = await namesDuring(async () => {
      let isAnswered = false;
      const answer = gateway.get(PATH).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered) await addBlock();
      expect((await answer).status).toBe(200);
    });
    expect(head).toBeGreaterThan(blocks);
    expect(moving).toEqual(quiet);
  });

  it("holds no transaction while a node says which holders are contracts", async () => {
    const transactions: number[] = [];
    const node = await serveNode(async () => {
      const [row] = await database.sql<{ n: number }[]>`
        select count(*)::int4 as n from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`;
      transactions.push(row?.n ?? -1);
    });
    const env = { ...PATIENT, SIMULATION_RPC_URL: `http://127.0.0.1:${(node.address() as AddressInfo).port}` };
    const simulating = await openQuoteGateway({ base, chain, executor: EXECUTOR, env });
    expect((await simulating.get(PATH)).status).toBe(200);
    expect(transactions.length).toBeGreaterThan(0);
    expect(transactions.every((n) => n === 0)).toBe(true);
    await simulating.stop();
    node.close();
  });
});

describe("questions that read the market together", () => {
  const reader = () => new MarketReader(base.service, routerChain);

  it("are answered although a statement of another one has failed", async () => {
    const market = reader();
    const [failed, answered] = await Promise.allSettled([
      market.read((own) => own.snapshot.rows("select 1 / 0")),
      market.read((own) => own.snapshot.rows("select 1 as one")),
    ]);
    expect(failed).toMatchObject({ status: "rejected", reason: { code: "22012" } });
    expect(answered).toEqual({ status: "fulfilled", value: [{ one: 1 }] });
  });

  it("are asked again after a lock that was not got in time", async () => {
    let attempts = 0;
    const found = await reader().read((own) => {
      attempts += 1;
      const lost = "do $$ begin raise exception using errcode = '55P03'; end $$";
      return own.snapshot.rows(attempts === 1 ? lost : "select 1 as one");
    });
    expect([attempts, found]).toEqual([2, [{ one: 1 }]]);
  });
});

/** A node that says of every account that it has no code, and of every call that the node does not know it. */
async function serveNode(onRequest: () => Promise<void>): Promise<Server> {
  const answerOf = ({ id, method }: { id: number; method: string }) =>
    method === "eth_getCode"
      ? { jsonrpc: "2.0", id, result: "0x" }
      : { jsonrpc: "2.0", id, error: { code: -32601, message: "method not found" } };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    await onRequest();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answerOf) : answerOf(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
