// The cache's own counts, taken over when /metrics is read.
import { Counter, Gauge } from "prom-client";
import type { AnswerCache } from "../cache/answer-cache.ts";
import { registry } from "../instruments.ts";

const requests = new Counter({
  name: "tidemark_cache_requests_total",
  help: "Answers wanted of the cache: stored (hit), being worked out for somebody else (shared), or worked out (miss)",
  labelNames: ["question", "outcome"],
  registers: [registry],
});

const removals = new Counter({
  name: "tidemark_cache_evictions_total",
  help: "Answers that went: for others (room), unused for a while (unused), or never stored, being too large (size)",
  labelNames: ["question", "reason"],
  registers: [registry],
});

const entries = new Gauge({
  name: "tidemark_cache_entries",
  help: "Stored answers",
  labelNames: ["question"],
  registers: [registry],
});

const bytes = new Gauge({
  name: "tidemark_cache_bytes",
  help: "Memory of stored answers, by the cache's own reckoning",
  labelNames: ["question"],
  registers: [registry],
});

const limit = new Gauge({
  name: "tidemark_cache_limit_bytes",
  help: "What all stored answers together may take: CACHE_MB",
  registers: [registry],
});

export function showCache(cache: AnswerCache): void {
  const { mostBytes, questions } = cache.stats();
  for (const metric of [requests, removals, entries, bytes]) metric.reset();
  limit.set(mostBytes);
  for (const { question, ...stats } of questions) {
    entries.set({ question }, stats.entries);
    bytes.set({ question }, stats.bytes);
    for (const [outcome, count] of [
      ["hit", stats.hits],
      ["shared", stats.shared],
      ["miss", stats.misses],
    ] as const)
      requests.inc({ question, outcome }, count);
    for (const [reason, count] of [
      ["room", stats.evicted],
      ["unused", stats.expired],
      ["size", stats.refused],
    ] as const)
      removals.inc({ question, reason }, count);
  }
}
