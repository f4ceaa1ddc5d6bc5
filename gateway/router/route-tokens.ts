// Symbols and decimals of tokens, read once: they do not change with the block.
import type { OperationContext } from "../context.ts";
import { readTokens } from "../ledger/token-state.ts";
import type { Address } from "../parameters.ts";
import type { RouterState, RouteToken } from "./router-state.ts";

/** `addresses` by address. What has not been read from the chain yet is taken from the chain file, where it is there. */
export async function routeTokens(
  { chain, snapshot }: OperationContext,
  state: Pick<RouterState, "tokens">,
  addresses: readonly Address[],
): Promise<Map<Address, RouteToken>> {
  const tokens = new Map<Address, RouteToken>();
  const missing = new Set<Address>();
  for (const address of addresses) {
    const known = state.tokens.get(address);
    if (known) tokens.set(address, known);
    else missing.add(address);
  }
  if (missing.size === 0) return tokens;
  for (const { address, metadata } of await readTokens(snapshot, chain.chainId, [...missing])) {
    const listed = chain.knownTokens.find((token) => token.address === address);
    const symbol = metadata?.symbol ?? listed?.symbol;
    const decimals = metadata ? metadata.decimals : listed?.decimals;
    const token: RouteToken = { address, symbol, decimals, isUnread: metadata === undefined };
    tokens.set(address, token);
    if (metadata && decimals !== undefined) state.tokens.set(address, token);
  }
  return tokens;
}
