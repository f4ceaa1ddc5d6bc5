// No provider gave a quote: the cause decides the status.
import { GatewayError } from "../errors.ts";
import type { Outcome } from "./ask-provider.ts";

/** What answers may say about a provider that gave nothing; its own words only where the request has `debug`. */
export const explained = ({ name, status, message }: Outcome, debug: boolean) => ({
  ...{ provider: name, status },
  ...(debug && message !== undefined ? { message } : {}),
});

const FAILURES: readonly Outcome["status"][] = ["timeout", "error", "rate_limited"];

/**
 * 502 when those who could have answered all failed to; 404 when somebody says that there is no route, or nobody could be
 * asked.
 */
export function noOffer(outcomes: readonly Outcome[], debug: boolean): GatewayError {
  const details = { providers: outcomes.map((outcome) => explained(outcome, debug)) };
  const hasAnswer = outcomes.some(({ status }) => status === "no_route");
  const hasFailure = outcomes.some(({ status }) => FAILURES.includes(status));
  if (hasFailure && !hasAnswer) return new ProvidersFailedError(details);
  return new NoOfferError(details);
}

class NoOfferError extends GatewayError {
  override name = "NoOfferError";

  constructor(details: Record<string, unknown>) {
    super("No provider has a route for this pair and amount. Ask for a smaller amount or name other providers.", {
      code: "NO_ROUTE",
      status: 404,
      details,
    });
  }
}

class ProvidersFailedError extends GatewayError {
  override name = "ProvidersFailedError";

  constructor(details: Record<string, unknown>) {
    super("All providers that were asked failed to answer. Retry in a few seconds or name other providers.", {
      code: "PROVIDERS_FAILED",
      status: 502,
      details,
      retryAfterSeconds: 2,
    });
  }
}
