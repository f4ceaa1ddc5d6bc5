// Prometheus metrics: requests as they are answered, the index's state when it is asked for.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { RequestScope, type Service } from "./context.ts";
import { status } from "./operations/status.ts";

const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: "tidemark_" });

/** Seconds to the first byte, by route pattern, method and status. */
export const requestSeconds = new Histogram({
  name: "tidemark_http_request_seconds",
  help: "Time to the first byte of an answer",
  labelNames: ["route", "method", "status"],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  registers: [registry],
});

/** What became of the providers asked for swap quotes. */
export const providerOutcomes = new Counter({
  name: "tidemark_quote_provider_outcomes_total",
  help: "Outcomes of providers asked for a quote",
  labelNames: ["chain", "provider", "status"],
  registers: [registry],
});

export const providerSeconds = new Histogram({
  name: "tidemark_quote_provider_seconds",
  help: "Time until a provider's quote was there",
  labelNames: ["chain", "provider"],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 5],
  registers: [registry],
});

/** 0 asked, 1 being tried after a pause, 2 left alone after failing several times. */
export const providerBreaker = new Gauge({
  name: "tidemark_quote_provider_breaker",
  help: "0 closed, 1 trying, 2 open",
  labelNames: ["chain", "provider"],
  registers: [registry],
});

const gauge = (name: string, help: string) =>
  new Gauge({ name: `tidemark_${name}`, help, labelNames: ["chain"], registers: [registry] });

const gauges = {
  lastSynced: gauge("last_synced_block", "Highest block that can be answered"),
  watermark: gauge("fold_watermark_block", "Highest block in the fold's tables"),
  chainHead: gauge("chain_head_block", "The node's head as last polled"),
  factsAbove: gauge("facts_above_watermark", "Facts added on the fly for the newest blocks, counted up to 20000"),
  quarantined: gauge("quarantined_tokens", "Tokens with an impossible ledger or odd metadata"),
  stoppedPools: gauge("stopped_pools", "v3 pools whose facts do not fit together"),
  isReady: gauge("ready", "1 when the head's block can be answered"),
};

/** The text of `/metrics`. State gauges of a chain that cannot be read are left as they were. */
export async function renderMetrics(service: Service): Promise<string> {
  for (const { chainId, name: chain } of service.chains) {
    const scope = new RequestScope(service);
    try {
      const now = await scope.run(status, {}, chainId);
      gauges.isReady.set({ chain }, now.state === "ready" ? 1 : 0);
      gauges.stoppedPools.set({ chain }, now.stoppedPoolsCount);
      gauges.quarantined.set({ chain }, now.quarantinedCount);
      if (now.lastSyncedBlock !== null) gauges.lastSynced.set({ chain }, now.lastSyncedBlock);
      if (now.chainHead !== null) gauges.chainHead.set({ chain }, now.chainHead);
      if (now.fold) gauges.watermark.set({ chain }, now.fold.watermark);
      if (now.fold) gauges.factsAbove.set({ chain }, now.fold.factsAbove);
    } catch {
      gauges.isReady.set({ chain }, 0);
    } finally {
      await scope.close();
    }
  }
  return registry.metrics();
}
