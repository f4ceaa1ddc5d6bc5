// Every pool of the list at a block, appraised: worked out once for a block and stored, whichever part of it requests want.

import { ledgerAt } from "../backing/ledger-at.ts";
import { brokenLedgers } from "../backing/stopped.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { isMetadataPending, isSeenBy, type TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import type { TokenPrice } from "../prices/price.ts";
import { priceBook, pricesAt, unpricedBehind } from "../prices/price-book.ts";
import { farmsAt } from "../protocols/farm/settings-at.ts";
import { readVaults } from "./announced.ts";
import { appraise, type Market } from "./appraise.ts";
import { type BaultAt, baultsAt } from "./baults-at.ts";
import { readEmissions, readWhitelisted } from "./emissions.ts";
import { readIncentives } from "./incentives-left.ts";
import { poolsOfList } from "./pools-of-list.ts";
import { type StakeContract, type StakeFacts, stakeContracts, stoppedByShare } from "./stake-contracts.ts";
import { trailingWeek } from "./trailing-week.ts";
import type { VaultPool, VaultRecord } from "./vault-record.ts";

export interface VaultsAt {
  /** Islands, then pairs, each in order of creation. */
  vaults: readonly VaultRecord[];
  /** All baults, those over other tokens too. */
  baults: readonly BaultAt[];
  /** Of every token that a record or bault names. */
  tokens: ReadonlyMap<Address, TokenState>;
  prices: ReadonlyMap<Address, TokenPrice>;
}

const vaultsOfBlock = question<VaultsAt & { isFinal: boolean }>("vaults", { isLasting: ({ isFinal }) => isFinal });

/** @throws UnavailableError while something that all of it needs is not known yet */
export async function vaultsAt(context: OperationContext, point: BlockPoint): Promise<VaultsAt> {
  const { cache, state } = context.snapshot;
  return cache.of(vaultsOfBlock, { at: point.hash, key: "", revision: state.revision }, () => workOut(context, point));
}

async function workOut(context: OperationContext, point: BlockPoint): Promise<VaultsAt & { isFinal: boolean }> {
  const { chain, snapshot } = context;
  const [week, broken] = await Promise.all([trailingWeek(snapshot, point), brokenLedgers(asOf(snapshot, point))]);
  const range = { after: week.after, upTo: point.block };
  // none of them needs what another one reads
  const [[vaults, baults], farms, emissions, incentives, whitelisted, pools, book] = await Promise.all([
    readVaults(snapshot, point.block).then(
      async (all) => [all, await baultsAt(context, week, { vaults: all, broken })] as const,
    ),
    farmsAt(snapshot, point.block),
    readEmissions(snapshot, range),
    readIncentives(snapshot, point.block),
    readWhitelisted(snapshot, chain, point.block),
    poolsOfList(context, week, broken),
    priceBook(context, point),
  ]);
  const facts: StakeFacts = {
    vaults,
    farms,
    emissions,
    incentives,
    whitelisted,
    rewardToken: (chain.rewardVaults?.distributor && chain.rewardVaults.rewardToken) ?? undefined,
    timestamp: week.end.timestamp,
  };
  const addresses = new Set(pools.map(({ address }) => address));
  const ledger = ledgerAt(context, point);
  const [contracts, stopped] = await Promise.all([
    stakeContracts(facts, ledger, { pools: addresses, baults, broken }),
    stoppedByShare(ledger, broken, { pools: addresses, baults, listed: chain.externalVaults }),
  ]);
  const market = await marketOf(context, point, { pools, baults, contracts });
  const { tokens, prices } = market;
  const around = { ...market, chain, at: point, timestamp: week.end.timestamp, contracts, baults, stopped };
  const isFinal = book.isFinal && ![...tokens.values()].some(isMetadataPending);
  return { vaults: pools.map((pool) => appraise(pool, around)), baults, tokens, prices, isFinal };
}

/** Prices and metadata of every token that is shown. */
async function marketOf(
  context: OperationContext,
  point: BlockPoint,
  shown: { pools: readonly VaultPool[]; baults: readonly BaultAt[]; contracts: readonly StakeContract[] },
): Promise<Market> {
  const named = [
    ...shown.pools.flatMap(({ address, token0, token1 }) => [address, token0, token1]),
    ...shown.baults.flatMap(({ bault, asset }) => [bault, asset]),
    ...shown.contracts.flatMap(({ stakingToken, pays }) => [stakingToken, ...(pays ?? []).map(({ token }) => token)]),
  ];
  const addresses = [...new Set(named)];
  const states = await readTokens(context, addresses);
  const seen = states.flatMap((state) => (isSeenBy(state, point.block) ? [state.address] : []));
  return {
    prices: await pricesAt(context, point, seen),
    tokens: new Map(states.map((state) => [state.address, state])),
    unpricedBehind: await unpricedBehind(context, point, addresses),
  };
}
