// What quotes go by, as the environment says it.
import type { Address } from "./parameters.ts";

export interface ProviderSettings {
  url: string | undefined;
  apiKey: string | undefined;
  /** Undefined: any contract that is not one of ours or a token. */
  targets: readonly Address[] | undefined;
  requestsPerSecond: number;
  /** Why it cannot be asked; undefined when it can. */
  missing: string | undefined;
}

/** Nothing in it is secret. */
interface ProviderDefect {
  chain: string;
  provider: string;
  /** Name and message, cleaned. */
  error: string;
  /** Where in our code, the innermost place first. */
  at: readonly string[];
}

export interface QuoteSettings {
  /** For a whole answer. */
  timeoutMs: number;
  /** For one provider, all its calls together. */
  providerTimeoutMs: number;
  /** Most requests under way at one provider. */
  concurrency: number;
  /** How long a provider is left alone after failing several times; longer when it goes on failing. */
  pauseMs: number;
  /** A quote better than our own prices by more than this many percent is not believed. */
  mostAdvantagePercent: number;
  /** USD in digits: nobody is waited for when less than this could be won. */
  worthWaitingUsd: string;
  /** Called for errors in our own code that reads a provider's answers; answers say only that there is no quote. */
  onDefect?(defect: ProviderDefect): void;
  /** Node that winners are tried out on before they are answered; undefined: they are not. */
  simulationUrl(chainId: number): string | undefined;
  of(provider: { readonly name: string }, chainId: number): ProviderSettings;
}
