// Asks the product in process, as patiently as a client would.
import { setTimeout as sleep } from "node:timers/promises";
import { RequestScope, type Service } from "../gateway/context.ts";
import { publicError, UnavailableError } from "../gateway/errors.ts";

const ATTEMPTS = 5;
const PAUSE_MS = 1_000;
const PASSING: ReadonlySet<string> = new Set(["TIMEOUT", "OVERLOADED", "DATABASE_UNAVAILABLE"]);

/** Whether a client would be told to ask again: the database's own errors are not yet those that a client sees. */
function isPassing(error: unknown): boolean {
  const shown = publicError(error);
  return shown instanceof UnavailableError && PASSING.has(shown.code);
}

/**
 * Runs `use` in a request of its own. A refusal after which a client would ask again, as on a busy machine, is not judged: this asks
 * again, too, so `use` may run several times.
 */
export async function inRequest<T>(service: Service, use: (scope: RequestScope) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const scope = new RequestScope(service);
    try {
      return await use(scope);
    } catch (error) {
      if (!isPassing(error) || attempt === ATTEMPTS) throw error;
    } finally {
      await scope.close();
    }
    await sleep(PAUSE_MS);
  }
}
