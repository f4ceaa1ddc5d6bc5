// The OpenAPI document's routes about the service itself, and the one that all of GraphQL goes through.
import { createRoute, z } from "@hono/zod-openapi";
import { sqlBody } from "../sql.ts";
import {
  addressText,
  body,
  chainId,
  failure,
  format,
  incompleteHeader,
  json,
  notModified,
  refusals,
  rows,
  tooLarge,
} from "./parts.ts";

const count = z.number().int();
const text = z.string();

const status = z
  .object({
    chainId: count,
    chain: text,
    state: z
      .enum(["starting", "backfilling", "folding", "ready", "failing", "unknown", "stalled", "incomplete", "stopped"])
      .describe(
        "folding: the index is being made, or another one takes its place; failing: a part dies again and again, hangs or is not running; unknown: the node has not reported its head for some seconds, or lacks blocks that are final here; stalled: every part lives, and no block is folded; incomplete: facts begin later than a contract of the chain file; stopped: the chain has replaced blocks that were final",
      ),
    reason: text.nullable().describe("One sentence; null when ready"),
    firstBlock: count,
    lastSyncedBlock: count.nullable(),
    lastSyncedTimestamp: count.nullable(),
    chainHead: count.nullable(),
    lag: count.nullable().describe("Blocks between the chain's head and lastSyncedBlock"),
    chainHeadAt: text.nullable().describe("When the node last reported its head, ISO 8601"),
    rpcError: text.nullable().describe("Why the chain's head could not be asked for"),
    blooms: z
      .object({
        areChecked: z.boolean().describe("False: only receipts show whether the node's logs are complete"),
        reason: text.nullable().describe("Why not; null while they are"),
        block: count
          .nullable()
          .describe("The last block where this was found; null where CHECK_BLOOMS turns the check off"),
        since: text.nullable(),
      })
      .describe("Whether the logs of new blocks are compared with the blocks' blooms"),
    fold: z
      .object({
        watermark: count.describe("Highest block in the fold's tables"),
        finalized: count.describe("Last block that cannot be replaced"),
        facts: count,
        updatedAt: text,
      })
      .nullable(),
    builds: z.object({ ponderSchema: text, ponderBuild: text, foldSchema: text, since: text.nullable() }).nullable(),
    tokens: z.object({ tracked: count, withMetadata: count }).nullable(),
    pruned: z
      .object({
        below: count.describe("States at the ends of blocks below it are answered from the history lake"),
        loaded: z
          .array(z.object({ first: count, last: count, rows: count, since: text }))
          .describe(
            "States at the ends of these blocks can be answered at once; others are loaded when they are asked for",
          ),
      })
      .nullable()
      .describe("What was pruned from PostgreSQL; null: nothing"),
    quarantinedCount: count,
    quarantined: z.array(
      z.object({
        token: addressText,
        name: text.nullable(),
        symbol: text.nullable(),
        block: count,
        logIndex: count.nullable().describe("Null when the contract's answers, not a log, are the reason"),
        account: addressText.nullable(),
        reason: text,
      }),
    ),
    metadataProblems: z.array(z.object({ token: addressText, problem: text, attempts: count.nullable() })),
    flags: z.array(z.object({ token: addressText, flag: text, block: count, detail: text })),
    waiting: z.array(
      z.object({
        step: text,
        address: addressText
          .nullable()
          .describe("The contract that waits, while everything else goes on; null: the fold goes no further"),
        block: count.describe("From here on"),
        reason: text,
        since: text,
      }),
    ),
    waitingContractsCount: count,
    stoppedPoolsCount: count,
    stoppedPools: z.array(
      z.object({ pool: addressText, block: count, logIndex: count, field: text, expected: text, replayed: text }),
    ),
    stoppedCounts: z.array(z.object({ kind: text, count })).describe("Only kinds of which something has stopped"),
    stopped: z
      .array(z.object({ kind: text, address: addressText, block: count, logIndex: count, reason: text }))
      .describe("Everything that has stopped, pools too: position managers, then in order of blocks"),
    parts: z
      .array(
        z.object({
          part: z.enum(["indexer", "fold"]).describe("indexer: Ponder"),
          schema: text.describe("What it writes"),
          isLive: z.boolean().describe("Gateways read what it writes"),
          state: z
            .enum(["working", "failing", "silent"])
            .describe("failing: it died again and again; silent: its sign of life is overdue"),
          reason: text.nullable(),
          deaths: count.describe("In a row, without half a minute of life between"),
          startedAt: text,
          heardAt: text.describe("When it last gave a sign of life"),
        }),
      )
      .describe("The processes that write this chain's indexes"),
    lake: z
      .object({
        isRunning: z.boolean().describe("It gave a sign of life within the last seconds"),
        block: count.nullable().describe("The last block of what it has written"),
        writtenAt: text.nullable(),
        heardAt: text.describe("When it last gave a sign of life"),
        waitsFor: text.nullable().describe("What it is waiting for and cannot go on without"),
        error: text.nullable().describe("The error that ended it last; null once it has gone on since"),
      })
      .nullable()
      .describe("The writer of the history lake; null where none has ever run"),
    sql: z
      .object({
        isAnswering: z.boolean(),
        block: count.nullable().describe("The index's head at the last statement"),
        lakeBlock: count.nullable().describe("The last block of the history lake; newer ones come from the index"),
      })
      .nullable()
      .describe("Null where SQL is not turned on"),
  })
  .openapi("Status");

const sqlAnswer = z
  .object({
    block: count,
    blockHash: text,
    columns: z.array(z.object({ name: text, type: text.describe("DuckDB's name of it") })),
    rows: z.array(z.record(z.string(), z.unknown())).describe("Integers beyond 2^53 and amounts are text"),
    rowCount: count,
  })
  .openapi("SqlAnswer");

const sqlHeaders = z.object({
  "X-Block-Number": z.string().describe("The head: the last block that the statement saw"),
  "X-Block-Hash": z.string().describe("Its hash"),
  "X-Incomplete": incompleteHeader["X-Incomplete"].describe(
    "Contracts whose holding look_through() attributes to nobody, as that of /balances",
  ),
});

const page = (description: string) => ({ description, content: { "text/html": { schema: z.string() } } });

const graphqlBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullable().optional(),
  operationName: z.string().nullable().optional(),
});

const graphqlResult = z
  .object({
    data: z.record(z.string(), z.unknown()).nullable().optional(),
    errors: z
      .array(
        z.object({
          message: z.string(),
          locations: z.array(z.object({ line: count, column: count })).optional(),
          path: z.array(z.union([z.string(), count])).optional(),
          extensions: z.record(z.string(), z.unknown()).optional().describe("`code`, and `details` as in REST"),
        }),
      )
      .optional(),
  })
  .openapi("GraphqlResult");

const graphqlAnswers = {
  200: {
    description: "Data, errors or both; with `Accept: text/event-stream` the events of a subscription",
    content: {
      "application/json": { schema: graphqlResult },
      "application/graphql-response+json": { schema: graphqlResult },
      "text/event-stream": { schema: z.string() },
    },
  },
  400: json(graphqlResult, "Not a document of this schema, or QUERY_TOO_LARGE"),
  503: json(failure, "Not answerable now"),
};

export const serviceRoutes = [
  createRoute({
    method: "get",
    path: "/graphql",
    summary: "A GraphQL query in the URL; GraphiQL for browsers",
    request: {
      query: z.object({
        query: z.string().describe("The document"),
        variables: z.string().optional().describe("A JSON object"),
        operationName: z.string().optional(),
      }),
    },
    responses: graphqlAnswers,
  }),
  createRoute({
    method: "post",
    path: "/graphql",
    summary: "A GraphQL query or subscription",
    request: {
      body: body(graphqlBody, "The document with its variables", { query: "{ status { state lastSyncedBlock } }" }),
    },
    responses: { ...graphqlAnswers, 413: tooLarge },
  }),
  createRoute({
    method: "post",
    path: "/sql",
    summary: "One SELECT over the whole history, in DuckDB's SQL",
    request: {
      query: z.object({ format, chainId }),
      body: {
        required: true,
        description: "With a format as JSON; a body of any other type is the statement itself",
        content: {
          "application/json": { schema: sqlBody, example: { query: "select count(*) as transfers from transfers" } },
          "text/sql": { schema: z.string() },
        },
      },
    },
    responses: {
      200: { ...rows(sqlAnswer, "The rows, as of the head that the headers name"), headers: sqlHeaders },
      ...refusals,
      400: json(failure, "SQL_INVALID: `details` has `line` and `column`; SQL_LIMIT: more than a statement may take"),
      404: json(failure, "SQL_OFF: not turned on here"),
      409: json(
        failure,
        "TOKEN_NOT_STANDARD: look_through() of a token whose balances are unknown; CHAIN_REPLACED: no statement is answered",
      ),
      413: tooLarge,
      429: json(failure, "SQL_BUSY: one statement of a client at a time; RATE_LIMITED"),
    },
  }),
  createRoute({
    method: "get",
    path: "/status",
    summary: "How far the index is, and which tokens have unknown balances",
    request: { query: z.object({ chainId }) },
    responses: { 200: json(status, "Answers also while nothing else can be answered"), ...refusals },
  }),
  createRoute({
    method: "get",
    path: "/ready",
    summary: "Whether the head can be answered, and will be",
    request: { query: z.object({ chainId }) },
    responses: {
      200: json(
        z.object({
          ready: z.literal(true),
          lastSyncedBlock: count,
          ponderSchema: text.nullable().describe("The build that answers"),
        }),
        "It can",
      ),
      ...refusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/health",
    summary: "Whether the process lives",
    responses: {
      200: json(z.object({ status: z.literal("ok") }), "It does"),
      431: json(failure, "HEADERS_TOO_LARGE: the URL and the headers are more than 1 MiB"),
    },
  }),
  createRoute({
    method: "get",
    path: "/metrics",
    summary: "Prometheus metrics",
    responses: { 200: { description: "Text", content: { "text/plain": { schema: z.string() } } } },
  }),
  createRoute({
    method: "get",
    path: "/openapi.json",
    summary: "This document",
    responses: { 200: json(z.record(z.string(), z.unknown()), "OpenAPI 3.1") },
  }),
  createRoute({
    method: "get",
    path: "/docs",
    summary: "This document for people, to read and to try",
    responses: { 200: page("A page with its own files below /docs/assets"), 304: notModified },
  }),
];
