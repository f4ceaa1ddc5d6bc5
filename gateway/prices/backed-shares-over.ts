// What stands behind all shares of one contract at many blocks, as the contract counts, without any price.
import { ledgerAt } from "../backing/ledger-at.ts";
import { brokenLedgers } from "../backing/stopped.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { requireTime } from "../history/require-time.ts";
import { readTogether } from "../history/shared-statements.ts";
import { unknownAmong } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { allPairs } from "../protocols/v2/pairs-at.ts";
import { islandShares } from "./island-shares.ts";
import { pairShares } from "./pair-shares.ts";
import { soundShares } from "./share.ts";
import { announcedBaults, everyVault, vaultShares } from "./vault-shares.ts";

export interface BackedAt {
  point: BlockPoint;
  supply: bigint;
  /** The contract exists, whether its state is known or not. */
  isShare: boolean;
  /** Raw units behind the whole supply. */
  parts: readonly { token: Address; amount: bigint }[];
}

/** Blocks that are read at once. */
const BLOCKS_TOGETHER = 25;

/** At each of `points`, which ascend. @throws RequestTooLongError */
export async function backedSharesOver(
  context: OperationContext,
  points: readonly BlockPoint[],
  share: Address,
): Promise<BackedAt[]> {
  const last = points.at(-1);
  if (!last) return [];
  const pairs = (await allPairs(context, last)).filter(({ address }) => address === share);
  const announced = (await announcedBaults(context, last)).filter((vault) => vault.share === share);
  const found: BackedAt[] = [];
  for (let i = 0; i < points.length; i += BLOCKS_TOGETHER) {
    requireTime(context);
    const some = await readTogether(context, points.slice(i, i + BLOCKS_TOGETHER), async (point) => {
      const ledger = ledgerAt(context, point);
      const existing = pairs.filter(({ createdBlock }) => createdBlock <= point.block);
      const vaults = everyVault(context.chain, announced, point.block).filter((vault) => vault.share === share);
      const broken = await brokenLedgers(asOf(context.snapshot, point));
      const [ofPairs, ofIslands, ofVaults, [supply = 0n]] = await Promise.all([
        pairShares(ledger, existing, new Map()),
        islandShares(context, { point, ledger, means: new Map(), islands: [share] }),
        vaultShares(ledger, vaults, broken),
        ledger.supplies([share]),
      ]);
      const shares = [...ofPairs, ...ofIslands, ...ofVaults];
      const tokens = shares.flatMap(({ parts }) => parts.map(({ token }) => token));
      const states = await readTokens(context, [share, ...tokens]);
      const [backed] = soundShares(shares, unknownAmong(states, { chain: context.chain, point }));
      // a share whose backing is unknown has itself as its only part: see unknownShare
      const parts = backed?.parts.filter(({ token }) => token !== share) ?? [];
      return { point, supply, isShare: backed !== undefined, parts };
    });
    found.push(...some);
  }
  return found;
}
