// Why there is no route, as far as the index knows.
import { GatewayError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import type { RouterState } from "./router-state.ts";

/** Undefined where a smaller amount may have one. */
export function whyNoRoute({ taxed }: Pick<RouterState, "taxed">, tokens: readonly Address[]): string | undefined {
  const token = tokens.find((address) => taxed.has(address));
  return token && `${token} takes a fee on transfer`;
}

/** 404. No route takes the whole amount. */
export class NoRouteError extends GatewayError {
  override name = "NoRouteError";

  constructor(detail: string, block: number) {
    super(detail, { code: "NO_ROUTE", status: 404, details: { block } });
  }
}
