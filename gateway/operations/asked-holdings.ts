// What some accounts have of a token in their wallets, where it can be told here which of them are contracts that hold for
// others: one short statement, and the answer is put together in this process.
import type { OperationContext } from "../context.ts";
import { asOf } from "../ledger/as-of.ts";
import { foldedAmounts } from "../ledger/folded-amounts.ts";
import type { HoldingsPoint } from "../ledger/holdings-at.ts";
import { deltasOf } from "../ledger/kept-overlays.ts";
import { fewIssuers } from "../lookthrough/kept-issuers.ts";
import type { LookedThrough } from "../lookthrough/look-through.ts";
import type { Address } from "../parameters.ts";
import type { LocatedToken } from "./locate-token.ts";

/** `own`: raw units in the wallet; an issuer has nothing itself. */
export interface AskedHolding {
  account: Address;
  own: bigint;
  isIssuer: boolean;
}

/** The zero address is nobody's account. */
export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/** More are better read as rows than as one text. */
const MOST_READ = 2_000;

interface Place {
  located: LocatedToken;
  place: HoldingsPoint;
  through: LookedThrough;
}

/** In the order asked. Undefined where the database has to tell which of them are issuers, or where they are many. */
export async function askedHoldings(
  { snapshot }: OperationContext,
  { located, place, through }: Place,
  users: readonly Address[],
): Promise<AskedHolding[] | undefined> {
  if (users.length > MOST_READ) return undefined;
  const issuers = await fewIssuers(snapshot, asOf(snapshot, located.point), through.issuerAddresses);
  if (!issuers) return undefined;
  const { assetId, block, watermark } = place;
  const folded = Math.min(block, watermark);
  const amounts = assetId === undefined ? [] : await foldedAmounts(snapshot, { assetId, folded, accounts: users });
  const deltas = deltasOf(located.overlay);
  return users.map((account, i) =>
    holdingOf(account, { amount: (amounts[i] ?? 0n) + (deltas.get(account) ?? 0n), issuers }),
  );
}

export function holdingOf(
  account: Address,
  { amount, issuers }: { amount: bigint; issuers: ReadonlySet<string> },
): AskedHolding {
  const isIssuer = issuers.has(account);
  return { account, isIssuer, own: isIssuer || account === ZERO_ADDRESS ? 0n : amount };
}
