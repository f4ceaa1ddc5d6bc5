// What an account's shares are to its worth: what is behind them is counted, whether they have a price themselves or not.
import { pino } from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { routerChain } from "../support/router-world.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, Script } from "../support/scripted-index.ts";

const UNIT = 10n ** 18n;
const [DOLLAR, UNPRICED, PAIR, SAVINGS, BROKEN, BROKEN_VAULT] = [1, 2, 3, 4, 5, 6].map(tokenOf) as [
  ...[string, string, string, string, string, string],
];
/** One has shares of a pair of the two, one of a vault with a price of its own, one of a vault over a broken ledger. */
const [PAIRS, SAVER, BREAKS] = [1, 2, 3].map(accountOf) as [string, string, string];
const vaultOf = (address: string, asset: string) => ({ address, kind: "erc4626", asset, startBlock: 0 });
const chain = {
  ...routerChain,
  stables: [DOLLAR, SAVINGS].map((address) => ({ address, priceUsd: "1" })),
  externalVaults: [vaultOf(SAVINGS, DOLLAR), vaultOf(BROKEN_VAULT, BROKEN)],
} as typeof routerChain;

function script(): Script {
  const world = new Script();
  world.tell("v2_pair_created", {
    ...{ factory: chain.v2!.factory.address, pair: PAIR, ordinal: "1" },
    ...{ token0: DOLLAR, token1: UNPRICED },
  });
  for (const token of [DOLLAR, UNPRICED]) world.mint(token, PAIR, 100n * UNIT);
  world.tell("v2_sync", { pair: PAIR, reserve0: `${100n * UNIT}`, reserve1: `${100n * UNIT}` });
  world.mint(PAIR, PAIRS, 100n * UNIT);
  world.mint(DOLLAR, SAVINGS, 40n * UNIT);
  world.mint(SAVINGS, SAVER, 40n * UNIT);
  world.mint(BROKEN, BROKEN_VAULT, 7n * UNIT);
  world.mint(BROKEN_VAULT, BREAKS, 7n * UNIT);
  world.nextBlock();
  world.move(BROKEN, { from: accountOf(9), to: accountOf(8), amount: UNIT });
  world.nextBlock();
  return world;
}

const place = scriptedGateway(chain);
beforeAll(async () => {
  const schemas = { ponderSchema: "facts_account_shares", foldSchema: "fold_account_shares" };
  await buildScripted(place.database.sql, script(), { ...schemas, finalized: 1, chain });
});

async function open(account: string): Promise<string> {
  const app = createApp(place.gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(`/explore/${chain.name}/account/${account}?block=2`, {
    headers: { accept: "text/html" },
  });
  expect(answer.status).toBe(200);
  return answer.text();
}

const worthIn = (text: string) =>
  /<dt>Worth<\/dt><dd>(?:<a[^>]*>)?<data class="number" value="([^"]*)"/.exec(text)?.[1];

describe("an account's worth", () => {
  it("does not call a share without a price one whose worth is missing, as what is behind it is counted", async () => {
    const text = await open(PAIRS);
    expect(worthIn(text)).toBe("100");
    expect(text).toContain("1 of its tokens has no price at this block");
  });

  it("counts what is behind a share once, though the chain file gives the share a price", async () => {
    const text = await open(SAVER);
    expect(worthIn(text)).toBe("40");
    expect(text).not.toContain("no price at this block: what");
  });

  it("names a share as one without a price where the balances of the token behind it are unknown", async () => {
    const text = await open(BREAKS);
    expect(worthIn(text)).toBeUndefined();
    expect(text).toContain("1 of its tokens has no price at this block");
  });
});
