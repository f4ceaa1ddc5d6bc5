// The text of /metrics: requests as they were answered, the index's condition as it is now.
import type { ChainFile } from "../../chains/chain-file.ts";
import { RequestScope, type Service } from "../context.ts";
import { withinTime } from "../database/within-time.ts";
import { registry, sqlRows, sqlUp } from "../instruments.ts";
import { status } from "../questions/status.ts";
import { showCache } from "./cache-metrics.ts";
import { readDatabaseHealth, readReorgs } from "./database-health.ts";
import { type Condition, showCondition } from "./index-gauges.ts";

/** Less than the 10 seconds that Prometheus waits for a scrape. */
const LONGEST_CONDITION_MS = 4_000;

/** Never throws: of a chain that cannot be read the only metric is that it is not ready. */
export async function renderMetrics(service: Service): Promise<string> {
  await Promise.all(service.chains.map((chain) => showChain(service, chain)));
  showCache(service.cache);
  return registry.metrics();
}

async function showChain(service: Service, chain: ChainFile): Promise<void> {
  const condition = withinTime(LONGEST_CONDITION_MS, (signal) => readCondition(service, chain, signal));
  await Promise.all([
    condition.catch(() => undefined).then((found) => showCondition(chain.name, found)),
    showSql(service, chain),
  ]);
}

async function readCondition(service: Service, { chainId }: ChainFile, signal: AbortSignal): Promise<Condition> {
  const { database } = service;
  const scope = new RequestScope(service, signal);
  const found = await scope.run(status, {}, chainId).finally(() => scope.close());
  return {
    status: found,
    reorgs: await readReorgs(database, chainId),
    database: await readDatabaseHealth(database, chainId),
    now: Date.now() / 1000,
  };
}

async function showSql({ sql }: Service, { chainId, name }: ChainFile): Promise<void> {
  if (!sql?.isOn(chainId)) return;
  const health = await sql.health(chainId);
  sqlUp.set({ chain: name }, health ? 1 : 0);
  if (health) sqlRows.set({ chain: name }, health.rows);
}
