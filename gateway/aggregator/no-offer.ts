// No provider gave a quote: the cause decides the status.
import { GatewayError } from "../errors.ts";
import type { Outcome } from "./ask-provider.ts";

/** What answers may say about a provider that gave nothing; its own words only where the request has `debug`. */
const explained = ({ name, status, message }: Outcome, debug: boolean) => ({
  provider: name,
  status,
  ...(debug && message !== undefined ? { message } : {}),
});

/** The question was not put to the provider at all. */
const NOT_PUT: readonly Outcome["status"][] = ["skipped", "unsupported"];
const FAILURES: readonly Outcome["status"][] = ["timeout", "error", "rate_limited"];

/**
 * 404 when somebody says that there is no route, or none can have one. 502 when nobody says so and somebody failed to answer, is left
 * alone after failing, or nobody that is set up can be asked.
 */
export function noOffer(outcomes: readonly Outcome[], debug: boolean): GatewayError {
  const details = { providers: outcomes.map((outcome) => explained(outcome, debug)) };
  const refusing = outcomes.filter(({ status }) => status === "no_route");
  if (refusing.length > 0) {
    const reason = refusing.find((one) => one.reason !== undefined)?.reason;
    if (reason === undefined) return new NoOfferError(details);
    return new NoOfferError(details, {
      why: `: ${reason}, which our own router does not swap`,
      way: "Name another token or other providers.",
    });
  }
  if (outcomes.some(({ status }) => FAILURES.includes(status))) return new ProvidersFailedError(details);
  const pauses = outcomes.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  if (pauses.length > 0) return new ProvidersLeftAloneError(details, Math.min(...pauses));
  const areMissing = outcomes.some(({ status }) => status === "skipped");
  if (areMissing && outcomes.every(({ status }) => NOT_PUT.includes(status)))
    return new ProvidersMissingError(details, outcomes);
  if (outcomes.some(({ status }) => status === "unsupported"))
    return new NoOfferError(details, {
      why: ": those named have no quotes for a fixed output",
      way: "Name other providers, or ask with type=exactIn.",
    });
  return new NoOfferError(details);
}

class NoOfferError extends GatewayError {
  override name = "NoOfferError";

  constructor(
    details: Record<string, unknown>,
    { why, way } = { why: "", way: "Ask for a smaller amount or name other providers." },
  ) {
    super(`No provider has a route for this pair and amount${why}. ${way}`, { code: "NO_ROUTE", status: 404, details });
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

class ProvidersLeftAloneError extends GatewayError {
  override name = "ProvidersLeftAloneError";

  constructor(details: Record<string, unknown>, pauseMs: number) {
    const retryAfterSeconds = Math.max(1, Math.ceil(pauseMs / 1_000));
    super(
      `Providers are left alone for a while after failing several times. Retry in ${retryAfterSeconds} s or name other providers.`,
      { code: "PROVIDERS_FAILED", status: 502, details, retryAfterSeconds },
    );
  }
}

class ProvidersMissingError extends GatewayError {
  override name = "ProvidersMissingError";

  constructor(details: Record<string, unknown>, outcomes: readonly Outcome[]) {
    const missing = outcomes.map(({ name, message }) => `${name}: ${message}`).join(", ");
    super(`Nobody could be asked (${missing}). Name other providers, or ask the operator.`, {
      code: "PROVIDERS_FAILED",
      status: 502,
      details,
    });
  }
}
