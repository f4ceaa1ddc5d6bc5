// A pool of connections such as Ponder makes, by the pg that it loads.
import { createRequire } from "node:module";

export interface PonderPool {
  totalCount: number;
  idleCount: number;
  /** Resolves once every connection has closed, so that the database can be dropped. */
  end(): Promise<void>;
}
interface Connection {
  once(event: "end", listener: () => void): void;
}
type Pool = PonderPool & { on(event: "connect", listener: (connection: Connection) => void): void };

const ponder = new URL("../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
const { Pool } = createRequire(ponder)("pg") as { Pool: new (settings: object) => Pool };

export function startPonderPool(settings: {
  connectionString: string;
  max: number;
  connectionTimeoutMillis?: number;
}): PonderPool {
  const pool = new Pool(settings);
  const closed: Promise<void>[] = [];
  pool.on("connect", (connection) => closed.push(new Promise((resolve) => connection.once("end", resolve))));
  const end = pool.end.bind(pool);
  // The pool's own `end` resolves before its connections have closed: one that a dropped database ends meanwhile is an
  // error that nobody catches.
  pool.end = async () => {
    await end();
    await Promise.all(closed);
  };
  return pool;
}
