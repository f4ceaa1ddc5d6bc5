// Prices of shares of what broke later, or of stakes that did: a lake has them, whether it was written before the break was final or after it.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { breakLedger, tellPair } from "../support/broken-pair.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { openReader } from "./lake-states.ts";

const [HONEY, SOUND, WITHIN, LATER] = [tokenOf(1), tokenOf(2), tokenOf(3), tokenOf(4)];
const [SOUND_PAIR, WITHIN_PAIR, LATER_PAIR, BROKEN_PAIR] = [tokenOf(102), tokenOf(103), tokenOf(104), tokenOf(105)];
/** Each is over a token of its own; the stakes in its reward vault break within the segment, or later. */
const WITHIN_BAULT = { bault: tokenOf(106), vault: tokenOf(107), asset: HONEY, worth: 1n };
const LATER_BAULT = { bault: tokenOf(108), vault: tokenOf(109), asset: SOUND, worth: 2n };
const [ALICE, FACTORY] = [accountOf(1), accountOf(90)];
const E18 = 10n ** 18n;
/** An hour of UTC ends with `hour`, its segment with `end`; the lakes are written of indexes that are final up to `before` and `after`. */
const AT = {
  pools: 2,
  hour: 1399,
  filled: 1420,
  within: 1450,
  end: 1499,
  before: 1550,
  later: 1600,
  after: 1750,
} as const;
const HEAD = 1760;

const place = (address: string) => ({ address, startBlock: 0 });
const chain = {
  ...chainFixture({
    ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0, stables: [{ address: HONEY, priceUsd: "1" }] },
    v2: { factory: place(FACTORY), router: FACTORY },
    rewardVaults: { factory: place(FACTORY) },
    baults: { factory: place(FACTORY) },
  }),
  lake: { segmentBlocks: 100, segmentTransfers: 1 },
};

/** 10 shares of 200 USD. */
function tellBault(script: Script, { bault, vault, asset, worth }: typeof WITHIN_BAULT): void {
  const amount = (200n * E18) / worth;
  script.nextTransaction();
  script.tell("vault_created", { factory: FACTORY, vault, kind: "reward-vault", asset });
  script.tell("vault_created", { factory: FACTORY, vault: bault, kind: "bault", asset });
  script.mint(asset, vault, amount);
  script.mint(bault, ALICE, 10n * E18);
  tellStake(script, { vault, kind: "stake", account: bault, amount });
}

function tellStake(script: Script, by: { vault: string; kind: string; account: string; amount: bigint }): void {
  script.tell("stake", { ...by, protocol: "reward-vault", delegate: null, amount: `${by.amount}` });
}

const breakStakes = (script: Script, { vault }: typeof WITHIN_BAULT): void =>
  tellStake(script, { vault, kind: "withdraw", account: ALICE, amount: 1n });

function tellPools(script: Script): void {
  tellPair(script, { factory: FACTORY, pair: SOUND_PAIR, stable: HONEY, token: SOUND });
  tellPair(script, { factory: FACTORY, pair: WITHIN_PAIR, stable: HONEY, token: WITHIN });
  tellPair(script, { factory: FACTORY, pair: LATER_PAIR, stable: HONEY, token: LATER });
  tellPair(script, { factory: FACTORY, pair: BROKEN_PAIR, stable: HONEY, token: SOUND });
  for (const one of [WITHIN_BAULT, LATER_BAULT]) tellBault(script, one);
}

function tellLaterBreaks(script: Script): void {
  for (const token of [LATER, BROKEN_PAIR]) breakLedger(script, token);
  breakStakes(script, LATER_BAULT);
}

function tellWorld(): Script {
  const script = new Script();
  while (script.nextBlock() < HEAD) {
    if (script.block === AT.pools) tellPools(script);
    // as many transfers as rows are open fill a segment
    if (script.block === AT.filled) for (let i = 0; i < 99; i += 1) script.mint(HONEY, ALICE, 1n);
    if (script.block === AT.within) {
      breakLedger(script, WITHIN);
      breakStakes(script, WITHIN_BAULT);
    }
    if (script.block === AT.later) tellLaterBreaks(script);
  }
  return script;
}

let database: TestDatabase;
const lakes: Record<"before" | "after", TestLake | undefined> = { before: undefined, after: undefined };

beforeAll(async () => {
  database = await startTestDatabase();
  const script = tellWorld();
  for (const when of ["before", "after"] as const) {
    const schemas = { ponderSchema: `facts_${when}`, foldSchema: `fold_${when}` };
    await buildScripted(database.sql, script, { ...schemas, finalized: AT[when] });
    lakes[when] = await makeLake(database.url, chain);
  }
});
afterAll(async () => {
  for (const lake of Object.values(lakes)) lake?.remove();
  await database.stop();
});

const segmentOf = (lake: TestLake | undefined) => lake?.manifest.segments.find(({ last }) => last === AT.end);

describe.each(["before", "after"] as const)("a lake that was written %s ledgers broke in later blocks", (when) => {
  it("has prices of the shares of all but what broke by the end of the segment", async () => {
    const lake = lakes[when];
    const file = segmentOf(lake)?.files.find(({ dataset }) => dataset === "prices");
    const duck = await openReader();
    const rows = await duck.rows(
      `select token, usd from read_parquet('${join(lake?.folder ?? "", file?.path ?? "")}') where strategy = 'vault' and block = ${AT.hour}`,
    );
    duck.close();
    expect(rows.map(({ token }) => String(token)).sort()).toEqual(
      [SOUND_PAIR, LATER_PAIR, BROKEN_PAIR, LATER_BAULT.bault].sort(),
    );
    // a pair has HONEY for 10,000 USD and as much of the other behind its 1,000 shares, a bault 200 USD behind its ten
    expect(new Set(rows.map(({ usd }) => BigInt(String(usd)) / 10n ** 36n))).toEqual(new Set([20n]));
  });
});

it("a lake has the same bytes of a segment, whether ledgers broke in later blocks meanwhile or not", () => {
  expect(segmentOf(lakes.before)).toBeDefined();
  expect(segmentOf(lakes.after)).toEqual(segmentOf(lakes.before));
});
