// The five services that a devnet has stand-ins for, as the gateway's environment names them.
import { ensoStandIn } from "./enso.ts";
import { flyStandIn } from "./fly.ts";
import { kyberSwapStandIn } from "./kyberswap.ts";
import { oogaBoogaStandIn } from "./oogabooga.ts";
import { openOceanStandIn } from "./openocean.ts";
import type { StandIn } from "./stand-in.ts";

export const standIns: readonly StandIn[] = [
  openOceanStandIn,
  flyStandIn,
  oogaBoogaStandIn,
  ensoStandIn,
  kyberSwapStandIn,
];

/** A stand-in accepts any key; the gateway does not ask a service without the key that the real service needs. */
const KEY = "stand-in";

/** Environment variables that make a gateway ask stand-ins for swaps on one chain: where they are, keys, how often. */
export const standInEnvironment = (urlOf: (standIn: StandIn) => string, chainId: number): Record<string, string> =>
  Object.fromEntries(
    standIns.flatMap((standIn) => {
      const prefix = standIn.name.toUpperCase();
      return [
        [`${prefix}_URL_${chainId}`, urlOf(standIn)],
        [`${prefix}_API_KEY_${chainId}`, KEY],
        [`${prefix}_RPS_${chainId}`, "1000"],
      ];
    }),
  );
