// What a running product knows about, so that random questions are mostly about something.
import type { Address } from "../../gateway/parameters.ts";

/** A request without its host. */
export interface RelativeRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** Sends a request to the product, over a socket or in one process. */
export type Ask = (request: RelativeRequest) => Promise<Response>;

export interface SampleValues {
  chainId: number;
  nativeSymbol: string;
  firstBlock: number;
  lastBlock: number;
  lastTimestamp: number;
  tokens: readonly string[];
  /** Tokens of markets. */
  traded: readonly string[];
  /** The two tokens of each market. */
  pairs: readonly (readonly [string, string])[];
  accounts: readonly string[];
  pools: readonly string[];
  /** Share tokens. */
  vaults: readonly string[];
  /** Launched tokens and their pools. */
  launches: readonly string[];
}

interface Found {
  data: {
    status: { chainId: number; firstBlock: number; lastSyncedBlock: number; lastSyncedTimestamp: number };
    tokens: { nodes: { address: Address }[] };
    facts: {
      markets: { nodes: { address: Address; token0: Address; token1: Address }[] };
      transfers: { nodes: { from: Address; to: Address }[] };
      stakes: { nodes: { account: Address }[] };
    };
  };
}

const QUESTION = `{
  status { chainId firstBlock lastSyncedBlock lastSyncedTimestamp }
  tokens(first: 100) { nodes { address } }
  facts {
    markets(first: 100) { nodes { address token0 token1 } }
    transfers(first: 200) { nodes { from to } }
    stakes(first: 50) { nodes { account } }
  }
}`;

const distinct = (list: readonly string[]): string[] => [...new Set(list)];

/** @throws Error when the product does not answer yet */
export async function readSampleValues(ask: Ask): Promise<SampleValues> {
  const { data } = await askJson<Found>(ask, {
    method: "POST",
    path: "/graphql",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: QUESTION }),
  });
  const { chainId, firstBlock, lastSyncedBlock, lastSyncedTimestamp } = data.status;
  const get = <T>(path: string) => askJson<T>(ask, { method: "GET", path, headers: {} });
  const vaults = await get<{ data: { id: string }[] }>(`/vaults?chainId=${chainId}&limit=50`);
  const launches = await get<{ data: { id: string; poolAddress: string }[] }>(`/launch/${chainId}/tokens?limit=50`);
  const { markets, transfers, stakes } = data.facts;
  return {
    chainId,
    nativeSymbol: "BERA",
    firstBlock,
    lastBlock: lastSyncedBlock,
    lastTimestamp: lastSyncedTimestamp,
    tokens: data.tokens.nodes.map(({ address }) => address),
    traded: distinct(markets.nodes.flatMap(({ token0, token1 }) => [token0, token1])),
    pairs: markets.nodes.map(({ token0, token1 }) => [token0, token1]),
    accounts: distinct([
      ...transfers.nodes.flatMap(({ from, to }) => [from, to]),
      ...stakes.nodes.map(({ account }) => account),
    ]),
    pools: markets.nodes.map(({ address }) => address),
    vaults: vaults.data.map(({ id }) => id),
    launches: distinct(launches.data.flatMap(({ id, poolAddress }) => [id, poolAddress])),
  };
}

async function askJson<T>(ask: Ask, request: RelativeRequest): Promise<T> {
  const response = await ask(request);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${request.path} answers ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}
