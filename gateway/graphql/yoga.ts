// The GraphQL skin: schema, limits, errors.
import { readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import { GraphQLError } from "graphql";
import { createYoga, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { RequestScope, type Service } from "../context.ts";
import { publicError } from "../errors.ts";
import { queryLimits } from "./query-limits.ts";
import { type GraphqlContext, resolvers } from "./resolvers.ts";

const typeDefs = readFileSync(new URL("./schema.graphql", import.meta.url), "utf8");
/** 10,000 addresses written out in a query are 10,000 tokens. */
const MOST_TOKENS = 20_000;

const limits: Plugin = {
  onParse({ params }) {
    params.options = { ...params.options, maxTokens: MOST_TOKENS };
  },
  onValidate({ addValidationRule }) {
    addValidationRule(queryLimits);
  },
};

/** Our own errors keep code and details; the rest is masked and logged. */
function maskWith(log: Logger) {
  return (error: unknown): Error => {
    const original = error instanceof GraphQLError ? error.originalError : error;
    // Syntax and validation errors speak of the query alone.
    if (error instanceof GraphQLError && original === undefined) return error;
    const shown = publicError(original);
    if (shown.status === 500) log.error({ err: original }, "a resolver failed");
    return new GraphQLError(shown.message, {
      ...(error instanceof GraphQLError ? { nodes: error.nodes ?? null, path: error.path ?? null } : {}),
      extensions: { code: shown.code, ...(shown.details ? { details: shown.details } : {}) },
    });
  };
}

const WELCOME = `# Who held how much of a token at a block?
{
  status { state lastSyncedBlock }
  tokens(first: 10) { nodes { address symbol decimals totalSupplyDecimal } }
}
`;

/** Answers requests on /graphql; one request is one snapshot per chain. */
export function graphqlSkin(service: Service, log: Logger): (request: Request) => Promise<Response> {
  const yoga = createYoga<GraphqlContext>({
    schema: makeExecutableSchema<GraphqlContext>({ typeDefs, resolvers }),
    graphqlEndpoint: "/graphql",
    landingPage: false,
    cors: false,
    logging: false,
    graphiql: { title: "Tidemark", defaultQuery: WELCOME },
    maskedErrors: { maskError: maskWith(log) },
    plugins: [limits],
  });
  return async (request) => {
    const scope = new RequestScope(service);
    try {
      return await yoga.fetch(request, { scope });
    } finally {
      await scope.close();
    }
  };
}

