// The chain file of the trials: only ERC-20s, with one wrapped native that logs Deposit and Withdrawal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { trialTokens } from "./trial-chain.ts";

export const TRIAL_CHAIN_ID = 31337;

/** Writes it into `folder` and returns its path, which CHAIN takes. */
export function writeTrialChainFile(folder: string): string {
  const path = join(folder, "trial.json");
  const chain = {
    name: "trial",
    chainId: TRIAL_CHAIN_ID,
    nativeSymbol: "ETH",
    wrappedNative: { address: trialTokens.weth, symbol: "WETH", flavour: "weth9" },
    startBlock: 0,
    pollingIntervalMs: 100,
    tokens: "all",
    v2: null,
    v3: null,
    islands: null,
    rewardVaults: null,
    farms: null,
    baults: null,
    infrared: null,
    launch: null,
    aggregator: null,
    ownRouterName: "trial",
    providers: [],
    lake: { segmentBlocks: 10, segmentTransfers: 100 },
  };
  writeFileSync(path, JSON.stringify(chain));
  return path;
}
