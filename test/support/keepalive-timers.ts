// When a server asks next whether the other end of a connection is still there, as Linux counts it.
import { readFileSync } from "node:fs";
import type { Sql } from "postgres";

/** Of `timer` in /proc/net/tcp: how many of its ticks a second has, and the kind that asks (Documentation/networking/proc_net_tcp.rst). */
const TICKS = 100;
const KEEPALIVE = "02";

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");

/**
 * Seconds until then, of each session of `pg_stat_activity` that meets `condition`. NaN where the server is just waiting for something
 * else. Linux only, over IPv4.
 */
export async function secondsToKeepalive(sql: Sql, condition: string): Promise<number[]> {
  const sessions = await sql.unsafe(`
    select client_port, inet_server_port() as server_port from pg_stat_activity
     where datname = current_database() and ${condition}`);
  const lines = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return sessions.map(({ client_port, server_port }) => {
    const ports = [server_port, client_port].map(Number).map(hexPort);
    const line = lines.find(([, local, remote]) => local?.endsWith(`:${ports[0]}`) && remote?.endsWith(`:${ports[1]}`));
    const [kind, ticks = ""] = line?.[5]?.split(":") ?? [];
    return kind === KEEPALIVE ? Number.parseInt(ticks, 16) / TICKS : Number.NaN;
  });
}
