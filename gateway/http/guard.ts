// Checks before every route: keys and the rate limit, each only if the operator has set it.
import type { MiddlewareHandler } from "hono";
import { ApiKeyError, apiKeys, listedKey } from "./api-keys.ts";
import { clientNetwork } from "./client-address.ts";
import { type Rate, RateLimiter } from "./rate-limit.ts";

export interface AccessSettings {
  /** Without it nobody is counted. */
  rate?: Rate | undefined;
  /** A header of the operator's proxy that names the client; without it the socket's other end is the client. */
  clientAddressHeader?: string | undefined;
  /** Empty: nobody needs one. */
  keys: readonly string[];
}

export const OPEN_ACCESS: AccessSettings = { keys: [] };

/** In the request's variables: its known key, else its network. */
export const CLIENT = "client";

/** Asked by balancers and monitors, from one address and often. */
const UNCOUNTED = new Set(["/health", "/ready", "/metrics"]);
const KEYLESS = new Set(["/health", "/ready", "/openapi.json", "/docs"]);
/** The catalogue of launched tokens is public by its interface; styles and scripts of pages have no data. */
const KEYLESS_FOLDERS = ["/launch/", "/docs/assets/", "/explore/assets/"];

const needsKey = (path: string): boolean =>
  !KEYLESS.has(path) && !KEYLESS_FOLDERS.some((folder) => path.startsWith(folder));

/**
 * Counts by key where a known one is sent, else by network, so that trying keys out is counted too.
 * @throws RateLimitedError, ApiKeyError
 */
export function guard({ rate, clientAddressHeader, keys }: AccessSettings): MiddlewareHandler {
  const listed = apiKeys(keys);
  const limiter = rate && new RateLimiter(rate);
  return async (c, next) => {
    const key = listedKey(listed, c);
    const { path } = c.req;
    const client = key ?? clientNetwork(c, clientAddressHeader);
    c.set(CLIENT, client);
    if (limiter && !UNCOUNTED.has(path)) limiter.admit(client);
    if (listed.size > 0 && key === undefined && needsKey(path)) throw new ApiKeyError();
    await next();
  };
}
