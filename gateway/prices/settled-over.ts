// Prices of shares and of tokens on a curve at many blocks. Only the shares that matter are read, and each step of that is
// one statement for several blocks; what pools and curves say is read for all blocks at once.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ledgerAt } from "../backing/ledger-at.ts";
import { brokenLedgers } from "../backing/stopped.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint, TimedPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { requireTime } from "../history/require-time.ts";
import { readTogether } from "../history/shared-statements.ts";
import { brokenAmong, type TokenState, unknownAmong } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { allIslands } from "../protocols/island/islands-at.ts";
import type { V2Pair } from "../protocols/v2/pairs-at.ts";
import { runningCurvesOver, soundCurves } from "./curves.ts";
import { islandShares } from "./island-shares.ts";
import { pairShares } from "./pair-shares.ts";
import { type PoolsOver, readPools } from "./pool-prices-over.ts";
import type { TokenPrice } from "./price.ts";
import { ofThose } from "./price-book.ts";
import { decimalsOf, pricedAs, settlePrices } from "./settle-prices.ts";
import { soundShares } from "./share.ts";
import { announcedBaults, everyVault, type Vault, vaultShares } from "./vault-shares.ts";

/** Blocks whose shares are read at once. */
const BLOCKS_TOGETHER = 25;

/**
 * What `pricesAt` says of `tokens` at each of `points`, which ascend; by block.
 * @throws RequestTooLongError
 */
export async function settledOver(
  context: OperationContext,
  points: readonly TimedPoint[],
  tokens: readonly Address[],
): Promise<ReadonlyMap<number, ReadonlyMap<Address, TokenPrice>>> {
  const found = new Map<number, ReadonlyMap<Address, TokenPrice>>();
  const last = points.at(-1);
  if (!last || tokens.length === 0) return found;
  const { chain } = context;
  const pools = await readPools(context, points);
  const behind = await readSharesBehind(context, { last, pairs: pools.pairs, tokens });
  const curvesAt = await runningCurvesOver(context, points);
  const sold = points.flatMap(({ block }) => curvesAt(block)).flatMap(({ token, base }) => [token, base]);
  const named = [...new Set([...behind.tokens, ...sold])];
  const states = await readTokens(context, named);
  const decimals = new Map([...pools.terms.decimals, ...decimalsOf(chain, states)]);
  for (let i = 0; i < points.length; i += BLOCKS_TOGETHER) {
    requireTime(context);
    const markets = await readTogether(context, points.slice(i, i + BLOCKS_TOGETHER), (point) =>
      sharesAt(context, { point, pools, behind, states }),
    );
    for (const { point, ...market } of markets) {
      const { block } = point;
      const curves = soundCurves(curvesAt(block), brokenAmong(states, { block, finalized: block }));
      const { prices } = settlePrices(chain, { ...market, curves, decimals });
      found.set(block, ofThose(tokens, prices));
      // others get their turn between two
      await nextTurn();
    }
  }
  return found;
}

interface SharesInput {
  point: TimedPoint;
  pools: PoolsOver;
  behind: SharesBehind;
  /** Of the shares and all that stands behind them. */
  states: readonly TokenState[];
}

/** All of the market but its curves. */
async function sharesAt(context: OperationContext, { point, pools, behind, states }: SharesInput) {
  const { block } = point;
  const { all, sound } = pools.meansAt(point);
  const means = new Map(all.map(({ address, price }) => [address, price]));
  const ledger = ledgerAt(context, point);
  const pairs = behind.pairs.filter(({ createdBlock }) => createdBlock <= block);
  const issued = [...behind.shares];
  const broken = await brokenLedgers(asOf(context.snapshot, point));
  const [ofPairs, ofIslands, ofVaults, supplies] = await Promise.all([
    pairShares(ledger, pairs, means),
    islandShares(context, { point, ledger, means, islands: behind.islands }),
    vaultShares(ledger, behind.vaults(block), broken),
    ledger.supplies(issued),
  ]);
  const shares = soundShares(
    [...ofPairs, ...ofIslands, ...ofVaults],
    unknownAmong(states, { chain: context.chain, point }),
  );
  return { point, pools: sound, shares, supplies: new Map(issued.map((share, i) => [share, supplies[i] ?? 0n])) };
}

/** Which shares decide what some tokens are worth: themselves, if they are any, and those that stand behind them. */
interface SharesBehind {
  shares: ReadonlySet<Address>;
  pairs: readonly V2Pair[];
  islands: readonly Address[];
  vaults(block: number): Vault[];
  /** The shares and all that stands behind them. */
  tokens: ReadonlySet<Address>;
}

/** Of all shares that there are at `last`. */
async function readSharesBehind(
  context: OperationContext,
  { last, pairs, tokens }: { last: BlockPoint; pairs: readonly V2Pair[]; tokens: readonly Address[] },
): Promise<SharesBehind> {
  const { chain } = context;
  const islands = chain.islands ? await allIslands(asOf(context.snapshot, last)) : [];
  const announced = await announcedBaults(context, last);
  const parts = new Map<Address, Address[]>();
  const add = (share: Address, behind: readonly Address[]) =>
    parts.set(share, [...(parts.get(share) ?? []), ...behind]);
  for (const { address, token0, token1 } of [...pairs, ...islands]) add(address, [token0, token1]);
  for (const { share, asset } of announced) add(share, [asset]);
  for (const { address, asset } of chain.externalVaults) add(address, [asset]);
  const found = new Set(tokens.flatMap((token) => [token, pricedAs(chain, token) as Address]));
  // what is added meanwhile is walked too
  for (const token of found) for (const part of parts.get(token) ?? []) found.add(part);
  const isMeant = (share: Address) => found.has(share);
  return {
    shares: new Set([...found].filter((token) => parts.has(token))),
    pairs: pairs.filter(({ address }) => isMeant(address)),
    islands: islands.flatMap(({ address }) => (isMeant(address) ? [address] : [])),
    vaults: (block) => everyVault(chain, announced, block).filter(({ share }) => isMeant(share)),
    tokens: found,
  };
}
