// Where ERC-20 facts come from. Spread into ponder.config.ts.
import { erc20Abi } from "../../../abis/erc20.ts";
import { weth9Abi } from "../../../abis/weth9.ts";
import type { Indexing } from "../../../chains/indexing.ts";

/**
 * `Erc20` is chain-wide where all tokens are tracked: a factory source would drop what a token did before it was
 * announced. `Weth9` is never chain-wide: other contracts' Deposit events share its topic and mint nothing.
 */
export function erc20Contracts(indexing: Indexing) {
  const { startBlock, tokens, weth9 } = indexing;
  return {
    Erc20: { abi: erc20Abi, chain: "chain", startBlock, ...(tokens === "all" ? {} : { address: [...tokens] }) },
    Weth9: {
      abi: weth9Abi,
      chain: "chain",
      // With no weth9-flavoured token the source must still exist for its handlers; nothing is at this address.
      address: weth9.length > 0 ? [...weth9] : ["0x00000000000000000000000000000000000000ff" as const],
      startBlock,
    },
  } as const;
}
