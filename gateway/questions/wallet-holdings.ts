// What some accounts have of a token in their wallets, where it can be decided here which of them are contracts that hold for
// others: one short statement, and the answer is put together in this process.

import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { fewIssuers } from "../balances/few-issuers.ts";
import type { LookedThrough } from "../balances/look-through.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { HoldingsPoint } from "../history/holdings-at.ts";
import { walletAmounts } from "../history/wallet-amounts.ts";
import type { Address } from "../parameters.ts";
import type { LocatedToken } from "./locate-token.ts";

/** `own`: raw units in the wallet; an issuer has nothing itself. */
export interface WalletHolding {
  account: Address;
  own: bigint;
  isIssuer: boolean;
}

/** The zero address is nobody's account. */
/** More are better read as rows than as one text. */
const MOST_READ = 2_000;

interface Place {
  located: LocatedToken;
  place: HoldingsPoint;
  through: LookedThrough;
}

/** In the order of `users`. Undefined where the database has to decide which of them are issuers, or where they are many. */
export async function walletHoldings(
  { snapshot }: OperationContext,
  { located, place, through }: Place,
  users: readonly Address[],
): Promise<WalletHolding[] | undefined> {
  if (users.length > MOST_READ) return undefined;
  const issuers = await fewIssuers(snapshot, asOf(snapshot, located.point), through.issuerAddresses);
  if (!issuers) return undefined;
  const { assetId, block } = place;
  const amounts = assetId === undefined ? [] : await walletAmounts(snapshot, { assetId, block, accounts: users });
  return users.map((account, i) => {
    const isIssuer = issuers.has(account);
    return { account, isIssuer, own: isIssuer || account === ZERO_ADDRESS ? 0n : (amounts[i] ?? 0n) };
  });
}
