// Connections to PostgreSQL that send everything at once.
import { connect, type Socket } from "node:net";

/** What postgres.js makes of a URL and its options; only the servers' addresses are needed here. */
interface Place {
  host: readonly string[];
  port: readonly number[];
  /** Path of a Unix socket. */
  path?: string | false;
}

/**
 * An option of postgres.js (3.4.9, README "Custom socket") for one client: it connects as it would by itself, to the next of several
 * servers whenever a connection is made anew, but without Nagle's algorithm. With it the end of a COPY, or what follows the first KB of a
 * long statement, waits until the server has acknowledged what came before, which it delays by 40 ms.
 * Errors are those of the socket, which postgres.js listens to.
 */
export function undelayed(): { socket: (place: Place) => Socket } {
  let connections = 0;
  return {
    socket({ host, port, path }) {
      if (path) return connect(path);
      const at = connections++ % host.length;
      const server = { host: host[at] ?? "localhost", port: port[at] ?? 5432 };
      // postgres.js checks certificates against `host`, and names both in its errors
      return Object.assign(connect(server).setNoDelay(true), server);
    },
  };
}
