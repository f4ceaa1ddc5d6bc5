// The seeded devnet's ledgers over random ranges, and what protocols say of them, beside every kind of contract at single blocks.
import type { Sql } from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { tokenAsset } from "../../gateway/backing/protocol.ts";
import { stakeAsset } from "../../gateway/backing/stake.ts";
import type { Address } from "../../gateway/parameters.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { compareIssued, compareIssuerSince, withinRequest } from "../support/issued-each-block.ts";
import { openSeededGateway, openSeededSql, seeded } from "./seeded-index.ts";

const RANGES = 12;
const BLOCKS_PER_RANGE = 6;
const { head } = seeded;
let gateway: TestGateway;
let sql: Sql;
beforeAll(() => {
  gateway = openSeededGateway();
  sql = openSeededSql();
});
afterAll(async () => {
  await gateway.close();
  await sql.end({ timeout: 2 });
});

/** Both ends and blocks in between; some ranges end at the head. */
function* randomRanges(seed: string) {
  const random = seedRandom(seed);
  for (let i = 0; i < RANGES; i++) {
    const from = random.between(1, head);
    const to = i % 3 === 0 ? head : random.between(from, head);
    const between = Array.from({ length: BLOCKS_PER_RANGE }, () => random.between(from, to));
    yield { from, to, blocks: [from, ...between, to] };
  }
}

const assetsOfKind = async (kind: string): Promise<Address[]> => {
  const rows = await sql.unsafe<{ key: Address }[]>(
    `select '0x' || encode(key, 'hex') as key from "${seeded.foldSchema}".asset where kind = $1`,
    [kind],
  );
  return rows.map(({ key }) => key);
};

test("what protocols say over a range is at every block what they say at that block", async () => {
  const assets = [...(await assetsOfKind("erc20")).map(tokenAsset), ...(await assetsOfKind("stake")).map(stakeAsset)];
  let compared = 0;
  for (const range of randomRanges("issued over ranges"))
    compared += await withinRequest(gateway.service, (context) => compareIssued(context, { ...range, assets }));
  expect(compared).toBeGreaterThan(1_000);
});

test("contracts are no accounts from the first block on at which a protocol names them", async () => {
  const { foldSchema } = seeded;
  const rows = await sql.unsafe<{ address: Address }[]>(`
    select '0x' || encode(account, 'hex') as address from "${foldSchema}".holder group by account
    union select '0x' || encode(address, 'hex') from "${foldSchema}".v3_pool`);
  const addresses = rows.map(({ address }) => address);
  for (const range of randomRanges("issuers over ranges")) {
    const found = await withinRequest(gateway.service, (context) =>
      compareIssuerSince(context, { ...range, addresses }),
    );
    expect(found).toBeGreaterThan(0);
  }
});
