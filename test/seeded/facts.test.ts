// Facts as analysts ask for them: every filter, order and page against a filter over the whole list in the test, lists
// against the tables themselves, and nested questions against the number of statements they cost.
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { rankColumns } from "../../gateway/analytics/fact-kind.ts";
import { factsCatalogue, kindOf } from "../../gateway/analytics/facts-catalogue.ts";
import { type CountingGateway, openCountingGateway } from "../support/counting-gateway.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, openSeededSql, seeded, seededChain } from "./seeded-index.ts";

const { head } = seeded;
const random = seedRandom(process.env.FACTS_SEED ?? "facts");
const QUESTIONS = Number(process.env.FACTS_QUESTIONS ?? 80);

let gateway: TestGateway;
let counting: CountingGateway;
let sql: Sql;

beforeAll(() => {
  gateway = openSeededGateway();
  counting = openCountingGateway(seeded.databaseUrl, seededChain());
  sql = openSeededSql();
});
afterAll(async () => {
  await gateway.close();
  await counting.close();
  await sql.end();
});

type Row = Record<string, string | number | null> & { block: number; logIndex: number };

interface Connection {
  nodes: Row[];
  edges: { cursor: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number;
  hasMoreThanTotalCount: boolean;
}

async function ask(field: string, args: Record<string, unknown>): Promise<Connection> {
  const { columns } = kindOf(field);
  const names = ["block", "logIndex", "txIndex", "timestamp", ...Object.keys(columns)].join(" ");
  const { data, errors } = await gateway.graphql(`{ facts { list: ${field}${written(args)} {
    nodes { ${names} } edges { cursor } totalCount hasMoreThanTotalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`);
  expect([field, args, errors]).toEqual([field, args, undefined]);
  return (data as { facts: { list: Connection } }).facts.list;
}

/** A value that GraphQL writes without quotes: of an enum. */
class Name {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
const name = (text: string) => new Name(text);

/** Arguments as GraphQL has them. */
function literal(value: unknown): string {
  if (value instanceof Name) return value.text;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${key}: ${literal(one)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}
const written = (args: Record<string, unknown>): string => {
  const texts = Object.entries(args).map(([key, value]) => `${key}: ${literal(value)}`);
  return texts.length === 0 ? "" : `(${texts.join(", ")})`;
};

/** All of a kind, oldest first. */
async function walk(field: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined; ; ) {
    const args = { direction: name("ascending"), first: 1000, ...(after ? { after } : {}) };
    const page = await ask(field, args);
    rows.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return rows;
    after = page.pageInfo.endCursor ?? undefined;
  }
}

const lists = new Map<string, Row[]>();
async function listOf(field: string): Promise<Row[]> {
  const stored = lists.get(field) ?? (await walk(field));
  lists.set(field, stored);
  return stored;
}

describe("lists of facts", () => {
  test("have every row of their tables, in the order of the chain, with its amounts", async () => {
    for (const { field, sources, columns } of factsCatalogue) {
      const list = await listOf(field);
      const places = list.map(({ block, logIndex }) => block * 1e6 + logIndex);
      expect([field, places]).toEqual([field, [...places].sort((a, b) => a - b)]);
      let rows = 0;
      for (const { table, condition = "true" } of sources) {
        const [row] = await sql.unsafe(
          `select count(*)::int as n from "${seeded.ponderSchema}".${table} f where ${condition} and block <= ${head}`,
        );
        rows += row?.n ?? 0;
      }
      expect([field, list.length]).toEqual([field, rows]);
      for (const [column, { isNullable }] of Object.entries(columns))
        if (!isNullable)
          expect([field, column, list.filter((one) => one[column] === null)]).toEqual([field, column, []]);
    }
    const empty = factsCatalogue.filter(({ field }) => lists.get(field)?.length === 0).map(({ field }) => field);
    expect(empty).toEqual([]);
  });

  test("give the pool's changes of a v2 swap as those of a v3 swap", async () => {
    const rows = await sql.unsafe(`select * from "${seeded.ponderSchema}".v2_swap order by block, log_index`);
    const list = (await listOf("swaps")).filter(({ protocol }) => protocol === "v2");
    expect(list.map(({ pool, amount0, amount1, recipient }) => [pool, amount0, amount1, recipient])).toEqual(
      rows.map((row) => [
        row.pair,
        String(BigInt(row.amount0_in) - BigInt(row.amount0_out)),
        String(BigInt(row.amount1_in) - BigInt(row.amount1_out)),
        row.to,
      ]),
    );
  });
});

const pick = <T>(items: readonly T[]): T => items[random.between(0, items.length - 1)] as T;
const bigintOf = (value: unknown) => BigInt(value as string);

interface Question {
  where: Record<string, unknown>;
  isMeant(row: Row): boolean;
}

/** One filter of `list`, taken from a fact that is there. */
function filterOn(field: string, list: readonly Row[]): Question {
  const { columns, anyOf = {} } = kindOf(field);
  const one = pick(list);
  const other = pick(list);
  const choices = [...Object.keys(columns), ...Object.keys(anyOf), "block", "timestamp"];
  const column = pick(choices);
  if (column === "block" || column === "timestamp") {
    const [from, to] = [one[column] as number, other[column] as number].sort((a, b) => a - b) as [number, number];
    return {
      where: { [column]: { from, to } },
      isMeant: (row) => (row[column] as number) >= from && (row[column] as number) <= to,
    };
  }
  const several = anyOf[column];
  if (several) {
    const values = [...new Set([one, other].flatMap((row) => row[pick(several.columns)] ?? []))];
    if (values.length === 0) return { where: {}, isMeant: () => true };
    return {
      where: { [column]: values },
      isMeant: (row) => several.columns.some((part) => values.includes(row[part] as string)),
    };
  }
  const { scalar, values: enumerated, isFilter } = columns[column]!;
  const given = [one[column], other[column]].filter((value) => value !== null && value !== undefined);
  if (isFilter === false || given.length === 0) return { where: {}, isMeant: () => true };
  if (!enumerated && (scalar === "BigInt" || scalar === "Int")) {
    const [min, max] = given.map(bigintOf).sort((a, b) => (a < b ? -1 : 1)) as [bigint, bigint | undefined];
    const ends = { min, ...(max === undefined ? {} : { max }) };
    const shown = Object.fromEntries(
      Object.entries(ends).map(([end, value]) => [end, scalar === "Int" ? Number(value) : String(value)]),
    );
    return {
      where: { [column]: shown },
      isMeant: (row) =>
        row[column] !== null && bigintOf(row[column]) >= min && (max === undefined || bigintOf(row[column]) <= max),
    };
  }
  const values = [...new Set(given)] as string[];
  return {
    where: { [column]: enumerated ? values.map(name) : values },
    isMeant: (row) => values.includes(row[column] as string),
  };
}

describe("filters, orders and pages", () => {
  test("are those of the whole list", async () => {
    let found = 0;
    for (let n = 0; n < QUESTIONS; n++) {
      const kind = pick(factsCatalogue);
      const { field } = kind;
      const list = await listOf(field);
      const parts = [filterOn(field, list), filterOn(field, list)].slice(0, random.between(0, 2));
      const where = Object.assign({}, ...parts.map((part) => part.where)) as Record<string, unknown>;
      // of two filters by the same column only the last one is asked
      const wanted = parts.filter((part) => Object.keys(part.where).every((key) => where[key] === part.where[key]));
      const orders = [undefined, ...rankColumns(kind)];
      const orderBy = pick(orders);
      const isAscending = random.between(0, 1) === 1;
      const sign = isAscending ? 1 : -1;
      const expected = list
        .filter((row) => wanted.every((part) => part.isMeant(row)))
        .sort((a, b) => {
          const [x, y] = orderBy === undefined ? [0n, 0n] : [bigintOf(a[orderBy]), bigintOf(b[orderBy])];
          return sign * (x === y ? a.block - b.block || a.logIndex - b.logIndex : x < y ? -1 : 1);
        });
      const size = pick([1, 3, 10, 100]);
      const common = {
        where,
        ...(orderBy === undefined ? {} : { orderBy: name(orderBy) }),
        direction: name(isAscending ? "ascending" : "descending"),
      };
      const first = await ask(field, { ...common, first: size });
      const about = JSON.stringify({ field, common });
      expect(first.nodes, about).toEqual(expected.slice(0, size));
      expect(first.totalCount, about).toBe(expected.length);
      expect(first.hasMoreThanTotalCount).toBe(false);
      expect(first.pageInfo).toMatchObject({ hasNextPage: expected.length > size, hasPreviousPage: false });
      expect(first.pageInfo.endCursor).toBe(first.edges.at(-1)?.cursor ?? null);
      if (first.pageInfo.hasNextPage) {
        const next = await ask(field, { ...common, first: size, after: first.pageInfo.endCursor });
        expect(next.nodes, about).toEqual(expected.slice(size, 2 * size));
        const back = await ask(field, { ...common, last: size, before: next.pageInfo.startCursor });
        expect(back.nodes, about).toEqual(first.nodes);
        expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
      }
      const last = await ask(field, { ...common, last: size });
      expect(last.nodes, about).toEqual(expected.slice(-size));
      expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: expected.length > size });
      found += expected.length;
    }
    expect(found).toBeGreaterThan(QUESTIONS);
  });

  test("leave out what lies above the block", async () => {
    const list = await listOf("transfers");
    const block = Math.floor(head / 2);
    const { data } = await gateway.graphql(
      `{ facts(block: {number: ${block}}) { transfers(first: 1) { block { number } nodes { block } totalCount } } }`,
    );
    const below = list.filter((row) => row.block <= block);
    expect(data).toEqual({
      facts: {
        transfers: { block: { number: block }, nodes: [{ block: below.at(-1)?.block }], totalCount: below.length },
      },
    });
  });
});

interface Market {
  address: string;
  protocol: string;
  token0Detail: { symbol: string; decimals: number; priceUSD: string | null };
  swaps: { block: number; amount0: string }[] | null;
  islands: string[];
  farms: { vault: string; kind: string; share: string }[];
}

const nested = (args: string) => `{ facts { markets(${args}) { nodes {
  address protocol token0Detail { symbol decimals priceUSD } token1Detail { symbol decimals priceUSD }
  swaps(first: 2) { block amount0 amount0Decimal } islands farms { vault kind share } } } } }`;

async function marketsOf(args: string): Promise<{ nodes: Market[]; statements: string[] }> {
  const { data, statements } = await counting.ask(nested(args));
  return { nodes: (data as { facts: { markets: { nodes: Market[] } } }).facts.markets.nodes, statements };
}

describe("nested questions", () => {
  test("cost as many statements for all markets as for one of each protocol", async () => {
    const { nodes: markets } = await marketsOf("first: 100");
    const each = ["v2", "v3", "curve"].map((protocol) => {
      const [one] = markets
        .filter((market) => market.protocol === protocol)
        .sort((a, b) => b.farms.length - a.farms.length);
      return one!.address;
    });
    counting.clear();
    const few = await marketsOf(`where: {address: ${JSON.stringify(each)}}`);
    counting.clear();
    const { nodes, statements } = await marketsOf("first: 100");
    expect([few.nodes.length, nodes.length]).toEqual([3, markets.length]);
    expect(nodes.length).toBeGreaterThan(10);
    // statements with the same text that are sent in the same moment are joined: one more or fewer from run to run
    expect(statements.length).toBeLessThanOrEqual(few.statements.length + 2);
    expect(statements.length).toBeLessThan(40);

    const swaps = await listOf("swaps");
    const islands = await listOf("islands");
    for (const market of nodes) {
      const own = swaps.filter(({ pool }) => pool === market.address).reverse();
      const expected = own.slice(0, 2).map(({ block, amount0 }) => [block, amount0]);
      const shown = market.swaps?.map(({ block, amount0 }) => [block, amount0]);
      expect(shown).toEqual(market.protocol === "curve" ? undefined : expected);
      expect(market.islands).toEqual(islands.filter(({ pool }) => pool === market.address).map(({ island }) => island));
    }
    const vaults = new Map((await listOf("stakingVaults")).map((vault) => [vault.vault, vault]));
    const farms = nodes.flatMap((market) => market.farms);
    for (const { vault, kind, share } of farms) {
      expect(vaults.get(vault)).toMatchObject({ kind });
      if (kind !== "farm") expect(vaults.get(vault)).toMatchObject({ asset: share });
    }
    expect(new Set(farms.map(({ kind }) => kind)).size).toBeGreaterThan(1);
    expect(nodes.some(({ token0Detail }) => token0Detail.priceUSD !== null)).toBe(true);
  });

  test("are refused where nested lists could write too much", async () => {
    const deep = `{ facts { markets(first: 1000) { nodes { swaps(first: 10) { market { swaps(first: 10) { market { address } } } } } } } }`;
    const { errors } = await gateway.graphql(deep.replace("address", "address protocol factory token0 token1 fee"));
    expect(errors?.[0]?.extensions?.code).toBe("QUERY_TOO_LARGE");
    const many = Array.from({ length: 11 }, (_, i) => `a${i}: swaps(first: 1) { totalCount }`).join(" ");
    expect((await gateway.graphql(`{ facts { ${many} } }`)).errors?.[0]?.extensions?.code).toBe("QUERY_TOO_LARGE");
  });
});

describe("refusals", () => {
  test.each([
    ["swaps(first: 1, last: 1)", "last"],
    ["swaps(first: 0)", "first"],
    ["swaps(last: 1001)", "last"],
    ['swaps(first: 1, before: "x")', "before"],
    ['swaps(last: 1, before: "x")', "before"],
    ["swaps(where: {pool: []})", "where.pool"],
    ["swaps(where: {block: {from: 9, to: 8}})", "where.block"],
    ["swaps(where: {timestamp: {from: 9, to: 8}})", "where.timestamp"],
    ['otherEvents(where: {event: ["a\\u0000"]})', "where.event"],
  ])("%s names %s", async (question, parameter) => {
    const { errors } = await gateway.graphql(`{ facts { ${question} { nodes { block } } } }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: "INVALID_INPUT", details: { parameter } });
  });

  test.each(['amount: {min: "1.5"}', "amount: {min: 1e30}", 'token: ["0x12"]', "token: 5", 'kind: ["mint"]'])(
    "a value of another type is refused before anything is read: %s",
    async (where) => {
      const { errors } = await gateway.graphql(`{ facts { transfers(where: {${where}}) { nodes { block } } } }`);
      expect(errors?.[0]?.extensions?.code).toBe("GRAPHQL_VALIDATION_FAILED");
    },
  );
});
