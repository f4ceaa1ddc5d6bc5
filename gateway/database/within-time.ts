// Answers that need the database, where a caller must hear soon that it is silent.
import { UnavailableError } from "../errors.ts";

/**
 * What `ask` gives. Its signal is aborted when it has taken longer.
 * @throws DatabaseSilentError then
 */
export async function withinTime<T>(milliseconds: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DatabaseSilentError(milliseconds / 1_000));
      late.abort();
    }, milliseconds);
  });
  try {
    return await Promise.race([ask(late.signal), silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** 503 `DATABASE_UNAVAILABLE`: it takes connections, or did, and does not answer. */
class DatabaseSilentError extends UnavailableError {
  override name = "DatabaseSilentError";

  constructor(seconds: number) {
    super("DATABASE_UNAVAILABLE", `The database has not answered for ${seconds} seconds.`);
  }
}
