// Connections for short statements outside transactions: each is a snapshot of its own that begins after its locks. They
// are prepared once per connection, and several requests share a connection without waiting for each other's answers.
import postgres from "postgres";

const CONNECTIONS = 4;
/** Whoever is refused has another way: glances wait for nobody. */
const LONGEST_GLANCE_MS = 1_000;
const LONGEST_WAIT_FOR_LOCKS_MS = 300;

export interface Glances {
  /** One statement with parameters. Its text must not change from request to request: it is kept prepared. */
  read<T extends object>(text: string, parameters: readonly string[]): Promise<T[]>;
  end(settings: { timeout: number }): Promise<void>;
}

/** `simple`, which the types leave out, is postgres.js's choice for a text without parameters: it would be planned each time. */
const PREPARED = { prepare: true, simple: false };

export function openGlances(url: string): Glances {
  const settings: Record<string, string> = {
    application_name: "tidemark-gateway",
    default_transaction_read_only: "on",
    statement_timeout: String(LONGEST_GLANCE_MS),
    lock_timeout: String(LONGEST_WAIT_FOR_LOCKS_MS),
    jit: "off",
  };
  const sql = postgres(url, {
    ...{ connect_timeout: 5, onnotice: () => {}, fetch_types: false, max: CONNECTIONS },
    connection: settings,
  });
  return {
    read: async <T extends object>(text: string, parameters: readonly string[]) => [
      ...(await sql.unsafe<T[]>(text, [...parameters], PREPARED)),
    ],
    end: (settings) => sql.end(settings),
  };
}
