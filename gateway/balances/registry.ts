// Every protocol whose contracts hold tokens for others.

import type { Protocol } from "../backing/protocol.ts";
import { farm } from "../protocols/farm/backing.ts";
import { infrared } from "../protocols/infrared/backing.ts";
import { island } from "../protocols/island/backing.ts";
import { launch } from "../protocols/launch/backing.ts";
import { rewardVault } from "../protocols/reward-vault/backing.ts";
import { v2 } from "../protocols/v2/backing.ts";
import { v3 } from "../protocols/v3/backing.ts";
import { vault } from "../protocols/vault/backing.ts";

/** Those that read nothing but the additive ledgers. */
export const ledgerProtocols: readonly Protocol[] = [v2, rewardVault, farm, infrared, vault, launch];

export const protocols: readonly Protocol[] = [v3, island, ...ledgerProtocols];
