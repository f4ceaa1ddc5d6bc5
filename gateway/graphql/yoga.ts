// The GraphQL skin: schema, limits, errors.
import { makeExecutableSchema } from "@graphql-tools/schema";
import type { GraphQLError } from "graphql";
import { createGraphQLError, createYoga, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { LONGEST_REQUEST_MS, RequestScope, type Service } from "../context.ts";
import { publicError } from "../errors.ts";
import { Feeds, type Lasting } from "../subscriptions/feeds.ts";
import { requireShallow } from "./nesting.ts";
import { queryLimits } from "./query-limits.ts";
import { type GraphqlContext, resolvers } from "./resolvers.ts";
import { typeDefinitions } from "./type-definitions.ts";

/** 10,000 addresses written out in a query are 10,000 tokens. */
const MOST_TOKENS = 20_000;

const limits: Plugin = {
  onParse({ params }) {
    requireShallow(String(params.source));
    params.options = { ...params.options, maxTokens: MOST_TOKENS };
  },
  onValidate({ addValidationRule }) {
    addValidationRule(queryLimits);
  },
};

interface GraphqlFailure extends Error {
  originalError?: unknown;
  nodes?: ConstructorParameters<typeof GraphQLError>[1];
  path?: readonly (string | number)[];
}

/** By name, not by class: a second copy of the graphql package may have made it. */
const isGraphqlFailure = (error: unknown): error is GraphqlFailure =>
  error instanceof Error && error.name === "GraphQLError";

/** What was thrown, under all the wrapping; undefined for errors that speak of the query alone. */
function causeOf(error: unknown): unknown {
  return isGraphqlFailure(error) ? causeOf(error.originalError) : error;
}

/** Our own errors keep code and details; syntax and validation errors stay as they are; the rest is masked and logged. */
const maskWith =
  (log: Logger) =>
  (error: unknown): Error => {
    const cause = causeOf(error);
    if (cause === undefined && error instanceof Error) return error;
    const shown = publicError(cause);
    if (shown.status === 500) log.error({ err: cause }, "a resolver failed");
    const { nodes, path } = isGraphqlFailure(error) ? error : {};
    return createGraphQLError(shown.message, {
      nodes: nodes ?? null,
      path: path ?? null,
      extensions: { code: shown.code, ...(shown.details ? { details: shown.details } : {}) },
    });
  };

const WELCOME = `# Who held how much of a token at a block?
{
  status { state lastSyncedBlock }
  tokens(first: 10) { nodes { address symbol decimals totalSupplyDecimal } }
}
`;

/** Answers requests on /graphql; one request is one snapshot per chain. */
export function graphqlSkin(service: Service, log: Logger, lasting: Lasting): (request: Request) => Promise<Response> {
  const feeds = new Feeds({ service, log, ...lasting });
  const yoga = createYoga<GraphqlContext>({
    schema: makeExecutableSchema<GraphqlContext>({ typeDefs: typeDefinitions, resolvers }),
    graphqlEndpoint: "/graphql",
    // Node's own: streams of another make would be wrapped, and break when a subscriber leaves.
    fetchAPI: { Response, ReadableStream },
    landingPage: false,
    cors: false,
    logging: false,
    graphiql: { title: "Tidemark", defaultQuery: WELCOME },
    maskedErrors: { maskError: maskWith(log) },
    plugins: [limits],
  });
  return async (request) => {
    const scope = new RequestScope(service, request.signal, LONGEST_REQUEST_MS);
    try {
      return await yoga.fetch(request, { scope, feeds });
    } finally {
      await scope.close();
    }
  };
}
