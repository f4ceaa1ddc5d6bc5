// The stand-ins of a running devnet: all behind one port, priced by the gateway beside it.
import type { Address } from "viem";
import { standIns } from "./all.ts";
import { gatewayGet, routerPricer } from "./router-pricer.ts";
import { serveStandIns } from "./serve.ts";

/** Hundredths of a percent of our router's output that each promises: never above 100 %, as they have no other liquidity. */
const FACTORS: Readonly<Record<string, number>> = { OpenOcean: 9_992, Fly: 9_985, OogaBooga: 9_996, Enso: 9_980 };
const USUAL_FACTOR = 9_990;

export interface Beside {
  port: number;
  gatewayUrl: string;
  chainId: number;
  executor: Address;
  /** Key for the gateway, where it needs one. */
  key?: string | undefined;
}

/** Resolves when they listen. @throws Error when the port is taken */
export async function startStandIns({ port, gatewayUrl, chainId, executor, key }: Beside): Promise<void> {
  const price = routerPricer({ get: gatewayGet(gatewayUrl, key), chainId, executor });
  const services = standIns.map((standIn) => ({
    standIn,
    desk: { mode: "ok" as const, executor, factorBps: FACTORS[standIn.name] ?? USUAL_FACTOR, price },
  }));
  await serveStandIns(services, port);
}
