// What stood behind one whole share of a pool, an island or a vault at several blocks of a range.

import { z } from "zod";
import type { Operation } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import type { BlockPoint } from "../history/point.ts";
import { requireSoundLedger, type TokenState } from "../history/token-state.ts";
import { type Address, wholeNumber } from "../parameters.ts";
import { backedSharesOver } from "../prices/backed-shares-over.ts";
import { type SpreadInput, spreadRange } from "./locate-range.ts";

export const MOST_SHARE_POINTS = 100;
export const sharePoints = z.object({ points: wholeNumber(1, MOST_SHARE_POINTS) });

interface SharePart {
  token: Address;
  /** Raw units behind all shares, as the contract counts. */
  amount: bigint;
  /** Raw units behind one whole share, rounded down; undefined where there is no share, or its decimals are unknown. */
  perShareRoundedDown: bigint | undefined;
}

interface ShareMoment {
  point: BlockPoint;
  supply: bigint;
  /** Empty before the share's contract existed, and while its state is unknown. */
  parts: readonly SharePart[];
}

interface ShareHistory {
  token: TokenState;
  entries: readonly ShareMoment[];
}

/**
 * `token`: the share. `points`: at most {@link MOST_SHARE_POINTS}.
 * @throws InvalidInputError naming `share`; TokenNotStandardError; what spreadRange throws
 */
export const shareHistory: Operation<SpreadInput, ShareHistory> = {
  name: "shareHistory",
  async run(input, context) {
    const { located, sampled } = await spreadRange(context, input);
    const { token } = located;
    // a break within the range is at or below its last block
    requireSoundLedger(token, located.point);
    const backed = await backedSharesOver(context, sampled, token.address);
    if (!backed.some(({ isShare }) => isShare)) {
      throw new InvalidInputError("share", "is no share of a v2 pair, an island or a vault of one asset in this range");
    }
    const decimals = token.metadata?.decimals;
    const entries = backed.map(({ point, supply, parts }) => ({
      point,
      supply,
      parts: parts.map(({ token: part, amount }) => ({
        token: part,
        amount,
        perShareRoundedDown:
          supply > 0n && decimals !== undefined ? (amount * 10n ** BigInt(decimals)) / supply : undefined,
      })),
    }));
    return { token, entries };
  },
};
