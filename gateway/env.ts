// The only place where the gateway reads process.env.
import { z } from "zod";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadChains } from "../chains/load.ts";
import { LOG_LEVEL_PROBLEM, LOG_LEVELS } from "../core/log-levels.ts";
import { settingComplaint, setVariables } from "../core/set-variables.ts";
import { isServerUrl, SERVER_URL_PROBLEM } from "../database/server-url.ts";
import { requireExistingProviders } from "./aggregator/registry.ts";
import { readQuoteSettings } from "./aggregator/settings.ts";
import { SHORTEST_KEY } from "./http/api-keys.ts";
import type { AccessSettings } from "./http/guard.ts";
import type { Rate } from "./http/rate-limit.ts";
import type { QuoteSettings } from "./quote-settings.ts";

const databaseUrl = z.string().refine(isServerUrl, SERVER_URL_PROBLEM);

/** A password with a comma in it must be written as %2C. */
const databaseUrls = z
  .string()
  .transform((text) => text.split(",").map((url) => url.trim()))
  .refine(
    (urls) => urls.every(isServerUrl),
    `each of them, separated by commas, ${SERVER_URL_PROBLEM}; a comma as %2C`,
  );

const RATE = "must be requests per minute, e.g. 600, or requests/seconds, e.g. 50/10";

/** `600`: in a minute; `50/10`: in ten seconds. */
const rate = z
  .string()
  .regex(/^[1-9]\d{0,6}(?:\/[1-9]\d{0,4})?$/, RATE)
  .transform((text): Rate => {
    const [requests, seconds = "60"] = text.split("/");
    return { requests: Number(requests), seconds: Number(seconds) };
  });

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header, e.g. X-Forwarded-For")
  .transform((name) => name.toLowerCase());

const keys = z
  .string()
  .transform((text) => text.split(",").map((key) => key.trim()))
  .refine(
    (all) => all.every((key) => key.length >= SHORTEST_KEY && /^[\x21-\x7e]+$/.test(key)),
    `must be keys of at least ${SHORTEST_KEY} printable characters, separated by commas`,
  );

/** Of another part of the product. */
const partUrl = z.string().refine((text) => /^http:\/\//.test(text) && URL.canParse(text), "must be an http:// URL");

const PORT = "must be a port number";
const CACHE = "must be a whole number of megabytes from 1 to 65536";

const schema = z.object({
  CHAIN: z.string().min(1).default("devnet"),
  DATABASE_URL: databaseUrl,
  DATABASE_READ_URL: databaseUrls.default([]),
  PORT: z.coerce.number(PORT).int(PORT).min(0, PORT).max(65_535, PORT).default(4000),
  HOST: z.string().min(1).default("127.0.0.1"),
  LOG_LEVEL: z.enum(LOG_LEVELS, LOG_LEVEL_PROBLEM).default("info"),
  RATE_LIMIT: rate.optional(),
  CLIENT_ADDRESS_HEADER: headerName.optional(),
  API_KEYS: keys.default([]),
  SQL_URL: partUrl.optional(),
  LAKE_URL: partUrl.optional(),
  CACHE_MB: z.coerce.number(CACHE).int(CACHE).min(1, CACHE).max(65_536, CACHE).default(128),
});

/** What it reads, beside the settings of providers. */
export const settingNames: readonly string[] = Object.keys(schema.shape);

export interface GatewayEnvironment {
  /** The first one answers requests that name no chain. */
  chains: readonly [ChainFile, ...ChainFile[]];
  /** The primary's as configured, then those that may be read instead. */
  databaseUrls: readonly string[];
  port: number;
  host: string;
  logLevel: string;
  quotes: QuoteSettings;
  access: AccessSettings;
  /** Where the process that answers SQL listens, by chain id. */
  sqlUrls: ReadonlyMap<number, string>;
  /** Where the process listens that loads pruned history, by chain id. */
  lakeUrls: ReadonlyMap<number, string>;
  /** What stored answers may take of the memory. */
  cacheBytes: number;
}

/** Empty variables count as unset. @throws Error with one line naming the variable, or ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): GatewayEnvironment {
  const set = setVariables(env);
  const parsed = schema.safeParse(set);
  if (!parsed.success) throw new Error(settingComplaint(parsed.error.issues[0], set));
  const chains = loadChains(parsed.data.CHAIN);
  for (const chain of chains) requireExistingProviders(chain);
  const { DATABASE_URL, DATABASE_READ_URL, PORT, HOST, LOG_LEVEL } = parsed.data;
  const { RATE_LIMIT, CLIENT_ADDRESS_HEADER, API_KEYS, CACHE_MB } = parsed.data;
  return {
    chains,
    databaseUrls: [DATABASE_URL, ...DATABASE_READ_URL],
    port: PORT,
    host: HOST,
    logLevel: LOG_LEVEL,
    quotes: readQuoteSettings(
      set,
      chains.map(({ chainId }) => chainId),
    ),
    access: { rate: RATE_LIMIT, clientAddressHeader: CLIENT_ADDRESS_HEADER, keys: API_KEYS },
    sqlUrls: readUrls("SQL_URL", set, chains),
    lakeUrls: readUrls("LAKE_URL", set, chains),
    cacheBytes: CACHE_MB * 1024 * 1024,
  };
}

/** `<name>_<chain id>` wins; plain `<name>` is for the first chain. @throws Error with one line naming the variable */
function readUrls(name: string, env: NodeJS.ProcessEnv, chains: readonly ChainFile[]): ReadonlyMap<number, string> {
  const urls = chains.map(({ chainId }, i) => {
    const own = env[`${name}_${chainId}`];
    const parsed = partUrl.optional().safeParse(own);
    if (!parsed.success) throw new Error(`${name}_${chainId}: ${parsed.error.issues[0]?.message}. See .env.example.`);
    return [chainId, own ?? (i === 0 ? env[name] : undefined)] as const;
  });
  return new Map(
    urls.flatMap(([chainId, url]) => (url === undefined ? [] : [[chainId, url.replace(/\/$/, "")] as const])),
  );
}
