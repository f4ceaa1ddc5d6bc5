// Settings of a server that is ours: a bulk-loading indexer, a fold that rewrites, many short reads, on one machine.
import { statfsSync } from "node:fs";

export interface ServerNeeds {
  port: number;
  /** Whether it listens on a socket in its cluster's folder too. */
  hasSocket: boolean;
  /** Streaming replicas read from it: WAL must carry what they need. */
  hasReplicas: boolean;
  /** Thrown away after use (tests): durability costs nothing there. */
  isTemporary: boolean;
}

/** Command-line settings, in the order PostgreSQL gets them. */
export function serverSettings({ port, hasSocket, hasReplicas, isTemporary }: ServerNeeds): Record<string, string> {
  return {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: hasSocket ? "." : "",
    max_connections: "100",
    shared_buffers: isTemporary ? "128MB" : "512MB",
    work_mem: "32MB",
    maintenance_work_mem: "256MB",
    effective_cache_size: "2GB",
    random_page_cost: "1.1",
    // Compiling a query costs more than the short queries here take.
    jit: "off",
    // Commits wait for the disk: a block that was shown to somebody must still be there after a power cut, and Ponder's
    // checkpoint and our head must never be ahead of what survives elsewhere (its RPC cache, our answers).
    synchronous_commit: "on",
    fsync: isTemporary ? "off" : "on",
    // Without replicas, bulk loads into new tables need no WAL.
    wal_level: hasReplicas ? "replica" : "minimal",
    max_wal_senders: hasReplicas ? "10" : "0",
    max_wal_size: "2GB",
    checkpoint_timeout: "15min",
    checkpoint_completion_target: "0.9",
    // The first change of a page after a checkpoint logs all of it, and a fold changes pages everywhere: compressing them by
    // pglz, the one method that every build has, took two thirds of a batch's time.
    wal_compression: "off",
    // Index-only scans need a fresh visibility map (five times faster on the as-of tables). Tests have many small databases, and
    // looking through all of them so often takes some hundredths of a processor.
    autovacuum_naptime: isTemporary ? "1min" : "5s",
    autovacuum_vacuum_cost_delay: "1ms",
    autovacuum_vacuum_scale_factor: "0.05",
    autovacuum_vacuum_insert_scale_factor: "0.05",
    autovacuum_analyze_scale_factor: "0.02",
    // Parallel queries share memory in /dev/shm, which containers often cap at 64 MB.
    dynamic_shared_memory_type: hasRoomyShm() ? "posix" : "mmap",
    log_lock_waits: "on",
    log_min_duration_statement: "5s",
    log_line_prefix: "%m [%p] %a ",
  };
}

function hasRoomyShm(): boolean {
  if (process.platform !== "linux") return true;
  try {
    const { bsize, blocks } = statfsSync("/dev/shm");
    return bsize * blocks >= 512 * 1024 * 1024;
  } catch {
    return false;
  }
}
