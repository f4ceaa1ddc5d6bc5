// How many of a running gateway's pools `--fresh-quotes` knows: all, though a page of them has 1,000 at most.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createApp, listen } from "../../gateway/server.ts";
import { GatewayAnswers } from "../../verify/quotes/gateway-answers.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";

const [FACTORY, PAIRS] = [accountOf(90), 1_001];
const [token0, token1] = [tokenOf(1), tokenOf(2)];
const v2 = { factory: { address: FACTORY, startBlock: 0 }, router: accountOf(91) };
const chain = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, v2 });

const open = scriptedGateway(chain);
let server: Server;
beforeAll(async () => {
  const script = new Script();
  for (let i = 1; i <= PAIRS; i++)
    script.tell("v2_pair_created", { factory: FACTORY, pair: tokenOf(100 + i), token0, token1, ordinal: String(i) });
  script.nextBlock();
  const index = { ponderSchema: "facts_pools", foldSchema: "fold_pools", finalized: 1, chain };
  await buildScripted(open.database.sql, script, index);
  const app = createApp(open.gateway.service, pino({ level: "silent" }));
  server = await listen(app, { host: "127.0.0.1", port: 0 });
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

const gatewayUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

it("every pool that a gateway lists is known, on however many pages", async () => {
  const pools = await new GatewayAnswers(gatewayUrl(), SCRIPT_CHAIN_ID).pools();
  expect(pools.length).toBe(PAIRS);
  expect(new Set(pools.map(({ address }) => address)).size).toBe(PAIRS);
});

it("every pool is known, once, where blocks are replaced between two pages", async () => {
  const real = globalThis.fetch;
  let pages = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (...sent) => {
    const answer = await real(...sent);
    pages += 1;
    if (pages === 1) await open.database.sql`update fold_pools.meta set rewinds = rewinds + 1`;
    return answer;
  });
  try {
    const pools = await new GatewayAnswers(gatewayUrl(), SCRIPT_CHAIN_ID).pools();
    expect([pages, pools.length, new Set(pools.map(({ address }) => address)).size]).toEqual([4, PAIRS, PAIRS]);
  } finally {
    vi.restoreAllMocks();
  }
});
