// How many hold a token at a block.

import { lookThrough } from "../balances/look-through.ts";
import { withParts } from "../balances/shared-holdings.ts";
import { sharedTotals } from "../balances/shared-parts.ts";
import type { Operation } from "../context.ts";
import type { BlockChoice } from "../history/block-point.ts";
import { holdersAt } from "../history/holdings-at.ts";
import { requireSoundLedger } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type LocatedToken, locateToken } from "./locate-token.ts";

export interface HoldersCount {
  located: LocatedToken;
  /** Addresses whose own wallet is not empty: contracts too, the zero address not. */
  wallets: number;
  /** Accounts with a total above zero, as `balances` lists them: contracts are replaced by who stands behind them. */
  holders: number;
}

/** @throws what locateToken throws; TokenNotStandardError; UnavailableError while an issuer cannot be told yet */
export const holdersCount: Operation<{ token: Address; block: BlockChoice }, HoldersCount> = {
  name: "holdersCount",
  async run(input, context) {
    const located = await locateToken(context, input);
    const { point, token } = located;
    requireSoundLedger(token, point);
    const { fold } = context.snapshot.schemas;
    const place = { fold, assetId: token.assetId, block: point.block };
    const wallets = holdersAt(place);
    const through = await lookThrough(context, { token: input.token, point, place }, { isWhole: false });
    const { issuerAddresses } = through;
    const holders = withParts(wallets, { issuerAddresses, parts: sharedTotals(through) });
    const [row] = await context.snapshot.rows<{ wallets: number; holders: number }>(
      `select (select count(*)::int from (${wallets.text}) w) as wallets,
              (select count(*)::int from (${holders.text}) h) as holders`,
      holders.parameters,
    );
    return { located, wallets: row?.wallets ?? 0, holders: row?.holders ?? 0 };
  },
};
