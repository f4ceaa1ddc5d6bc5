// Where a running product is, and the key that it may need: the commands that ask one read both here.
import { UsageError } from "./command-line.ts";

export interface ProductPlace {
  /** Without a slash at its end. */
  url: string;
  key: string | undefined;
}

export const PRODUCT_URL = "http://127.0.0.1:4000";

/**
 * As typed; else from the environment, where the first of the keys is taken: they are those that the gateway beside us accepts, and no
 * stranger's that `--url` names gets one.
 * @throws UsageError naming the option or variable
 */
export function productPlace(
  { url, key }: { url?: string | undefined; key?: string | undefined },
  env: NodeJS.ProcessEnv,
): ProductPlace {
  const usual = env.GATEWAY_URL || PRODUCT_URL;
  const parsed = URL.parse(url ?? usual);
  if (parsed === null || !isPlain(parsed))
    throw new UsageError(
      `${url === undefined ? "GATEWAY_URL" : "--url"}: must be like ${PRODUCT_URL}; a key goes into --key`,
    );
  const isOurs = parsed.host === URL.parse(usual)?.host || THIS_MACHINE.test(parsed.hostname);
  const ownKey = isOurs ? env.API_KEYS?.split(",")[0]?.trim() : undefined;
  const sent = key ?? (ownKey || undefined);
  if (sent !== undefined && !/^[\x21-\x7e]+$/.test(sent))
    throw new UsageError(
      `${key === undefined ? "API_KEYS" : "--key"}: a key has only characters of ASCII, and no spaces, as it is sent in a header`,
    );
  return { url: parsed.href.replace(/\/+$/, ""), key: sent };
}

const THIS_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

const isPlain = ({ protocol, username, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) && username === "" && search === "" && hash === "";
