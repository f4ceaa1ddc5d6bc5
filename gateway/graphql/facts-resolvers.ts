// Facts and what hangs below them: field -> operation or loader.
import type { GraphQLResolveInfo } from "graphql";
import { type FactKind, rankColumns, type Unit } from "../analytics/fact-kind.ts";
import { wantedColumns } from "../analytics/fact-rows.ts";
import { factsCatalogue, kindOf } from "../analytics/facts-catalogue.ts";
import type { Filter } from "../analytics/filter-sql.ts";
import type { RequestScope } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { toExactDecimal } from "../numbers.ts";
import { type Address, pageSize, parseInput } from "../parameters.ts";
import { USD_DECIMALS } from "../prices/price.ts";
import { type Fact, type FactsInput, type FactsPage, factsCount, factsPage, MOST_COUNTED } from "../questions/facts.ts";
import { loadersOf, type NodePlace, whenLoaded } from "../questions/loaders.ts";
import type { MarketAt } from "../questions/markets.ts";
import { type BlockArgument, blockChoice, type ChainArgument, type Context, chainId } from "./arguments.ts";
import { type FieldsBelow, fieldsBelow, writtenNumber } from "./fields-below.ts";
import { marketBuckets } from "./series-resolvers.ts";
import { blockView, metadataView } from "./views.ts";

interface FactsParent {
  block: BlockChoice;
  chainId: number | undefined;
}

interface FactArguments {
  where?: Filter | null;
  orderBy?: string | null;
  direction?: "ascending" | "descending" | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

const DEFAULT_SIZE = 100;

/** @throws InvalidInputError when both ends are asked for, or a cursor of the other one */
function pageOf(args: FactArguments): Pick<FactsInput, "size" | "after" | "before" | "isFromEnd"> {
  const first = args.first ?? undefined;
  const last = args.last ?? undefined;
  if (first !== undefined && last !== undefined) throw new InvalidInputError("last", "give first or last, not both");
  const isFromEnd = last !== undefined || (first === undefined && typeof args.before === "string");
  const stranger = isFromEnd ? "after" : "before";
  if (typeof args[stranger] === "string")
    throw new InvalidInputError(stranger, "after goes with first, before with last");
  const size = parseInput(pageSize, last ?? first ?? DEFAULT_SIZE, isFromEnd ? "last" : "first");
  return { size, after: args.after ?? undefined, before: args.before ?? undefined, isFromEnd };
}

/** A fact as nodes have it. */
type Node = Fact & { place: NodePlace };

const nodeOf = (fact: Fact, place: NodePlace): Node => Object.assign(fact, { place });

/** Cursors and counts are worked out when they are asked for. */
function connectionOf(
  page: FactsPage,
  input: { kind: FactKind; where: Filter; chainId: number | undefined; scope: RequestScope; fields: FieldsBelow },
) {
  const { point, cursorOf } = page;
  const place = { chainId: input.chainId, point, fields: input.fields };
  const nodes = page.facts.map((fact) => nodeOf(fact, place));
  const cursorAt = (node: Fact | undefined) => (node ? cursorOf(node) : null);
  let counted: Promise<number> | undefined;
  const count = () => {
    counted ??= input.scope.run(factsCount, { kind: input.kind, where: input.where, point }, input.chainId);
    return counted;
  };
  return {
    nodes,
    edges: () => nodes.map((node) => ({ cursor: cursorOf(node), node })),
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: () => cursorAt(nodes[0]),
      endCursor: () => cursorAt(nodes.at(-1)),
    },
    block: blockView(point),
    totalCount: async () => Math.min(await count(), MOST_COUNTED),
    hasMoreThanTotalCount: async () => (await count()) > MOST_COUNTED,
  };
}

const questionOf =
  (kind: FactKind) =>
  async (...[parent, args, { scope }, info]: [FactsParent, FactArguments, Context, GraphQLResolveInfo]) => {
    const where = args.where ?? {};
    const fields = fieldsBelow(info);
    const isRanked = typeof args.orderBy === "string" && rankColumns(kind).includes(args.orderBy);
    const input: FactsInput = {
      kind,
      where,
      block: parent.block,
      orderBy: isRanked ? (args.orderBy ?? undefined) : undefined,
      isAscending: args.direction === "ascending",
      ...pageOf(args),
      columns: wantedColumns(kind, fields),
    };
    const page = await scope.run(factsPage, input, parent.chainId);
    const connection = connectionOf(page, { kind, where, chainId: parent.chainId, scope, fields });
    if (kind.field === "markets") await loadBelow(scope, connection.nodes as MarketNode[], fields);
    return connection;
  };

/** Undefined: the token is not known, so that its decimals are not either. */
async function tokenOf(node: Node, unit: Unit, scope: RequestScope): Promise<Address | undefined> {
  if (unit === "token") return node.token as Address;
  const market = await loadersOf(scope)
    .market(node.place)
    .load(node.pool as Address);
  return unit === "side0" ? market?.token0 : market?.token1;
}

const decimalField =
  (name: string, unit: Unit) =>
  async (node: Node, _: unknown, { scope }: Context) => {
    const raw = node[name];
    const token = raw === null ? undefined : await tokenOf(node, unit, scope);
    if (token === undefined) return null;
    const { metadata } = await loadersOf(scope).token(node.place).load(token);
    return metadata?.decimals === undefined ? null : toExactDecimal(BigInt(String(raw)), metadata.decimals);
  };

const tokenField = (column: string) => (node: Node) => ({ address: node[column], place: node.place });

const marketField =
  (column: string) =>
  async (node: Node, _: unknown, { scope }: Context) => {
    const market = await loadersOf(scope)
      .market(node.place)
      .load(node[column] as Address);
    return market && nodeOf(market, node.place);
  };

function fieldsOf({ columns, leadsTo = {} }: FactKind) {
  const decimals = Object.entries(columns).flatMap(([name, { unit }]) =>
    unit ? [[`${name}Decimal`, decimalField(name, unit)] as const] : [],
  );
  const nested = Object.entries(leadsTo).map(
    ([name, { column, to }]) => [name, to === "token" ? tokenField(column) : marketField(column)] as const,
  );
  return Object.fromEntries<unknown>([...decimals, ...nested]);
}

type TokenParent = { address: Address; place: NodePlace };

const metadataField =
  (name: "name" | "symbol" | "decimals" | "flags") =>
  ({ address, place }: TokenParent, _: unknown, { scope }: Context) =>
    whenLoaded(loadersOf(scope).token(place).load(address), (token) => metadataView(token)[name]);

const priceOf = ({ address, place }: TokenParent, scope: RequestScope) => loadersOf(scope).price(place).load(address);

const tokenDetail = {
  name: metadataField("name"),
  symbol: metadataField("symbol"),
  decimals: metadataField("decimals"),
  flags: metadataField("flags"),
  async priceUSD(parent: TokenParent, _: unknown, { scope }: Context) {
    const price = await priceOf(parent, scope);
    return price ? toExactDecimal(price.usd, USD_DECIMALS) : null;
  },
  async priceStrategy(parent: TokenParent, _: unknown, { scope }: Context) {
    return (await priceOf(parent, scope))?.strategy ?? "none";
  },
};

const MOST_SWAPS = 10;

/** Checks what the schema does not say. */
function swapsCount(first: number | null | undefined): number {
  const count = first ?? 1;
  if (count >= 1 && count <= MOST_SWAPS) return count;
  parseInput(pageSize, count, "first");
  throw new InvalidInputError("first", `must be at most ${MOST_SWAPS}; see facts.swaps for more`);
}

const METADATA = ["name", "symbol", "decimals", "flags"];

/**
 * Reads what hangs below a list of markets before they are resolved one by one: values that are there are returned without a
 * promise, which for a hundred markets saves most of the work. A failure here appears again where it belongs.
 */
async function loadBelow(scope: RequestScope, nodes: readonly MarketNode[], fields: FieldsBelow): Promise<void> {
  const [first] = nodes;
  if (!first) return;
  const loaders = loadersOf(scope);
  const reads: Promise<unknown>[] = [];
  if (METADATA.some((name) => fields.has(name))) {
    const sides = (["token0", "token1"] as const).filter((side) => fields.has(`${side}Detail`));
    const tokens = new Set(nodes.flatMap((node) => sides.map((side) => node[side])));
    if (tokens.size > 0) reads.push(loaders.token(first.place).loadMany([...tokens]));
  }
  const swaps = fields.get("swaps");
  const count = swaps && writtenNumber(swaps, "first", 1);
  if (count !== undefined && count >= 1 && count <= MOST_SWAPS)
    reads.push(loaders.swaps(first.place, count).loadMany(nodes));
  await Promise.all(reads);
}

type MarketNode = MarketAt & { place: NodePlace };

const market = {
  ...fieldsOf(kindOf("markets")),
  swaps(node: MarketNode, { first }: { first?: number | null }, { scope }: Context) {
    const count = swapsCount(first);
    return whenLoaded(
      loadersOf(scope).swaps(node.place, count).load(node),
      (swaps) => swaps?.map((fact) => nodeOf(fact, node.place)) ?? null,
    );
  },
  islands: async (node: MarketNode, _: unknown, { scope }: Context) =>
    (await loadersOf(scope).places(node.place).load(node)).islands,
  series: marketBuckets,
  farms: async (node: MarketNode, _: unknown, { scope }: Context) =>
    (await loadersOf(scope).places(node.place).load(node)).farms,
  unsynced0: async (node: MarketNode, _: unknown, { scope }: Context) =>
    (await loadersOf(scope).unsynced(node.place).load(node))?.unsynced0 ?? null,
  unsynced1: async (node: MarketNode, _: unknown, { scope }: Context) =>
    (await loadersOf(scope).unsynced(node.place).load(node))?.unsynced1 ?? null,
};

const factTypes = Object.fromEntries(
  factsCatalogue.filter(({ type }) => type !== "Market").map((kind) => [kind.type, fieldsOf(kind)]),
);

export const factsQueries = {
  facts: (_: unknown, args: BlockArgument & ChainArgument): FactsParent => ({
    block: blockChoice(args.block),
    chainId: chainId(args),
  }),
};

/** Resolvers of every type that facts bring along. */
export const factsTypes = {
  ...factTypes,
  Facts: Object.fromEntries(factsCatalogue.map((kind) => [kind.field, questionOf(kind)])),
  Market: market,
  TokenDetail: tokenDetail,
};
