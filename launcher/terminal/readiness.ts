// What the gateway reports about its readiness, for people at the terminal: also after everything was ready once.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const TIMEOUT_MS = 10_000;
const POLL_MS = 1_000;

const readiness = z.object({ ready: z.literal(true), ponderSchema: z.string() });
const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Why the gateway is not ready for a chain, from these facts; undefined: it is. */
export async function whyNotReady(base: string, chainId: number, ponderSchema: string): Promise<string | undefined> {
  const body = await fetch(`${base}/ready?chainId=${chainId}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((response) => response.json() as Promise<unknown>)
    // also an answer that breaks off after its headers
    .catch(() => undefined);
  // An earlier build's index may be ready, too, as long as it is near the head; the one that was started is not there yet then.
  const ready = readiness.safeParse(body);
  if (ready.success)
    return ready.data.ponderSchema === ponderSchema ? undefined : "an earlier index is read until then";
  const refused = refusal.safeParse(body);
  return refused.success ? `${refused.data.error.message} (${refused.data.error.code})` : "the gateway does not answer";
}

export interface Watched {
  gatewayUrl: string;
  chains: readonly { chainId: number; name: string; ponderSchema: string }[];
  isStopping: () => boolean;
  say: (line: string) => void;
}

const withoutFigures = (text: string | undefined): string | undefined => text?.replaceAll(/\d+/g, "#");

/** Says when a chain that was ready is not any more, why, and when it is again; until the run stops. */
export async function watchReadiness({ gatewayUrl, chains, isStopping, say }: Watched): Promise<void> {
  const said = new Map<number, string>();
  while (!isStopping()) {
    for (const { chainId, name, ponderSchema } of chains) {
      const reason = await whyNotReady(gatewayUrl, chainId, ponderSchema);
      if (isStopping()) return;
      if (reason === undefined && said.delete(chainId)) say(`${name}: ready again`);
      // the figures of a reason grow while it stays
      if (reason === undefined || withoutFigures(said.get(chainId)) === withoutFigures(reason)) continue;
      said.set(chainId, reason);
      say(`${name}: ${reason}`);
    }
    await sleep(POLL_MS);
  }
}
