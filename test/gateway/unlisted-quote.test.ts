// Quotes of a token that is traded but has no recorded event, as one that the chain file does not list.
import { beforeAll, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { routerQuery } from "../support/router-questions.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";

const [LISTED, UNLISTED, PAIR] = [1, 2, 3].map(tokenOf) as [string, string, string];
const [FACTORY, ROUTER] = [70, 71].map(accountOf) as [string, string];

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  v2: { factory: { address: FACTORY, startBlock: 0 }, router: ROUTER },
});

const open = scriptedGateway(chain);

beforeAll(async () => {
  const script = new Script();
  script.mint(LISTED, PAIR, 1_000_000n);
  script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0: LISTED, token1: UNLISTED, ordinal: 1 });
  script.tell("v2_sync", { pair: PAIR, reserve0: "1000000", reserve1: "1000000" });
  const index = { ponderSchema: "facts_unlisted", foldSchema: "fold_unlisted", finalized: 1, chain };
  await buildScripted(open.database.sql, script, index);
});

it.each([
  [LISTED, UNLISTED],
  [UNLISTED, LISTED],
])("a quote from %s to %s says that the token is not tracked, rather than to ask again", async (from, to) => {
  const query = routerQuery({ tokenInAddress: from, tokenOutAddress: to, amount: 1_000 });
  const { status, body } = await open.gateway.get(`/router/quote?${query}`);
  expect({ status, body }).toMatchObject({ status: 404, body: { error: { code: "TOKEN_NOT_TRACKED" } } });
});
