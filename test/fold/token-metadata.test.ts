// What the fold stores of tokens where the node does not answer, is behind, or a token burns all gas that it is given: what a
// contract has said, and nothing else.
import {
  createPublicClient,
  custom,
  encodeAbiParameters,
  type Hex,
  HttpRequestError,
  type PublicClient,
  parseAbiParameters,
  RpcRequestError,
} from "viem";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { storeMissingMetadata } from "../../fold/contracts/token-metadata.ts";
import { foldTablesDdl } from "../../fold/tables.ts";
import { answerAggregated, callsIn, refused } from "../support/aggregated-calls.ts";
import { tokenOf } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [GOLD, LATE, BURNER] = [1, 2, 3].map(tokenOf) as [string, string, string];
const text = (value: string): Hex => encodeAbiParameters(parseAbiParameters("string"), [value]);
const answers: Record<string, Hex> = {
  "0x06fdde03": text("Gold"),
  "0x95d89b41": text("GLD"),
  "0x313ce567": encodeAbiParameters(parseAbiParameters("uint256"), [18n]),
};

interface Node {
  head: number;
  /** Calls that fail before one is answered. */
  failures: number;
  /** What they fail with; that the node is behind where it is left out. */
  failure?: Error;
  calls: { targets: string[]; block: number }[];
  /** Happens before the first call is answered. */
  meanwhile?: (() => Promise<unknown>) | undefined;
}
let node: Node;

/** An error for the whole of it, or what three views of a token answer. */
function call(data: string, block: number): Hex {
  const targets = callsIn(data).map(({ target }) => target.toLowerCase());
  node.calls.push({ targets, block });
  if (node.failures-- > 0 || targets.includes(BURNER)) throw node.failure ?? refused("header not found");
  return answerAggregated(data, ({ callData }) => answers[callData] ?? "0x");
}

const transport = custom(
  {
    async request({ method, params }: { method: string; params?: unknown[] }) {
      if (method === "eth_blockNumber") return `0x${node.head.toString(16)}`;
      const [{ data }, block] = params as [{ data: string }, Hex];
      const { meanwhile } = node;
      node.meanwhile = undefined;
      await meanwhile?.();
      return call(data, Number(block));
    },
  },
  { retryCount: 0 },
);
const client = createPublicClient({ transport }) as PublicClient;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await database.sql.unsafe(foldTablesDdl("fold_metadata"));
  await database.sql`insert into fold_metadata.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, finalized, head)
    values (1, 'x', 'x', 0, 0, 90, 100)`;
});
afterAll(() => database.stop());
beforeEach(async () => {
  node = { head: 100, failures: 0, calls: [] };
  await database.sql`truncate fold_metadata.asset, fold_metadata.token, fold_metadata.token_retry cascade`;
});

const add = (id: number, token: string, block: number) =>
  database.sql`insert into fold_metadata.asset values (${id}, 'erc20', decode(${token.slice(2)}, 'hex'), ${block}, 0)`;
const store = () => storeMissingMetadata({ db: database.sql, client }, "fold_metadata");
const stored = async () =>
  Object.fromEntries(
    (
      await database.sql`select '0x' || encode(address, 'hex') as token, symbol, decimals, problem from fold_metadata.token`
    ).map(({ token, ...rest }) => [token, rest]),
  );
const retries = async (): Promise<unknown[]> => [
  ...(await database.sql`select '0x' || encode(address, 'hex') as token, attempts from fold_metadata.token_retry`),
];
const bringForward = () => database.sql`update fold_metadata.token_retry set next_try = now()`;

it("the fold asks again about a token of which the node has not answered every call", async () => {
  await add(1, GOLD, 50);
  node.failures = 2;
  expect(await store()).toBe(0);
  expect([await stored(), await retries()]).toEqual([{}, [{ token: GOLD, attempts: 1 }]]);
  await bringForward();
  expect(await store()).toBe(1);
  expect([await stored(), await retries()]).toEqual([{ [GOLD]: { symbol: "GLD", decimals: 18, problem: null } }, []]);
});

it("the fold asks about a token at a block that has it, and names that block to the node", async () => {
  await add(1, GOLD, 50);
  await add(2, LATE, 101);
  expect(await store()).toBe(1);
  expect(Object.keys(await stored())).toEqual([GOLD]);
  expect(node.calls.map(({ block }) => block)).toEqual([100]);
  expect(node.calls.flatMap(({ targets }) => targets)).not.toContain(LATE);
  node.head = 101;
  expect(await store()).toBe(1);
  expect(Object.keys(await stored()).sort()).toEqual([GOLD, LATE]);
});

it("the fold stores the others at once where one burns all gas, and believes that one in the end", async () => {
  await add(1, BURNER, 50);
  await add(2, GOLD, 50);
  expect(await store()).toBe(1);
  expect([Object.keys(await stored()), await retries()]).toEqual([[GOLD], [{ token: BURNER, attempts: 1 }]]);
  let turns = 1;
  for (; (await retries()).length > 0 && turns < 20; turns++) {
    await bringForward();
    await store();
  }
  expect(turns).toBe(7);
  expect((await stored())[BURNER]).toEqual({ symbol: null, decimals: null, problem: "decimals() gives no number" });
});

it.each([
  ["refuses for its limits by HTTP", new HttpRequestError({ status: 429, url: "http://node" })],
  [
    "refuses for its limits by JSON-RPC",
    new RpcRequestError({
      body: {},
      url: "http://node",
      error: { code: -32_005, message: "daily request count exceeded" },
    }),
  ],
  ["is not reached", new HttpRequestError({ url: "http://node", details: "ECONNRESET" })],
])("the fold takes no failure for a token's answer, however often a node %s", async (_, failure) => {
  await add(1, GOLD, 50);
  node.failure = failure;
  for (let turn = 0; turn < 10; turn++) {
    node.failures = 2;
    expect(await store()).toBe(0);
    await bringForward();
  }
  expect([await stored(), await retries()]).toEqual([{}, [{ token: GOLD, attempts: 10 }]]);
  node.failures = 0;
  expect(await store()).toBe(1);
  expect(await stored()).toEqual({ [GOLD]: { symbol: "GLD", decimals: 18, problem: null } });
});

it("the fold asks about many tokens in few calls, none of which a node refuses for its length", async () => {
  const tokens = Array.from({ length: 50 }, (_, i) => tokenOf(i + 10));
  for (const [i, token] of tokens.entries()) await add(i + 1, token, 50);
  expect(await store()).toBe(50);
  expect(Object.keys(await stored()).sort()).toEqual([...tokens].sort());
  expect(node.calls.length).toBe(3);
});

const revision = async () => Number((await database.sql`select revision from fold_metadata.meta`)[0]?.revision);

it("the fold stores nothing of a turn that a failure or a kill ends: answers made before are not given again once a token is there", async () => {
  await add(1, GOLD, 50);
  await add(2, LATE, 51);
  const before = await revision();
  await database.sql.unsafe(
    `create function fold_metadata.refuse() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
     create trigger refuse before insert on fold_metadata.token for each row
       when (new.address = decode('${LATE.slice(2)}', 'hex')) execute function fold_metadata.refuse()`,
  );
  await expect(store()).rejects.toThrow("disk full");
  expect([await stored(), await revision()]).toEqual([{}, before]);
  await database.sql.unsafe("drop trigger refuse on fold_metadata.token");
  expect(await store()).toBe(2);
  expect([Object.keys(await stored()).sort(), await revision()]).toEqual([[GOLD, LATE].sort(), before + 1]);
});

it("the fold waits for a block that is taken back, and stores nothing of its tokens", async () => {
  await add(1, GOLD, 50);
  const other = await database.sql.reserve();
  await other.unsafe("begin; select head from fold_metadata.meta for update");
  const storing = store();
  for (let isWaiting = false; !isWaiting; ) {
    const [found] = await database.sql`select exists (select from pg_locks where not granted) as waits`;
    isWaiting = found?.waits === true;
  }
  await other.unsafe(
    "delete from fold_metadata.asset where first_block = 50; update fold_metadata.meta set rewinds = 1; commit",
  );
  other.release();
  await storing;
  expect(await stored()).toEqual({});
});

it("the fold stores nothing that was read before blocks were taken back: another contract may have the token's address now", async () => {
  await add(1, GOLD, 95);
  node.meanwhile = async () => {
    await database.sql`delete from fold_metadata.asset`;
    await add(2, GOLD, 95);
    await database.sql`update fold_metadata.meta set rewinds = rewinds + 1`;
  };
  const before = await revision();
  expect(await store()).toBe(0);
  expect([await stored(), await revision()]).toEqual([{}, before]);
  expect(await store()).toBe(1);
  expect(Object.keys(await stored())).toEqual([GOLD]);
});
