// A gateway over a test database, without a port.

import { pino } from "pino";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import type { Service } from "../../gateway/context.ts";
import { openDatabase } from "../../gateway/database/database.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";

const WRAPPED = "0x00000000000000000000000000000000000000ee";

/** The smallest chain file: every token tracked from `startBlock` on. */
export const chainFixture = (fields: {
  chainId: number;
  startBlock: number;
  v3?: object;
  [section: string]: unknown;
}): ChainFile =>
  chainFileSchema.parse({
    name: "fixture",
    nativeSymbol: "ETH",
    wrappedNative: { address: WRAPPED, symbol: "WETH", flavour: "weth9" },
    tokens: "all",
    v2: null,
    v3: null,
    islands: null,
    rewardVaults: null,
    farms: null,
    baults: null,
    infrared: null,
    launch: null,
    aggregator: null,
    ownRouterName: "Fixture",
    providers: [],
    ...fields,
  });

export interface TestGateway {
  app: ReturnType<typeof createApp>;
  service: Service;
  /** GET, status and parsed body. */
  get(path: string): Promise<{ status: number; headers: Headers; body: Record<string, unknown>; text: string }>;
  graphql(
    query: string,
    variables?: Record<string, unknown>,
  ): Promise<{ data: unknown; errors?: { message: string; extensions?: Record<string, unknown> }[] }>;
  /** What a query is answered with. @throws Error with its errors, if it has any */
  data<T>(query: string, variables?: Record<string, unknown>): Promise<T>;
  close(): Promise<void>;
}

/** How fast a machine is decides no answer. */
const LONGEST_REQUEST_MS = 60_000;

export function openGateway(url: string, chain: ChainFile, others: ChainFile[] = []): TestGateway {
  const database = openDatabase(url);
  const service = openService({ chains: [chain, ...others], database, longestRequestMs: LONGEST_REQUEST_MS });
  const app = createApp(service, pino({ level: process.env.LOG_LEVEL ?? "silent" }));
  const gateway: TestGateway = {
    app,
    service,
    async get(path) {
      const response = await app.request(path);
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
    },
    async graphql(query, variables = {}) {
      const response = await app.request("/graphql", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as Awaited<ReturnType<TestGateway["graphql"]>>;
    },
    async data<T>(query: string, variables?: Record<string, unknown>) {
      const { data, errors } = await gateway.graphql(query, variables);
      if (errors) throw new Error(JSON.stringify(errors));
      return data as T;
    },
    close: () => database.close(),
  };
  return gateway;
}
