// Keys that callers must show, if the operator has set any.
import { createHash } from "node:crypto";
import type { Context } from "hono";
import { GatewayError } from "../errors.ts";
import { requestHeader } from "./node-request.ts";

/** A short key could be guessed. */
export const SHORTEST_KEY = 16;

/** Digests of the keys there are: looking one up takes no longer for a key that is nearly right. */
type ApiKeys = ReadonlySet<string>;

const digestOf = (key: string): string => createHash("sha256").update(key).digest("base64url");

export const apiKeys = (keys: readonly string[]): ApiKeys => new Set(keys.map(digestOf));

/** As `X-API-Key: <key>` or `Authorization: Bearer <key>`; the first one counts where both are sent. */
function keyIn(c: Context): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(requestHeader(c, "authorization") ?? "")?.[1];
  return requestHeader(c, "x-api-key")?.trim() || bearer;
}

/** The digest of the key that comes with a request; undefined without one that is known. */
export function listedKey(keys: ApiKeys, c: Context): string | undefined {
  const key = keyIn(c);
  if (key === undefined) return undefined;
  const digest = digestOf(key);
  return keys.has(digest) ? digest : undefined;
}

/** 401: keys are needed here, and the request has none that is known. */
export class ApiKeyError extends GatewayError {
  override name = "ApiKeyError";

  constructor() {
    super("This needs a key: send it as X-API-Key, or as Authorization: Bearer.", {
      code: "API_KEY_NEEDED",
      status: 401,
    });
  }
}
