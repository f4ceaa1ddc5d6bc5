// Every protocol whose contracts hold tokens for others.
import { v2 } from "../v2/backing.ts";
import { v3 } from "../v3/backing.ts";
import type { Protocol } from "./protocol.ts";

export const protocols: readonly Protocol[] = [v3, v2];
