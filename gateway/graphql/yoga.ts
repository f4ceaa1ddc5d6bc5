// The GraphQL skin: schema, limits, errors.
import { makeExecutableSchema } from "@graphql-tools/schema";
import {
  defaultFieldResolver,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
} from "graphql";
import { createGraphQLError, createYoga, type Plugin } from "graphql-yoga";
import type { Context } from "hono";
import type { Logger } from "pino";
import { RequestScope, type Service } from "../context.ts";
import { GatewayError, publicError } from "../errors.ts";
import { clientGone } from "../http/node-request.ts";
import { repeatedParameter, SENT_TWICE } from "../http/refuse-repeated.ts";
import { Feeds, type Lasting } from "../subscriptions/feeds.ts";
import { ParsedQueries } from "./parsed-queries.ts";
import { bodyText, isPlainPost, parsePosted } from "./posted-query.ts";
import { queryLimits, requireShallow } from "./query-limits.ts";
import { resolvers } from "./resolvers.ts";
import type { GraphqlContext } from "./subscription-resolvers.ts";
import { unconditionalSubscription } from "./subscription-rule.ts";
import { typeDefinitions } from "./type-definitions.ts";

/** 10,000 addresses written out in a query are 10,000 tokens. */
const MOST_TOKENS = 20_000;

const tooLong = () =>
  createGraphQLError(`The document has more than ${MOST_TOKENS} tokens; give long lists as variables.`, {
    extensions: { code: "QUERY_TOO_LARGE", http: { status: 400 } },
  });

const limits: Plugin = {
  onParse({ params, parseFn, setParseFn }) {
    requireShallow(String(params.source));
    // other options than those it is called with are not read from `params`
    setParseFn((source, options) => {
      try {
        return parseFn(source, { ...options, maxTokens: MOST_TOKENS });
      } catch (error) {
        throw error instanceof Error && /\d tokens\. Parsing aborted/.test(error.message) ? tooLong() : error;
      }
    });
  },
  // before all other rules, one of which compares fields by pairs
  onValidate({ params: { schema, documentAST }, validateFn, setResult }) {
    const problems = validateFn(schema, documentAST, [queryLimits, unconditionalSubscription]);
    if (problems.length > 0) setResult([...problems]);
  },
};

/** Variables in a URL or a form must be JSON, which Yoga does not check; of a repeated parameter it reads the first. */
const readParameters: Plugin = {
  onRequestParse({ request: { url }, requestParser, setRequestParser }) {
    const parameter = repeatedParameter(url);
    if (parameter !== undefined) {
      const extensions = { code: "INVALID_INPUT", details: { parameter }, http: { status: 400 } };
      throw createGraphQLError(`${parameter}: ${SENT_TWICE}`, { extensions });
    }
    if (requestParser)
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
          const details = { parameter: "variables" };
          const extensions = { code: "INVALID_INPUT", details, http: { status: 400 } };
          throw createGraphQLError("variables, extensions: must be JSON, where they are given", { extensions });
        }
      });
  },
};

interface GraphqlFailure extends Error {
  originalError?: unknown;
  extensions?: { readonly code?: unknown; readonly http?: { readonly spec?: unknown } };
  nodes?: ConstructorParameters<typeof GraphQLError>[1];
  path?: readonly (string | number)[];
}

/** By name, not by class: a second copy of the graphql package may have made it. */
const isGraphqlFailure = (error: unknown): error is GraphqlFailure =>
  error instanceof Error && error.name === "GraphQLError";

/** What was thrown, under all the wrapping; undefined for errors that concern only the query. */
function causeOf(error: unknown): unknown {
  return isGraphqlFailure(error) ? causeOf(error.originalError) : error;
}

/** The request for which something was thrown: where errors are masked it is no longer known. */
type RequestIds = WeakMap<object, string>;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * GraphQL's own errors about variables and kinds of operation have no code, those about subscriptions have the second; Yoga's
 * about a request have the third.
 */
const NOT_OUR_CODES: readonly unknown[] = [undefined, "BAD_USER_INPUT", "BAD_REQUEST"];

/** The error of a request that such a rule refused before anything was executed, or of an argument that a variable makes null. */
const isCodeless = (error: unknown): error is GraphqlFailure =>
  isGraphqlFailure(error) &&
  (error.path === undefined || error.message.startsWith('Argument "')) &&
  NOT_OUR_CODES.includes(error.extensions?.code);

/** An invalid request keeps its status whatever the client accepts; with Yoga's "spec" it would be 200 for JSON. */
function httpOf({ extensions = {} }: GraphqlFailure): object {
  const { spec: _, ...always } = extensions.http ?? {};
  return extensions.code === "BAD_REQUEST" ? always : (extensions.http ?? {});
}

const variableOf = ({ message }: GraphqlFailure): string | undefined => /^Variable "\$(\w+)"/.exec(message)?.[1];

/** The part of a request that an error is about where it names no variable. */
function partOf(message: string): string {
  const [, named] = /^(?:Argument|Expected|Unexpected parameter) "(\w+)"/.exec(message) ?? [];
  return named ?? (/body|^Batching/i.test(message) ? "body" : "query");
}

function withCode(error: GraphqlFailure): Error {
  const variable = variableOf(error);
  const parameter = variable ?? partOf(error.message);
  // what refuses one field alone decides no status
  const http = error.path === undefined ? { http: httpOf(error) } : {};
  const extensions = { ...http, code: "INVALID_INPUT", details: { parameter } };
  const message = variable === undefined ? `${parameter}: ${error.message}` : error.message;
  return createGraphQLError(message, { nodes: error.nodes ?? null, path: error.path ?? null, extensions });
}

/**
 * Our own errors keep code and details; syntax and validation errors stay as they are, and get a code where they have none;
 * the rest is masked and logged.
 */
function masked(error: unknown, log: Logger, requestIdOf: (cause: unknown) => string | undefined): Error {
  const cause = causeOf(error);
  // for a value inside a variable, only GraphQL's own message says where in the variable it is
  const isOfVariable = cause instanceof GatewayError && isGraphqlFailure(error) && variableOf(error) !== undefined;
  if ((cause === undefined || isOfVariable) && isCodeless(error)) return withCode(error);
  if (cause === undefined && error instanceof Error) return error;
  const shown = publicError(cause);
  if (shown.status === 500) log.error({ err: cause, requestId: requestIdOf(cause) }, "a resolver failed");
  const { nodes, path } = isGraphqlFailure(error) ? error : {};
  return createGraphQLError(shown.message, {
    nodes: nodes ?? null,
    path: path ?? null,
    extensions: { code: shown.code, ...(shown.details ? { details: shown.details } : {}) },
  });
}

/** Before they are masked. */
const noteRequests = (requestIds: RequestIds): Plugin<GraphqlContext> => ({
  onExecute({ args }) {
    const { requestId } = args.contextValue as GraphqlContext;
    return {
      onExecuteDone({ result }) {
        for (const error of ("errors" in result && result.errors) || []) {
          const cause = causeOf(error);
          if (isObject(cause) && requestId !== undefined) requestIds.set(cause, requestId);
        }
      },
    };
  },
});

/** Made once: it is the same for every server, and making it takes longer than starting one. */
const schema = resolvingAll(makeExecutableSchema<GraphqlContext>({ typeDefs: typeDefinitions, resolvers }));

/** Attempts for a document with several questions, between which the index may move on. */
const ATTEMPTS = 3;
const JSON_ANSWER = { "content-type": "application/json; charset=utf-8" };

/**
 * Answers requests on /graphql; one request is one snapshot per chain. A query that came before, as nearly all did, is answered
 * by the function that it was compiled into; Yoga answers everything else, with the same schema.
 */
export function graphqlSkin(service: Service, log: Logger, lasting: Lasting): (c: Context) => Promise<Response> {
  const feeds = new Feeds({ service, log, ...lasting });
  const parsed = new ParsedQueries(service.cache);
  const requestIds: RequestIds = new WeakMap();
  const yoga = createYoga<GraphqlContext>({
    schema,
    graphqlEndpoint: "/graphql",
    // Node's own: streams of another make would be wrapped, and break when a subscriber leaves.
    fetchAPI: { Response, ReadableStream },
    landingPage: false,
    cors: false,
    logging: false,
    // Yoga's page loads its scripts from elsewhere; ours is in gateway/graphiql
    graphiql: false,
    // it would hold 1,024 documents for an hour, whatever their size; ours are in the one cache
    parserAndValidationCache: false,
    maskedErrors: {
      maskError: (error) => masked(error, log, (cause) => (isObject(cause) ? requestIds.get(cause) : undefined)),
    },
    plugins: [readParameters, limits, storeQueries(parsed), noteRequests(requestIds)],
  });
  const inScope = async <T>(
    { signal, requestId }: { signal: AbortSignal; requestId: string | undefined },
    answer: (context: GraphqlContext) => Promise<T>,
  ): Promise<T> => {
    const until = performance.now() + service.longestRequestMs;
    for (let attempt = 1; ; attempt++) {
      const scope = new RequestScope(service, signal, until);
      try {
        const answered = await answer({ scope, feeds, requestId });
        if (!scope.isOutdated || attempt === ATTEMPTS) return answered;
      } finally {
        // the answer need not wait for it, and it never fails
        void scope.close();
      }
    }
  };
  const askYoga = (request: Request, requestId: string | undefined) =>
    inScope({ signal: request.signal, requestId }, async (context) => {
      // without the signal, which the scope has: given it, Yoga would drop an answer that it is making, and never end it
      const { method: sentMethod, url, headers: sent, body: posted } = request.clone();
      // Yoga does not treat HEAD as a GET without a body
      const method = sentMethod === "HEAD" ? "GET" : sentMethod;
      const payload = posted === null ? {} : { body: posted, duplex: "half" };
      const answered = await yoga.fetch(new Request(url, { method, headers: sent, ...payload }), context);
      return sentMethod === "HEAD" ? headOf(answered) : inWords(answered);
    });
  return async (c) => {
    const requestId: string | undefined = c.get("requestId");
    if (!isPlainPost(c)) return askYoga(c.req.raw, requestId);
    const signal = clientGone(c);
    const text = await bodyText(c);
    const posted = parsePosted(text);
    const query = posted && parsed.get(posted.query)?.compiled(schema, posted.operationName);
    if (posted && query) {
      const result = await inScope({ signal, requestId }, async (context) =>
        query.query(undefined, context, posted.variables),
      );
      const answer = answerText(result, (error) => masked(error, log, () => requestId));
      // a copy: the server adds the length to it
      if (answer !== undefined) return c.body(answer, 200, { ...JSON_ANSWER });
    }
    const request = new Request(c.req.url, { method: "POST", headers: c.req.raw.headers, body: text, signal });
    return askYoga(request, requestId);
  };
}

/** The server would throw the body away without cancelling it, and events would go on. */
async function headOf({ body, status, headers }: Response): Promise<Response> {
  await body?.cancel();
  return new Response(null, { status, headers });
}

/** A refusal that has no body gets one. */
function inWords({ body, status, headers }: Response): Response {
  const words = body === null ? refusedHeader(status) : undefined;
  const ofWords = words === undefined ? [] : Object.entries(JSON_ANSWER);
  return new Response(words ?? body, { status, headers: new Headers([...headers, ...ofWords]) });
}

/** The error for a request that Yoga refuses by its headers without a message; undefined for another `status`. */
function refusedHeader(status: number): string | undefined {
  const problems: Readonly<Record<number, readonly [parameter: string, problem: string]>> = {
    406: ["accept", "must take application/json, or text/event-stream for a subscription"],
    415: ["content-type", "must be application/json"],
  };
  const found = problems[status];
  if (found === undefined) return undefined;
  const extensions = { code: "INVALID_INPUT", details: { parameter: found[0] } };
  return JSON.stringify({ errors: [{ message: found.join(": "), extensions }] });
}

/** The same schema. A compiled query calls a method of an object only where a resolver does. */
function resolvingAll(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap()))
    if (type.astNode?.kind === Kind.OBJECT_TYPE_DEFINITION)
      for (const field of Object.values((type as GraphQLObjectType).getFields()))
        field.resolve ??= defaultFieldResolver;
  return schema;
}

/** What Yoga executes has been parsed and found right. */
const storeQueries = (parsed: ParsedQueries): Plugin => ({
  onExecute({ args }) {
    const { query } = (args.contextValue as { params?: { query?: string } }).params ?? {};
    if (query !== undefined) parsed.set(query, args.document);
  },
});

/** Undefined when nothing was executed, as something is wrong with the request. */
function answerText({ data, errors }: ExecutionResult, mask: (error: GraphQLError) => Error): string | undefined {
  if (data === undefined) return undefined;
  if (errors === undefined) return JSON.stringify({ data });
  const shown = errors.map((error) => {
    const { message, path, extensions } = mask(error) as GraphQLError;
    // a compiled query knows where its errors lie, and no nodes
    return { message, locations: error.locations, path, extensions };
  });
  return JSON.stringify({ errors: shown, data });
}
