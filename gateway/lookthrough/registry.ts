// Every protocol whose contracts hold tokens for others.
import { farm } from "../farm/backing.ts";
import { infrared } from "../infrared/backing.ts";
import { island } from "../island/backing.ts";
import { launch } from "../launch/backing.ts";
import { rewardVault } from "../reward-vault/backing.ts";
import { v2 } from "../v2/backing.ts";
import { v3 } from "../v3/backing.ts";
import { vault } from "../vault/backing.ts";
import type { Protocol } from "./protocol.ts";

export const protocols: readonly Protocol[] = [v3, island, v2, rewardVault, farm, infrared, vault, launch];
