// A route in one line: `[V3] 70.00% = A -- 0.05% [0xpool] --> B, [V2] 30.00% = A -- 0.3% [0xpair] --> B`
import type { Protocol } from "../../core/router/request.ts";
import type { Hop, Leg } from "../../core/router/route.ts";
import type { Address } from "../parameters.ts";
import type { RouteToken } from "./router-state.ts";

const tags: Record<Protocol, string> = { v2: "V2", v3: "V3", mixed: "V2 + V3" };

/** A token without a symbol is shown by its address. */
export const routeText = (legs: readonly Leg[], tokens: ReadonlyMap<Address, RouteToken>): string =>
  legs.map((leg) => legText(leg, (token) => tokens.get(token as Address)?.symbol ?? token)).join(", ");

function legText({ protocol, percentHundredths, hops }: Leg, nameOf: (token: string) => string): string {
  const start = hops.slice(0, 1).map(({ tokenIn }) => nameOf(tokenIn));
  const steps = hops.map((hop) => `${poolText(hop)} --> ${nameOf(hop.tokenOut)}`);
  return `[${tags[protocol]}] ${(percentHundredths / 100).toFixed(2)}% = ${[...start, ...steps].join("")}`;
}

const poolText = ({ pool }: Hop): string => ` -- ${pool.fee / 10_000}% [${pool.address}]`;
