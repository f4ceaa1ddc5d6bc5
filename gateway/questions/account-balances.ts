// Everything one account had at a block, over all tokens: in its wallet and through what it held.

import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { brokenTokens } from "../backing/stopped.ts";
import { type AccountHoldings, type HeldToken, lookThroughAccount } from "../balances/look-through-account.ts";
import type { Operation } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import type { TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { isAddressPlace, pointOfPage, readCursor, writeCursor } from "./cursors.ts";

export interface AccountBalancesPage extends Pick<AccountHoldings, "isIssuer" | "incomplete"> {
  point: BlockPoint;
  entries: (Omit<HeldToken, "token"> & { token: TokenState; cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
}

const NOTHING: AccountHoldings = { isIssuer: false, tokens: [], incomplete: [] };

/**
 * One page of the account's tokens with totals above zero, ordered by token address; each with the total and the sources
 * that the token's `balances` have for the account. Tokens with unknown balances are left out. The zero address
 * has nothing.
 * @throws what pointOf throws; InvalidInputError naming `after`; UnavailableError while the state of a contract that the
 * account holds something of is not known yet
 */
export const accountBalances: Operation<
  { account: Address; block: BlockChoice; first: number; after?: string | undefined },
  AccountBalancesPage
> = {
  name: "account",
  async run(input, context) {
    const { snapshot } = context;
    const cursor = readCursor(input.after, isAddressPlace);
    const point = await pointOfPage(context, { block: input.block, cursor });
    const { account } = input;
    const held = account === ZERO_ADDRESS ? NOTHING : await lookThroughAccount(context, { account, point });
    const addresses = held.tokens.map(({ token }) => token);
    const broken = await brokenTokens(asOf(snapshot, point), addresses);
    const sound = held.tokens.filter(({ token }) => !broken.has(token));
    const rest = sound.filter(({ token }) => token > String(cursor?.at[0] ?? ""));
    const shown = rest.slice(0, input.first);
    const tokens = await readTokens(
      context,
      shown.map(({ token }) => token),
    );
    const entries = shown.flatMap(({ token: address, ...entry }, i) => {
      const token = tokens[i];
      return token ? [{ ...entry, token, cursor: writeCursor(point, [address]) }] : [];
    });
    const { isIssuer, incomplete } = held;
    return { point, entries, totalCount: sound.length, hasNextPage: rest.length > shown.length, isIssuer, incomplete };
  },
};
