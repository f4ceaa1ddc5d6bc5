// Every additive ledger there is. The fold reads this list, in batches and block by block.
import type { AdditiveLedger } from "./additive-ledger.ts";
import { erc20 } from "./erc20.ts";
import { launchPools } from "./launch-pool.ts";
import { stakes } from "./stake.ts";
import { v2Pairs } from "./v2-pair.ts";
import { v3Reserve } from "./v3-reserve.ts";
import { vaults } from "./vault.ts";

export const ledgers: readonly AdditiveLedger[] = [erc20, v3Reserve, v2Pairs, vaults, stakes, launchPools];

/** Those in which facts of the tables `touched` change something. */
export const ledgersMovedBy = (touched: ReadonlySet<string>): readonly AdditiveLedger[] =>
  ledgers.filter(({ facts, joined = [] }) => facts.some((table) => touched.has(table) && !joined.includes(table)));
