// Symbols and decimals of tokens, read once: they do not change with the block.
import { type AnswerPlace, NOW } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { readTokens } from "../history/read-tokens.ts";
import type { Address } from "../parameters.ts";
import type { RouterPlace } from "./place.ts";
import type { RouteToken } from "./router-state.ts";

/** Tokens whose contracts have been read, with decimals. */
const tokenNames = question<RouteToken>("route-tokens");
const placeOf = (token: Address): AnswerPlace => ({ at: NOW, key: token });

export const storedRouteToken = ({ cache }: Pick<RouterPlace, "cache">, token: Address): RouteToken | undefined =>
  cache.get(tokenNames, placeOf(token));

/** `addresses` by address. What has not been read from the chain yet is taken from the chain file, where it is there. */
export async function routeTokens(
  context: OperationContext,
  place: Pick<RouterPlace, "cache">,
  addresses: readonly Address[],
): Promise<Map<Address, RouteToken>> {
  const { chain } = context;
  const tokens = new Map<Address, RouteToken>();
  const missing = new Set<Address>();
  for (const address of addresses) {
    const stored = storedRouteToken(place, address);
    if (stored) tokens.set(address, stored);
    else missing.add(address);
  }
  if (missing.size === 0) return tokens;
  for (const { address, assetId, metadata } of await readTokens(context, [...missing])) {
    const listed = chain.knownTokens.find((token) => token.address === address);
    const symbol = metadata?.symbol ?? listed?.symbol;
    const decimals = metadata ? metadata.decimals : listed?.decimals;
    const token: RouteToken = {
      address,
      symbol,
      decimals,
      isUnread: metadata === undefined,
      isUntracked: assetId === undefined,
    };
    tokens.set(address, token);
    if (metadata && decimals !== undefined) place.cache.set(tokenNames, placeOf(address), token);
  }
  return tokens;
}
