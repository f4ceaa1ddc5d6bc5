// While somebody asks for quotes, the state and the prices of every new block are made before the next question comes.
import { setTimeout as sleep } from "node:timers/promises";
import { type Operation, RequestScope, type Service } from "../context.ts";
import { isAskedLately } from "./demand.ts";
import { gasCostIn } from "./gas-price.ts";
import { openRouter } from "./place.ts";

/** A block more often than this is made when it is asked about. */
const LEAST_PAUSE_MS = 1_000;

const warmUp: Operation<undefined, void> = {
  name: "warmUp",
  async run(_, context) {
    const place = await openRouter(context, { kind: "latest" });
    await gasCostIn(context, place, { address: context.chain.wrappedNative.address, decimals: undefined });
  },
};

/**
 * Until `stopping` is aborted; it does not keep the process alive. What fails here fails again, and aloud, for whoever
 * asks.
 */
export function keepRouterWarm(service: Service, stopping: AbortSignal): void {
  for (const { chainId, v2, v3, pollingIntervalMs } of service.chains) {
    const pauseMs = Math.max(pollingIntervalMs, LEAST_PAUSE_MS);
    if (v2 || v3) void follow(service, { chainId, pauseMs, stopping });
  }
}

interface Following {
  chainId: number;
  pauseMs: number;
  stopping: AbortSignal;
}

async function follow(service: Service, { chainId, pauseMs, stopping }: Following): Promise<void> {
  while (!stopping.aborted) {
    await sleep(pauseMs, undefined, { ref: false });
    if (!isAskedLately(chainId)) continue;
    const scope = new RequestScope(service);
    await scope
      .run(warmUp, undefined, chainId)
      .finally(() => scope.close())
      .catch(() => {});
  }
}
