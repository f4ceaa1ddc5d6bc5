// While somebody asks, every new block is made ready before most questions about it come.
import { RequestScope, type Service } from "../context.ts";
import { look } from "../ledger/look.ts";
import { isAnythingAskedLately } from "./asked-lately.ts";
import { warmBlock } from "./warm-block.ts";

/** Without requests that see a new block, it is looked for this often; where a look costs a transaction, less often. */
const PAUSE_MS = 250;
const LONG_PAUSE_MS = 1_000;

/**
 * Until `stopping` is aborted; it does not keep the process alive. What fails here fails again, and aloud, for whoever
 * asks.
 */
export function followHeads(service: Service, stopping: AbortSignal): void {
  for (const { chainId } of service.chains) void follow(service, chainId, stopping);
}

async function follow(service: Service, chainId: number, stopping: AbortSignal): Promise<void> {
  const { database, live } = service;
  const longestMs = database.glance ? PAUSE_MS : LONG_PAUSE_MS;
  let ready: string | undefined;
  while (!stopping.aborted) {
    await live.nextNews(chainId, longestMs);
    if (!isAnythingAskedLately(chainId)) continue;
    const seen = await look({ database, live, chainId });
    const newest = seen && `${seen.index} ${seen.state.watermark} ${seen.state.lastSyncedHash}`;
    if (newest !== undefined && newest === ready) continue;
    ready = newest;
    const scope = new RequestScope(service);
    await scope
      .run(warmBlock, undefined, chainId)
      .finally(() => scope.close())
      .catch(() => {
        ready = undefined;
      });
  }
}
