// Where ERC-20 facts come from. Spread into ponder.config.ts.
import { erc20Abi } from "../../../abis/erc20.ts";
import { weth9Abi } from "../../../abis/weth9.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { at } from "../../source-address.ts";

/**
 * `Erc20` is chain-wide where all tokens are tracked: a factory source would drop what a token did before it was
 * announced. `Weth9` is never chain-wide: other contracts' Deposit events share its topic and mint nothing.
 */
export function erc20Contracts({ startBlock, tokens, weth9 }: Indexing) {
  return {
    Erc20: { abi: erc20Abi, chain: "chain", startBlock, ...(tokens === "all" ? {} : { address: [...tokens] }) },
    Weth9: { abi: weth9Abi, chain: "chain", ...at({ addresses: weth9, startBlock }) },
  } as const;
}
