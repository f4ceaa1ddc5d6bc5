// Who held how much of a token at a block: as a page of raw amounts, or as JSON rows that PostgreSQL writes.
import type { BlockChoice } from "../block-point.ts";
import type { Operation, OperationContext } from "../context.ts";
import { readCursor, writeCursor } from "../cursors.ts";
import { jsonEntries } from "../ledger/balances-json.ts";
import { accountsAt, type HoldingsPoint, holdersAt } from "../ledger/holdings-at.ts";
import { supplyAt } from "../ledger/supply-at.ts";
import { requireDecimals, requireSoundLedger } from "../ledger/token-state.ts";
import type { Address } from "../parameters.ts";
import { type LocatedToken, locateToken } from "./locate-token.ts";

export interface BalancesInput {
  token: Address;
  block: BlockChoice;
  /** Distinct, lower case; without it all holders with a total above zero. */
  users?: readonly Address[] | undefined;
}

const placeOf = (located: LocatedToken, context: OperationContext): HoldingsPoint => ({
  fold: context.snapshot.schemas.fold,
  assetId: located.token.assetId,
  block: located.point.block,
  watermark: located.point.watermark,
});

export interface BalanceEntry {
  account: Address;
  /** Raw units. */
  amount: bigint;
}

export interface BalancesPage {
  located: LocatedToken;
  entries: (BalanceEntry & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
  /** Raw units, at the block. */
  supply: bigint;
}

/**
 * One page, largest amounts first and then by account; with `users` in the order asked, zeros included.
 * @throws what locateToken throws; TokenNotStandardError; InvalidInputError naming `after`
 */
export const balancesPage: Operation<BalancesInput & { first: number; after?: string | undefined }, BalancesPage> = {
  name: "balances",
  async run(input, context) {
    const { users, first } = input;
    const isPlace = (at: readonly (string | number)[]) =>
      users
        ? at.length === 1 && typeof at[0] === "number"
        : at.length === 2 && /^\d+$/.test(String(at[0])) && /^0x[0-9a-f]{40}$/.test(String(at[1]));
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    const located = await locateToken(context, { ...input, cursor });
    requireSoundLedger(located.token, located.overlay.broken);
    const place = placeOf(located, context);
    const { point, overlay } = located;
    const supply = await supplyAt(context.snapshot, point, { token: input.token, overlay });
    if (users) {
      const from = Number(cursor?.at[0] ?? 0);
      const asked = users.slice(from, from + first);
      const { text, parameters } = accountsAt(place, located.overlay, asked);
      const rows = await context.snapshot.rows<{ account: Address; amount: string }>(
        `select '0x' || encode(account, 'hex') as account, amount::text as amount from (${text}) u order by place`,
        parameters,
      );
      const entries = rows.map(({ account, amount }, i) => ({
        account,
        amount: BigInt(amount),
        cursor: writeCursor(located.point, [from + i + 1]),
      }));
      return { located, entries, totalCount: users.length, hasNextPage: from + asked.length < users.length, supply };
    }
    const held = holdersAt(place, located.overlay);
    const after = cursor ? afterPlace(String(cursor.at[0]), String(cursor.at[1])) : "";
    const rows = await context.snapshot.rows<{ total: number; account: Address | null; amount: string }>(
      `with held as materialized (${held.text})
       select n.total, '0x' || encode(p.account, 'hex') as account, p.amount::text as amount
         from (select count(*)::int as total from held) n
         left join (select account, amount from held ${after} order by amount desc, account limit ${first + 1}) p on true
        order by p.amount desc, p.account`,
      held.parameters,
    );
    const entries = rows
      .slice(0, first)
      .flatMap(({ account, amount }) =>
        account === null
          ? []
          : [{ account, amount: BigInt(amount), cursor: writeCursor(located.point, [amount, account]) }],
      );
    return { located, entries, totalCount: rows[0]?.total ?? 0, hasNextPage: rows.length > first, supply };
  },
};

/** Both parts were checked by readCursor: digits, and an address. */
const afterPlace = (amount: string, account: string): string =>
  `where amount < ${amount} or (amount = ${amount} and account > decode('${account.slice(2)}', 'hex'))`;

export interface BalancesText {
  located: LocatedToken;
  /** JSON objects of the REST shape, in answer order; fetched as they are taken. */
  batches: AsyncIterator<{ entry: string }[]>;
}

const ENTRIES_PER_BATCH = 1_000;

/**
 * The same answer whole, in human numbers, written by PostgreSQL. The caller takes the batches before it closes the
 * snapshot.
 * @throws what balancesPage throws; MetadataPendingError
 */
export const balancesText: Operation<BalancesInput, BalancesText> = {
  name: "balances",
  async run(input, context) {
    const located = await locateToken(context, input);
    requireSoundLedger(located.token, located.overlay.broken);
    const decimals = located.isSilent ? 0 : requireDecimals(located.token);
    const place = placeOf(located, context);
    const { text, parameters } = input.users
      ? accountsAt(place, located.overlay, input.users)
      : holdersAt(place, located.overlay);
    const entries = jsonEntries(text, input.users ? "place" : "amount desc, account", decimals);
    const batches = context.snapshot.batches<{ entry: string }>(entries, parameters, ENTRIES_PER_BATCH);
    return { located, batches };
  },
};
