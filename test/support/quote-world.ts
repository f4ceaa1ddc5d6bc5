// Gateways over the router's small world with stand-ins of the five outside services, each in the mode of the test.

import { Hono } from "hono";
import { pino } from "pino";
import type { ChainFile } from "../../chains/chain-file.ts";
import { standInEnvironment, standIns } from "../../devnet/standins/all.ts";
import { routerPricer } from "../../devnet/standins/router-pricer.ts";
import { type Served, serveStandIns } from "../../devnet/standins/serve.ts";
import type { Desk, Mode, Pricer, StandInRequest } from "../../devnet/standins/stand-in.ts";
import { readQuoteSettings } from "../../gateway/aggregator/settings.ts";
import type { Service } from "../../gateway/context.ts";
import { errorBody, publicError } from "../../gateway/errors.ts";
import { renderMetrics } from "../../gateway/metrics/render.ts";
import type { Address } from "../../gateway/parameters.ts";
import { getQuote } from "../../gateway/rest/quote.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import type { TestGateway } from "./gateway-fixture.ts";

export const EXTERNALS = standIns.map(({ name }) => name);

export interface QuoteGatewayOptions {
  base: TestGateway;
  chain: ChainFile;
  executor: string;
  /** `ok` for those that are not named. */
  modes?: Readonly<Record<string, Mode>>;
  /** How many hundredths of a percent of our router's output each promises; 10,100 for those that are not named. */
  factors?: Readonly<Record<string, number>>;
  env?: Readonly<Record<string, string>>;
  price?: Pricer;
  /** Only /quote and /metrics, without the schema of everything else: a fraction of the time to make. */
  isBare?: boolean;
}

export interface QuoteGateway {
  get(path: string): Promise<{ status: number; body: Record<string, unknown>; text: string }>;
  graphql(query: string): Promise<{ data: Record<string, unknown> | null; errors?: unknown[] }>;
  service: Service;
  /** By name, to be changed at will. */
  desks: Readonly<Record<string, Desk>>;
  /** What each was asked. */
  requested: { name: string; request: StandInRequest }[];
  stop(): Promise<void>;
}

/** The router's quotes of one gateway, each asked for once. */
export function cachedPricer({
  base,
  chain,
  executor,
}: Pick<QuoteGatewayOptions, "base" | "chain" | "executor">): Pricer {
  const price = routerPricer({ get: (path) => base.get(path), chainId: chain.chainId, executor: executor as Address });
  const cached = new Map<string, ReturnType<Pricer>>();
  return (ask) => {
    const key = `${ask.tokenIn} ${ask.tokenOut} ${ask.amount} ${ask.isExactOut ?? false}`;
    const found = cached.get(key) ?? price(ask);
    cached.set(key, found);
    return found;
  };
}

/** Its own providers, breakers and budgets over the base's database. */
export async function openQuoteGateway(options: QuoteGatewayOptions): Promise<QuoteGateway> {
  const { base, chain, modes = {}, factors = {}, env = {} } = options;
  const executor = options.executor as Address;
  const price = options.price ?? cachedPricer(options);
  const requested: QuoteGateway["requested"] = [];
  const desks: Record<string, Desk> = {};
  const services = standIns.map((standIn): Served => {
    const { name } = standIn;
    const desk: Desk = { mode: modes[name] ?? "ok", executor, factorBps: factors[name] ?? 10_100, price };
    desks[name] = desk;
    const answer: typeof standIn.answer = (request, at) => {
      requested.push({ name, request });
      return standIn.answer(request, at);
    };
    return { standIn: { ...standIn, answer }, desk };
  });
  const server = await serveStandIns(services);
  const settings = readQuoteSettings(
    { ...standInEnvironment((standIn) => server.urlOf(standIn), chain.chainId), ...env },
    [chain.chainId],
  );
  const service = openService({ ...base.service, chains: [chain], quotes: settings });
  const app = options.isBare ? bareApp(service) : createApp(service, pino({ level: "silent" }));
  return {
    service,
    desks,
    requested,
    async get(path) {
      const response = await app.request(path);
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
      return { status: response.status, text, body: isJson ? JSON.parse(text) : {} };
    },
    async graphql(query) {
      const body = JSON.stringify({ query });
      const headers = { "content-type": "application/json" };
      return (await app.request("/graphql", { method: "POST", headers, body })).json();
    },
    stop: () => server.stop(),
  };
}

function bareApp(service: Service): Hono {
  return new Hono()
    .get("/quote", getQuote(service))
    .get("/metrics", async (c) => c.text(await renderMetrics(service)))
    .onError((error, c) => {
      const shown = publicError(error);
      return c.json(errorBody(shown), shown.status);
    });
}

export interface Explained {
  provider: string;
  status: string;
  executionTime: string;
  output: string;
  priority: string;
  gas: string;
  message?: string;
}

/** Status of every provider asked. */
export const statusesOf = (body: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries((body.expl as Explained[]).map(({ provider, status }) => [provider, status]));

/** The chain file with an aggregator contract, all six providers, and a referral code with a cap. */
export const withProviders = (chain: ChainFile, aggregator: string): ChainFile => ({
  ...chain,
  aggregator: { address: aggregator as Address, selector: "0xd2644d14", canRefund: false },
  ownRouterName: "Kodiak",
  providers: ["Kodiak", ...EXTERNALS].map((name, priority) => ({ name, weight: "1", priority })),
  referralCodes: [
    { code: 0, maxFeeBps: 0 },
    { code: 4, maxFeeBps: 100 },
  ],
});
