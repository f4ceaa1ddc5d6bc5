// Every fact table, in the order of ponder.schema.ts. Ponder locks them in that order, so everyone who reads them does
// too: the fold and the gateway take this list.

export const factTables: readonly string[] = ["block", "erc20_transfer", "weth9_deposit", "weth9_withdrawal"];
