// The addresses of PostgreSQL servers in settings: an invalid one is refused, naming the variable, before anything connects.

export const SERVER_URL = /^postgres(ql)?:\/\/.+/;
export const SERVER_URL_PROBLEM = "must be a postgres:// URL";

/** `url`. @throws ServerUrlError with one line that names `variable` */
export function requireServerUrl(variable: string, url: string): string {
  if (!SERVER_URL.test(url)) throw new ServerUrlError(variable);
  return url;
}

/** A setting that should name a PostgreSQL server does not. Its value may hold a password, and is not shown. */
export class ServerUrlError extends Error {
  override name = "ServerUrlError";
  constructor(variable: string) {
    super(`${variable}: ${SERVER_URL_PROBLEM}. See .env.example.`);
  }
}
