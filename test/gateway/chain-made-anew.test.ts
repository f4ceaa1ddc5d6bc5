// A gateway that outlives a chain of the same id: a devnet that was lost and is seeded again, at lower blocks.
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, dropIndex, timestampOf } from "../support/index-fixture.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;
const { chainId } = smallIndex;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: 5_000 });
  await database.sql`insert into tidemark.instance (chain_id, instance) values (${chainId}, 'one')`;
  gateway = openGateway(database.url, chainFixture({ chainId, startBlock: smallIndex.firstBlock }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

/** What the launcher drops and the fold makes again. */
async function makeAnew(instance: string): Promise<void> {
  await dropIndex(database.sql, smallIndex);
  for (const table of ["live", "build", "chain_head", "instance"])
    await database.sql`delete from ${database.sql(`tidemark.${table}`)} where chain_id = ${chainId}`;
  await database.sql`insert into tidemark.instance (chain_id, instance) values (${chainId}, ${instance})`;
  await buildIndex(database.sql, smallIndex);
}

const now = () => gateway.get(`/balances/${smallIndex.facts[0]?.token}?timestamp=${timestampOf(smallIndex.head) + 9}`);

it("the gateway refuses blocks above the head of the same chain that was indexed again, as it has seen higher blocks", async () => {
  expect((await now()).body.error).toMatchObject({ code: "CATCHING_UP", details: { chainHead: 5_000 } });
  await makeAnew("one");
  expect((await now()).body.error).toMatchObject({ code: "CATCHING_UP", details: { chainHead: 5_000 } });
});

it("the gateway knows nothing of the former chain's blocks once another chain is there", async () => {
  await makeAnew("two");
  const { status, body } = await now();
  expect({ status, at: body.lastSyncedBlock }).toEqual({ status: 200, at: smallIndex.head });
});
