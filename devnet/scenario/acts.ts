// The registry: every act of every protocol, in the order they are performed within a step.
import { hostileActs } from "./hostile.ts";
import { tokenActs } from "./tokens.ts";
import type { Act } from "./world.ts";

export const acts: readonly Act[] = [...tokenActs, ...hostileActs];
