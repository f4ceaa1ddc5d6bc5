// What the environment says about quotes: where providers are, with which keys, and how long anybody waits for them.
import { z } from "zod";
import { settingComplaint, setVariables } from "../../core/set-variables.ts";
import type { Address } from "../parameters.ts";
import type { ProviderSettings, QuoteSettings } from "../quote-settings.ts";
import type { Provider } from "./provider.ts";
import { providers } from "./registry.ts";

const HTTP = "must be an http:// or https:// URL";
const httpUrl = z.string().refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), HTTP);
/** Paths and queries of providers' requests are put behind it. */
const providerUrl = httpUrl
  .regex(/^[^\s?#]*$/, "must be a URL without ? and #: paths are put behind it, and keys have settings of their own")
  .transform((text) => text.replace(/\/+$/, ""));
const key = z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be printable and without spaces");
const targets = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}(?:,0x[0-9a-fA-F]{40})*$/, "must be addresses separated by commas")
  .transform((text) => text.toLowerCase().split(",") as Address[]);
const RATE = "must be a number above 0, at most 10000";
const rate = z.coerce.number(RATE).positive(RATE).max(10_000, RATE);
const whole = (least: number, most: number, of = "") => {
  const problem = `must be a whole number${of} from ${least} to ${most}`;
  return z.coerce.number(problem).int(problem).min(least, problem).max(most, problem);
};
const milliseconds = whole(50, 30_000, " of milliseconds");

const general = z.object({
  QUOTE_TIMEOUT_MS: milliseconds.default(3_000),
  QUOTE_PROVIDER_TIMEOUT_MS: milliseconds.default(2_500),
  QUOTE_CONCURRENCY: whole(1, 1_000).default(20),
  QUOTE_PAUSE_MS: milliseconds.default(10_000),
  QUOTE_MOST_ADVANTAGE_PERCENT: whole(1, 1_000).default(20),
  QUOTE_WORTH_WAITING_USD: z
    .string()
    .regex(/^\d+(\.\d{1,18})?$/, "must be USD in digits")
    .default("0.01"),
  SIMULATION_RPC_URL: httpUrl.optional(),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Error with one line naming the variable */
function check<T extends z.ZodType>(schema: T, env: Environment, name: string): z.output<T> | undefined {
  const value = env[name];
  if (value === undefined || value === "") return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`${name}: ${parsed.error.issues[0]?.message}. See .env.example.`);
}

/** The variable of one chain before the one of all chains. */
function perChain<T extends z.ZodType>(schema: T, env: Environment, at: { name: string; chainId: number }) {
  return check(schema, env, `${at.name}_${at.chainId}`) ?? check(schema, env, at.name);
}

function providerSettings(provider: Provider, env: Environment, chainId: number): ProviderSettings {
  const { prefix, needsKey } = provider;
  const at = (suffix: string) => ({ name: `${prefix}_${suffix}`, chainId });
  const found = perChain(providerUrl, env, at("URL"));
  const apiKey = perChain(key, env, at("API_KEY"));
  const known = provider.publicServices[chainId];
  const address = found ?? known?.url;
  const lacksKey = needsKey && apiKey === undefined;
  return {
    url: address,
    apiKey,
    // the contracts known beforehand are those of the public service
    targets: perChain(targets, env, at("TARGETS")) ?? (found === undefined ? known?.targets : undefined),
    requestsPerSecond: perChain(rate, env, at("RPS")) ?? provider.requestsPerSecond,
    missing: address === undefined ? `${prefix}_URL is not set` : lacksKey ? `${prefix}_API_KEY is not set` : undefined,
  };
}

/** Names of the variables of one provider; each also with `_<chain id>` at its end, which takes precedence. */
export const variablesOf = ({ prefix }: Provider): string[] =>
  ["URL", "API_KEY", "TARGETS", "RPS"].map((suffix) => `${prefix}_${suffix}`);

/**
 * Reads and checks all of it for the chains served.
 * @throws Error with one line naming the variable
 */
export function readQuoteSettings(env: Environment, chainIds: readonly number[]): QuoteSettings {
  const given = setVariables(env);
  const parsed = general.safeParse(given);
  if (!parsed.success) throw new Error(settingComplaint(parsed.error.issues[0], given));
  const values = parsed.data;
  const read = new Map(
    chainIds.flatMap((id) => providers.map((one) => [`${id} ${one.name}`, providerSettings(one, given, id)] as const)),
  );
  const simulation = new Map(
    chainIds.map((chainId) => [chainId, perChain(httpUrl, given, { name: "SIMULATION_RPC_URL", chainId })]),
  );
  return {
    timeoutMs: values.QUOTE_TIMEOUT_MS,
    providerTimeoutMs: Math.min(values.QUOTE_PROVIDER_TIMEOUT_MS, values.QUOTE_TIMEOUT_MS),
    concurrency: values.QUOTE_CONCURRENCY,
    pauseMs: values.QUOTE_PAUSE_MS,
    mostAdvantagePercent: values.QUOTE_MOST_ADVANTAGE_PERCENT,
    worthWaitingUsd: values.QUOTE_WORTH_WAITING_USD,
    simulationUrl: (chainId) => simulation.get(chainId),
    of: (provider, chainId) =>
      read.get(`${chainId} ${provider.name}`) ?? {
        url: undefined,
        apiKey: undefined,
        targets: undefined,
        requestsPerSecond: 1,
        missing: "not set up for this chain",
      },
  };
}
