// The addresses of PostgreSQL servers in settings: an invalid one is refused, naming the variable, before anything connects; one that leads
// nowhere is named by what could not connect.
import { codeOf, isCanceled, isUnreached } from "./error-codes.ts";

export const SERVER_URL_PROBLEM =
  "must be a postgres:// URL, whose host is a name or an IPv4 address, and in whose password the characters / ? # @ % and spaces are written as %2F %3F %23 %40 %25 %20";

/** Whether both drivers can read it. */
export function isServerUrl(url: string): boolean {
  const parsed = /^postgres(ql)?:\/\/.+/.test(url) ? URL.parse(url) : null;
  // postgres.js 3.4.9 takes what stands behind the first colon of an IPv6 address for the port
  const isIpv6 = parsed?.hostname.startsWith("[");
  return parsed !== null && !isIpv6 && isDecodable(parsed.username) && isDecodable(parsed.password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** `url`. @throws ServerUrlError with one line that names `variable` */
export function requireServerUrl(variable: string, url: string): string {
  if (!isServerUrl(url)) throw new ServerUrlError(variable);
  return url;
}

/** A server that does not answer, or has no such account or database. */
const NO_ENTRY = ["ETIMEDOUT", "28000", "28P01", "3D000"];

/** `error` in one line, for the terminal: if the database cannot be used at all, or is too slow, with the way out. */
export function databaseComplaint(error: unknown): string {
  const code = codeOf(error);
  const message = (error instanceof Error ? error.message : String(error)) || code;
  if (isCanceled(error))
    return `the database took too long for a statement (${message}): try again when it has less to do`;
  return isUnreached(error) || NO_ENTRY.includes(code)
    ? `the database cannot be used (${message}): start it, which \`npm start\` does with the embedded one, or correct DATABASE_URL`
    : message;
}

/** A setting that should name a PostgreSQL server does not. Its value may hold a password, and is not shown. */
export class ServerUrlError extends Error {
  override name = "ServerUrlError";
  constructor(variable: string) {
    super(`${variable}: ${SERVER_URL_PROBLEM}. See .env.example.`);
  }
}
