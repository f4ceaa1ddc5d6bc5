// The providers of all chains served, with what is remembered of them between quotes. One for each service.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { Service } from "../context.ts";
import { memoPerObject } from "../memo-per-object.ts";
import type { QuoteSettings } from "../quote-settings.ts";
import { openLine, type ProviderLine } from "./ask-provider.ts";
import { FinishingTime } from "./finishing-time.ts";
import { MarketReader } from "./market-reader.ts";
import { providerNamed } from "./registry.ts";
import { readQuoteSettings } from "./settings.ts";

interface Aggregator {
  settings: QuoteSettings;
  /** External providers that a chain file lists, by the name it gives them. */
  lines(chain: ChainFile): ReadonlyMap<string, ProviderLine>;
  reader(chain: ChainFile): MarketReader;
  /** Of all quotes together: they share one processor. */
  finishing: FinishingTime;
}

function openAggregator(service: Service): Aggregator {
  const { chains, quotes } = service;
  const settings =
    quotes ??
    readQuoteSettings(
      {},
      chains.map(({ chainId }) => chainId),
    );
  const byChain = new Map(chains.map((chain) => [chain.chainId, linesOf(chain, settings)]));
  const readers = new Map<number, MarketReader>();
  return {
    settings,
    finishing: new FinishingTime(),
    lines: ({ chainId }) => byChain.get(chainId) ?? new Map(),
    reader(chain) {
      const reader = readers.get(chain.chainId) ?? new MarketReader(service, chain);
      readers.set(chain.chainId, reader);
      return reader;
    },
  };
}

function linesOf(chain: ChainFile, settings: QuoteSettings): ReadonlyMap<string, ProviderLine> {
  return new Map(
    chain.providers.flatMap(({ name }) => {
      const provider = name === chain.ownRouterName ? undefined : providerNamed(name);
      if (!provider) return [];
      const parts = { name, chain: chain.name, provider, settings: settings.of(provider, chain.chainId) };
      return [[name, openLine(parts, settings)] as const];
    }),
  );
}

export const aggregatorOf = memoPerObject(openAggregator);
