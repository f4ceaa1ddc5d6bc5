// What was asked about newest blocks is made ready for the next one: together it is what each question alone gives, and
// the next questions need no transaction.

import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Operation, RequestScope, type Service } from "../../gateway/context.ts";
import { overlayAt } from "../../gateway/ledger/kept-overlays.ts";
import { fixBlock } from "../../gateway/ledger/point.ts";
import { readTokens } from "../../gateway/ledger/token-state.ts";
import { type HeldToken, lookThrough, lookThroughAll } from "../../gateway/lookthrough/look-through.ts";
import type { Address } from "../../gateway/parameters.ts";
import { createApp } from "../../gateway/server.ts";
import { askedLately } from "../../gateway/warm-up/asked-lately.ts";
import { warmBlock } from "../../gateway/warm-up/warm-block.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { buildV3Index, randomV3World, V3_CHAIN_ID, v3Deployments } from "../support/v3-index.ts";

const world = randomV3World("gateway/warm-up", { blocks: 60, pools: 6 });
const watermark = world.head - 5;
const tokens = [...new Set(world.transfers.map(({ token }) => token))] as Address[];

let database: TestDatabase;
let gateway: TestGateway;
let transactions = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildV3Index(database.sql, world, { ponderSchema: "facts_warm", foldSchema: "fold_warm", watermark });
  gateway = openGateway(
    database.url,
    chainFixture({ chainId: V3_CHAIN_ID, startBlock: 0, v3: { deployments: v3Deployments } }),
  );
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

/** Nothing of a block whose hash is not known is kept: what is compared is worked out each time. */
const bothWays: Operation<number, [unknown, unknown][]> = {
  name: "bothWays",
  async run(number, context) {
    const { snapshot, chain } = context;
    const held = await snapshot.withFacts(async (facts): Promise<HeldToken[]> => {
      const choice = { kind: "number", number, parameter: "block", beyondHead: "refuse" } as const;
      const point = { ...(await fixBlock(facts, chain, choice)), hash: undefined };
      const states = await readTokens(facts, chain.chainId, tokens);
      const all: HeldToken[] = [];
      for (const { address: token, assetId } of states) {
        const place = { fold: facts.schemas.fold, assetId, block: number, watermark: point.watermark };
        all.push({ token, point, place, overlay: await overlayAt(facts, point, token) });
      }
      return all;
    });
    const together = await lookThroughAll(context, held);
    const pairs: [unknown, unknown][] = [];
    for (const [i, one] of held.entries())
      pairs.push([together[i], await lookThrough(context, one, { isWhole: false })]);
    return pairs;
  },
};

const inScope = async <T>(
  work: (scope: RequestScope) => Promise<T>,
  service: Service = gateway.service,
): Promise<T> => {
  const scope = new RequestScope(service);
  return work(scope).finally(() => scope.close());
};

describe("many tokens looked through together", () => {
  it.each([20, watermark, world.head])("give what each gives alone at block %i", async (block) => {
    const pairs = await inScope((scope) => scope.run(bothWays, block));
    expect(pairs).toHaveLength(tokens.length);
    expect(pairs.some(([one]) => (one as { parts: Map<string, unknown> }).parts.size > 1)).toBe(true);
    for (const [together, alone] of pairs) expect(together).toEqual(alone);
  });
});

describe("a new block", () => {
  it("is told without a transaction once it is ready", async () => {
    const { database: own } = gateway.service;
    const watched: Service = {
      ...gateway.service,
      database: {
        ...own,
        connect: (refused) => {
          transactions += 1;
          return own.connect(refused);
        },
      },
    };
    const app = createApp(watched, pino({ level: "silent" }));
    const ask = async (block: string) => {
      const before = transactions;
      const paths = tokens.map((token) => `/balances/${token}?blockNumber=${block}&users=${world.transfers[0]?.to}`);
      for (const path of [...paths, `/tokens?addresses=${tokens.slice(0, 3).join(",")}&blockNumber=${block}`])
        expect((await app.request(path)).status, path).toBe(200);
      return transactions - before;
    };
    expect(await ask("99999999999")).toBeGreaterThan(0);
    expect(askedLately(V3_CHAIN_ID, "look-through")).toEqual(expect.arrayContaining(tokens));
    const next = world.head + 1;
    await database.sql.unsafe(
      `insert into facts_warm.block (number, hash, timestamp) values (${next}, '0x${"ab".repeat(32)}', ${next})`,
    );
    await inScope((scope) => scope.run(warmBlock, undefined), watched);
    expect(await ask("99999999999")).toBe(0);
    const shown = await app.request(`/balances/${tokens[0]}?blockNumber=99999999999&users=${world.transfers[0]?.to}`);
    expect(shown.headers.get("x-block-number")).toBe(String(next));
  });
});
