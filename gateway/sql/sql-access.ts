// The way to the processes that answer SQL, one for each chain. This process never runs a statement itself: whatever one does
// to DuckDB, all other requests are still answered.
import { z } from "zod";
import { publicErrorOf, SqlBusyError, SqlOffError, SqlUnavailableError } from "./sql-errors.ts";

interface SqlRequest {
  chainId: number;
  query: string;
  format: string;
  /** Each client has one statement at a time. */
  client: string;
  signal: AbortSignal;
}

interface SqlAnswer {
  headers: Readonly<Record<string, string>>;
  body: ReadableStream<Uint8Array>;
}

const health = z.object({
  answered: z.number(),
  refused: z.number(),
  rows: z.number(),
  residentMegabytes: z.number(),
  loaded: z.object({ block: z.number(), hash: z.string(), lakeLast: z.number() }).nullable(),
});

type SqlHealth = z.infer<typeof health>;

const HEALTH_MS = 1_000;
/** Headers of the process's answer that are those of ours. */
const PASSED_ON = ["content-type", "x-block-number", "x-block-hash", "x-incomplete"];

export class SqlAccess {
  readonly #urls: ReadonlyMap<number, string>;
  readonly #running = new Set<string>();

  /** `urls`: of the process of each chain that has one. */
  constructor(urls: ReadonlyMap<number, string>) {
    this.#urls = urls;
  }

  isOn(chainId: number): boolean {
    return this.#urls.has(chainId);
  }

  /**
   * The answer as it comes; it breaks off where the statement meets a limit in the middle of it.
   * @throws SqlOffError, SqlBusyError, SqlUnavailableError, and what the process answers in place of rows
   */
  async answer({ chainId, query, format, client, signal }: SqlRequest): Promise<SqlAnswer> {
    const url = this.#urls.get(chainId);
    if (url === undefined) throw new SqlOffError();
    if (this.#running.has(client))
      throw new SqlBusyError("One SQL statement at a time: the one before is not answered yet.");
    this.#running.add(client);
    const release = () => this.#running.delete(client);
    try {
      const response = await this.#send(url, { query, format }, signal);
      if (!response.ok || response.body === null) throw await refusalOf(response);
      const headers = Object.fromEntries([...response.headers].filter(([name]) => PASSED_ON.includes(name)));
      return { headers, body: released(response.body, release) };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Undefined while the process does not answer. */
  async health(chainId: number): Promise<SqlHealth | undefined> {
    const url = this.#urls.get(chainId);
    if (url === undefined) return undefined;
    try {
      const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
      return health.safeParse(await response.json()).data;
    } catch {
      return undefined;
    }
  }

  async #send(url: string, statement: object, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(`${url}/statement`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(statement),
        signal,
      });
    } catch {
      throw new SqlUnavailableError(
        "The SQL process does not answer, or ended while it worked; it is started again. Retry in a few seconds.",
      );
    }
  }
}

async function refusalOf(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  return (
    publicErrorOf(response.status, body) ??
    new SqlUnavailableError("The SQL process ended while it worked. It is started again: retry in a few seconds.")
  );
}

/** The same bytes; `release` is called once, when they are all read or nobody wants them any more. */
function released(body: ReadableStream<Uint8Array>, release: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        release();
        controller.close();
      } catch (error) {
        release();
        throw error;
      }
    },
    async cancel() {
      release();
      await reader.cancel();
    },
  });
}
