// A token of 178,000 holders, as many as the largest world of the benchmarks has: its page asks for a page of them.
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { parsePlan } from "../../snapshot/arguments.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HOLDERS = 178_000;
const TOKEN = tokenOf(1);
const first: Fact = {
  ...{ kind: "transfer", block: 10, logIndex: 1, token: TOKEN, from: ZERO, to: accountOf(1) },
  amount: 10n ** 30n,
};

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, {
    ...{
      chainId: 31337,
      ponderSchema: "facts_many",
      foldSchema: "fold_many",
      firstBlock: 10,
      head: 100,
      finalized: 90,
    },
    ...{ facts: [first], decimals: { [TOKEN]: 18 } },
  });
  await database.sql.unsafe(`
    insert into fold_many.holding_current (asset, account, since, amount)
    select (select id from fold_many.asset where kind = 'erc20'), decode(lpad(to_hex(i + 1000000), 40, '7'), 'hex'),
           10 + i % 20, (i * 7919::numeric % 1000003 + 1) * 1000000000000000
      from generate_series(1, ${HOLDERS - 1}) i`);
  await database.sql.unsafe("vacuum analyze fold_many.holding_current");
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 10 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

// `npm run bench -- as-of` measures such a page
it("the token's page shows one page of its holders, at blocks that nobody has asked about", async () => {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const took: number[] = [];
  for (const block of [60, 65, 70, 75, 80]) {
    const before = performance.now();
    const page = await app.request(`/explore/fixture/token/${TOKEN}?block=${block}`, {
      headers: { accept: "text/html" },
    });
    const text = await page.text();
    took.push(performance.now() - before);
    expect(page.status).toBe(200);
    expect(text).toContain(`${HOLDERS.toLocaleString("en")} holders`);
    // for this many holders no request makes a tree, and the page has the command that does
    const [, options = ""] = /npm run snapshot -- ([^<]+)</.exec(text) ?? [];
    expect(parsePlan(options.split(" "))).toMatchObject({ token: TOKEN, withMerkle: true, block: { number: block } });
    expect(text).not.toContain("/merkle?");
    expect(text.match(/<tr>/g)?.length).toBeLessThan(70);
  }
  console.log(`ms: ${took.map(Math.round).join(", ")}`);
});
