// One factory with its position manager: what decides how a pool's facts are read.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { V3Flavour } from "../../core/concentrated/protocol-fee.ts";

/** Addresses are lower-case hex. */
export interface V3Deployment {
  flavour: V3Flavour;
  factory: string;
  manager: string;
  /** Packed as in `slot0`; used only where the chain cannot say what a kodiak pool began with. */
  defaultFeeProtocol: number;
}

export const v3Deployments = ({ v3 }: ChainFile): V3Deployment[] =>
  (v3?.deployments ?? []).map(({ flavour, factory, positionManager, defaultFeeProtocol }) => ({
    flavour,
    factory: factory.address,
    manager: positionManager.address,
    defaultFeeProtocol,
  }));
