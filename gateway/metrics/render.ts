// The text of /metrics: requests as they were answered, the index's condition as it is now.
import type { ChainFile } from "../../chains/chain-file.ts";
import { RequestScope, type Service } from "../context.ts";
import { status } from "../questions/status.ts";
import { showCache } from "./cache-metrics.ts";
import { readDatabaseHealth, readReorgs } from "./database-health.ts";
import { type Condition, showCondition } from "./index-gauges.ts";
import { registry, sqlRows, sqlUp } from "./instruments.ts";

/** Never throws: of a chain that cannot be read the only metric is that it is not ready. */
export async function renderMetrics(service: Service): Promise<string> {
  for (const chain of service.chains)
    showCondition(chain.name, await readCondition(service, chain).catch(() => undefined));
  await Promise.all(service.chains.map((chain) => showSql(service, chain)));
  showCache(service.cache);
  return registry.metrics();
}

async function readCondition(service: Service, { chainId }: ChainFile): Promise<Condition> {
  const { database } = service;
  const scope = new RequestScope(service);
  const found = await scope.run(status, {}, chainId).finally(() => scope.close());
  return {
    status: found,
    reorgs: await readReorgs(database, chainId),
    database: await readDatabaseHealth(database, found.builds?.ponderSchema ?? ""),
    now: Date.now() / 1000,
  };
}

async function showSql({ sql }: Service, { chainId, name }: ChainFile): Promise<void> {
  if (!sql?.isOn(chainId)) return;
  const health = await sql.health(chainId);
  sqlUp.set({ chain: name }, health ? 1 : 0);
  if (health) sqlRows.set({ chain: name }, health.rows);
}
