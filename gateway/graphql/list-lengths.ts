// How many of its kind one field of a GraphQL answer may bring, as far as the document says.
import { type FieldNode, type GraphQLField, Kind } from "graphql";
import { sourceKinds } from "../backing/held-as.ts";
import { MOST_LISTED, MOST_PER_PAGE } from "../parameters.ts";
import { MOST_HELD } from "../questions/balances-at-blocks.ts";
import { MOST_CONTRACTS, MOST_DISTRIBUTIONS } from "../questions/distribution.ts";
import { MOST_POOL_CHANGES } from "../questions/pool-history.ts";
import { MOST_PRICE_POINTS } from "../questions/price-history.ts";
import { MOST_QUOTES } from "../questions/router-quote.ts";
import { MOST_SHARE_POINTS } from "../questions/share-history.ts";

/** Of a list whose page size is not said. */
const USUAL_PAGE = 100;
/** Lists whose length arguments decide otherwise: hours and days. */
const USUAL_SERIES = 100;

/** Arguments that say how long a page is. */
const PAGE_SIZES: readonly string[] = ["first", "limit", "last"];

/** Lists that are no pages: `by` which arguments they grow, and the most that they bring whatever these say. */
const BOUNDED: Readonly<Record<string, { by: readonly string[]; most: number }>> = {
  "Query.tokenPrices": { by: ["addresses"], most: MOST_LISTED },
  "Query.balancesAtBlocks": { by: ["blocks", "users"], most: MOST_HELD },
  "Query.poolHistory": { by: ["points"], most: MOST_POOL_CHANGES },
  "Query.priceHistory": { by: ["points"], most: MOST_PRICE_POINTS },
  "Query.shareHistory": { by: ["points"], most: MOST_SHARE_POINTS },
  "Query.distributionHistory": { by: ["points"], most: MOST_DISTRIBUTIONS },
  "Query.routerQuotes": { by: ["quotes"], most: MOST_QUOTES },
  "Distribution.sources": { by: [], most: sourceKinds.length },
  "DistributionSource.contracts": { by: [], most: MOST_CONTRACTS },
};

type Definition = GraphQLField<unknown, unknown> | undefined;

/** `type`: the name of the one that has the field. */
export function lengthOf(type: string, field: FieldNode, definition: Definition): number {
  const bounded = BOUNDED[`${type}.${field.name.value}`];
  if (bounded) {
    const { by, most } = bounded;
    if (by.length === 0) return most;
    return by.reduce((length, name) => Math.min(length * (saidBy(name, field, definition) ?? most), most), 1);
  }
  const names = definition?.args.map(({ name }) => name) ?? [];
  if (names.includes("interval")) return USUAL_SERIES;
  const sizes = PAGE_SIZES.filter((name) => names.includes(name));
  if (sizes.length === 0) return 1;
  const said = sizes.filter((name) => givenFor(name, field) !== undefined);
  if (said.length === 0) return usualOf(sizes[0], definition) ?? USUAL_PAGE;
  const lengths = said.map((name) => saidBy(name, field, definition) ?? MOST_PER_PAGE);
  return Math.min(Math.max(1, ...lengths), MOST_PER_PAGE);
}

/** What is written for an argument; null counts as nothing. */
function givenFor(name: string, field: FieldNode) {
  const value = field.arguments?.find((argument) => argument.name.value === name)?.value;
  return value?.kind === Kind.NULL ? undefined : value;
}

function usualOf(name: string | undefined, definition: Definition): number | undefined {
  const usual = definition?.args.find((argument) => argument.name === name)?.defaultValue;
  return typeof usual === "number" ? usual : undefined;
}

/** The length that an argument gives: a number, or as many as it lists; undefined where only a variable knows. */
function saidBy(name: string, field: FieldNode, definition: Definition): number | undefined {
  const value = givenFor(name, field);
  if (value === undefined) return usualOf(name, definition);
  if (value.kind === Kind.VARIABLE) return undefined;
  if (value.kind === Kind.INT) return Math.max(Number(value.value), 1);
  return value.kind === Kind.LIST ? value.values.length : 1;
}
