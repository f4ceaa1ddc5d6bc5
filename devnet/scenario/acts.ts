// The registry: every act of every protocol, in the order they are performed within a step.
import { hostileActs } from "./hostile.ts";
import { protocolActs } from "./protocols.ts";
import { tokenActs } from "./tokens.ts";
import { v2Acts } from "./v2.ts";
import { v3PoolActs } from "./v3-pools.ts";
import { v3PositionActs } from "./v3-positions.ts";
import { v3SwapActs } from "./v3-swaps.ts";
import type { Act } from "./world.ts";

export const acts: readonly Act[] = [
  ...tokenActs,
  ...hostileActs,
  ...v3PoolActs,
  ...v3PositionActs,
  ...v3SwapActs,
  ...v2Acts,
  ...protocolActs,
];
