// Every example query of docs/querying.md, asked of the seeded devnet: none fails, and none comes back empty.
import { readFileSync } from "node:fs";
import { Kind, type OperationDefinitionNode, parse, print } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededDevnet, openSeededGateway, openSeededSql, seeded } from "./seeded-index.ts";

const document = readFileSync(new URL("../../docs/querying.md", import.meta.url), "utf8");
const examples: [string, OperationDefinitionNode][] = [...document.matchAll(/^```graphql\n([\s\S]*?)^```/gm)].flatMap(
  ([, text], place) =>
    parse(text ?? "").definitions.flatMap((definition): [string, OperationDefinitionNode][] =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.operation !== "subscription"
        ? [[`${place + 1} ${definition.name?.value ?? ""}`, definition]]
        : [],
    ),
);

const DAY = 86_400;

let gateway: TestGateway;
/** What an example's variables stand for. */
let values: Record<string, unknown>;

beforeAll(async () => {
  gateway = openSeededGateway();
  const sql = openSeededSql();
  const { at } = await openSeededDevnet();
  const facts = `"${seeded.ponderSchema}"`;
  const one = async (text: string): Promise<Record<string, unknown>> => (await sql.unsafe(text))[0] ?? {};
  // A pool with much traffic; who has token ids in it; an island that took fees.
  const busiest =
    await one(`select s.pool, c.token0 from ${facts}.v3_swap s join ${facts}.v3_pool_created c on c.pool = s.pool
    join ${facts}.island_created i on i.pool = s.pool group by 1, 2 order by count(*) desc, 1 limit 1`);
  const nft = await one(`select manager, "to" as owner from ${facts}.v3_nft where token_id = 12 and kind = 'transfer'
    order by block, log_index limit 1`);
  const token = at.tokens.honey.toLowerCase();
  const holder =
    await one(`select "to" as account from ${facts}.erc20_transfer f where token = '${token}' and block <= 1200
    and exists (select from ${facts}.erc20_transfer g where g."from" = f."to" and g.token = f.token and g.block between 1001 and 1199)
    and exists (select from ${facts}.stake s where s.account = f."to" and s.kind = 'stake')
    and not exists (select from ${facts}.v3_pool_created p where p.pool = f."to")
    and not exists (select from ${facts}.v2_pair_created p where p.pair = f."to") order by block desc limit 1`);
  const island = await one(
    `select island from ${facts}.island_flow where kind = 'fees' group by 1 order by count(*) desc, 1 limit 1`,
  );
  const launch = await one(`select pool from ${facts}.launch_pool where kind = 'graduated' order by block limit 1`);
  const head = await one(`select max(timestamp)::int as timestamp from ${facts}.block where number <= ${seeded.head}`);
  await sql.end();
  values = {
    token,
    account: holder.account,
    pool: busiest.pool,
    island: island.island,
    launched: launch.pool,
    ...{ tokenIn: token, tokenOut: at.tokens.wbera.toLowerCase(), recipient: holder.account },
    ...{ manager: nft.manager, owner: nft.owner },
    ...{ from: Number(head.timestamp) - 6 * DAY, to: Number(head.timestamp) },
  };
});
afterAll(() => gateway.close());

/** Nothing, an empty list, or an object of which every field is so. */
const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every(isEmpty);
};

const emptyFields = (data: object): string[] =>
  Object.entries(data).flatMap(([name, value]) => {
    if (name === "facts" && value) return emptyFields(value as object);
    const isEmptyList = typeof value === "object" && value !== null && "nodes" in value && isEmpty(value.nodes);
    return isEmpty(value) || isEmptyList ? [name] : [];
  });

describe("docs/querying.md", () => {
  test("has examples", () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  test.each(examples)("example %s is answered in full", async (_, definition) => {
    const names = (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
    expect(names.filter((name) => values[name] === undefined)).toEqual([]);
    const variables = Object.fromEntries(names.map((name) => [name, values[name]]));
    const { data, errors } = await gateway.graphql(print(definition), variables);
    expect(errors).toBeUndefined();
    expect(emptyFields(data as object)).toEqual([]);
  });
});

describe("README.md", () => {
  test("shows what the devnet answers", async () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, path, shown] =
      /curl 'http:\/\/127\.0\.0\.1:4000(\S+)'\n```\n\n```json\n(.*)\n```/.exec(readme) ?? expect.fail("no example");
    const { text } = await gateway.get(path ?? "");
    const withoutHead = (answer: string) => answer.replace(/"lastSyncedBlock":\d+/, "");
    expect(withoutHead(text)).toBe(withoutHead(shown ?? ""));
  });
});
