// Who held how much of a token at a block: as a page of raw amounts, or as JSON rows that PostgreSQL writes.
import type { Shortfall, Unattributed } from "../../core/lookthrough/attribute.ts";
import type { BlockChoice } from "../block-point.ts";
import type { Operation, OperationContext } from "../context.ts";
import { type Cursor, readCursor, writeCursor } from "../cursors.ts";
import { asOf } from "../ledger/as-of.ts";
import { jsonEntries } from "../ledger/balances-json.ts";
import { accountsAt, type HoldingsPoint, holdersAt } from "../ledger/holdings-at.ts";
import { plainPieces } from "../ledger/plain-entries.ts";
import { askedWithParts, withParts } from "../ledger/shared-holdings.ts";
import { supplyAt } from "../ledger/supply-at.ts";
import { requireDecimals, requireSoundLedger } from "../ledger/token-state.ts";
import { type LookedThrough, lookThrough } from "../lookthrough/look-through.ts";
import { mergedEntries } from "../lookthrough/merged-entries.ts";
import { sharedParts, sharedTotals } from "../lookthrough/shared-parts.ts";
import { allSources, type Source } from "../lookthrough/source.ts";
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
  /** Raw units, all sources together. */
  amount: bigint;
  sources: readonly Source[];
  /** The account is a contract whose holdings are its holders': it has nothing itself. */
  isIssuer: boolean;
}

export interface BalancesPage {
  located: LocatedToken;
  entries: (BalanceEntry & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
  /** Raw units, at the block. */
  supply: bigint;
  /** What nobody can be given: with the totals of all accounts it sums up to the supply. */
  unattributed: readonly Unattributed[];
  shortfalls: readonly Shortfall[];
  /** Contracts whose holding of the token cannot be told apart. */
  incomplete: readonly Address[];
}

type PageInput = BalancesInput & { first: number; after?: string | undefined };

interface Read {
  input: PageInput;
  context: OperationContext;
  located: LocatedToken;
  place: HoldingsPoint;
  through: LookedThrough;
  cursor: Cursor | undefined;
}

/**
 * One page, largest amounts first and then by account; with `users` in the order asked, zeros included.
 * @throws what locateToken throws; TokenNotStandardError; InvalidInputError naming `after`; PoolPendingError
 */
export const balancesPage: Operation<PageInput, BalancesPage> = {
  name: "balances",
  async run(input, context) {
    const isPlace = (at: readonly (string | number)[]) =>
      input.users
        ? at.length === 1 && typeof at[0] === "number"
        : at.length === 2 && /^\d+$/.test(String(at[0])) && /^0x[0-9a-f]{40}$/.test(String(at[1]));
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    const located = await locateToken(context, { ...input, cursor });
    requireSoundLedger(located.token, located.overlay.broken);
    const place = placeOf(located, context);
    const { point, overlay } = located;
    const supply = await supplyAt(context.snapshot, point, { token: input.token, overlay });
    const through = await lookThrough(context, { token: input.token, point, place, overlay }, { isWhole: true });
    const read = { input, context, located, place, through, cursor };
    const page = await (input.users ? readAsked(read, input.users) : readAll(read));
    const { unattributed, shortfalls, incomplete } = through;
    return { located, supply, ...page, unattributed, shortfalls, incomplete };
  },
};

type Page = Pick<BalancesPage, "entries" | "totalCount" | "hasNextPage">;
type HeldRow = { account: Address; amount: string; own: string };

async function readAsked(
  { input, context, located, place, through, cursor }: Read,
  users: readonly Address[],
): Promise<Page> {
  const from = Number(cursor?.at[0] ?? 0);
  const asked = users.slice(from, from + input.first);
  const shared = { issuerAddresses: through.issuerAddresses, parts: sharedTotals(through, new Set(asked)) };
  const { text, parameters } = askedWithParts(accountsAt(place, located.overlay, asked), shared);
  const rows = await context.snapshot.rows<HeldRow & { is_issuer: boolean }>(
    `select '0x' || encode(account, 'hex') as account, amount::text as amount, own::text as own, is_issuer
       from (${text}) u order by place`,
    parameters,
  );
  const entries = rows.map((row, i) => ({
    ...entryOf(row, { located, through }),
    isIssuer: row.is_issuer,
    cursor: writeCursor(located.point, [from + i + 1]),
  }));
  return { entries, totalCount: users.length, hasNextPage: from + asked.length < users.length };
}

async function readAll({ input, context, located, place, through, cursor }: Read): Promise<Page> {
  const { first } = input;
  const shared = { issuerAddresses: through.issuerAddresses, parts: sharedTotals(through) };
  const held = withParts(holdersAt(place, located.overlay), shared);
  const after = cursor ? afterPlace(String(cursor.at[0]), String(cursor.at[1])) : "";
  const rows = await context.snapshot.rows<{ total: number } & (HeldRow | { account: null })>(
    `with held as materialized (select account, amount, own from (${held.text}) h)
     select n.total, '0x' || encode(p.account, 'hex') as account, p.amount::text as amount, p.own::text as own
       from (select count(*)::int as total from held) n
       left join (select * from held ${after} order by amount desc, account limit ${first + 1}) p on true
      order by p.amount desc, p.account`,
    held.parameters,
  );
  const entries = rows.slice(0, first).flatMap((row) => {
    if (row.account === null) return [];
    const cursorAt = writeCursor(located.point, [row.amount, row.account]);
    return [{ ...entryOf(row, { located, through }), isIssuer: false, cursor: cursorAt }];
  });
  return { entries, totalCount: rows[0]?.total ?? 0, hasNextPage: rows.length > first };
}

function entryOf(
  { account, amount, own }: HeldRow,
  { located, through }: Pick<Read, "located" | "through">,
): Omit<BalanceEntry, "isIssuer"> {
  const { parts, heldAs } = through;
  const wallet = { token: located.token.address, amount: BigInt(own) };
  return { account, amount: BigInt(amount), sources: allSources(wallet, { parts: parts.get(account) ?? [], heldAs }) };
}

/** Both parts were checked by readCursor: digits, and an address. */
const afterPlace = (amount: string, account: string): string =>
  `where amount < ${amount} or (amount = ${amount} and account > decode('${account.slice(2)}', 'hex'))`;

export interface BalancesText {
  located: LocatedToken;
  /** JSON objects of the REST shape in answer order, a comma before each; fetched as they are taken. */
  pieces: AsyncIterator<Uint8Array>;
  /** Contracts whose holding of the token cannot be told apart. */
  incomplete: readonly Address[];
}

/** About a third of a megabyte. */
const ENTRIES_PER_PIECE = 2_000;

/**
 * The same answer whole, in human numbers, written where most of it is: by PostgreSQL, or here. The caller takes the
 * pieces before it closes the snapshot.
 * @throws what balancesPage throws; MetadataPendingError
 */
export const balancesText: Operation<BalancesInput, BalancesText> = {
  name: "balances",
  async run(input, context) {
    const located = await locateToken(context, input);
    requireSoundLedger(located.token, located.overlay.broken);
    const decimals = located.isSilent ? 0 : requireDecimals(located.token);
    const place = placeOf(located, context);
    const { overlay, point } = located;
    const through = await lookThrough(context, { token: input.token, point, place, overlay }, { isWhole: false });
    const { issuerAddresses, incomplete } = through;
    const shared = { issuerAddresses, parts: sharedParts(through, decimals, input.users && new Set(input.users)) };
    if (!input.users && shared.parts.length > 0) {
      const merged = await mergedEntries(asOf(context.snapshot, point), {
        ...shared,
        plain: holdersAt(place, overlay),
        decimals,
      });
      if (merged) return { located, pieces: merged, incomplete };
    }
    const statement = input.users
      ? askedWithParts(accountsAt(place, overlay, input.users), shared)
      : withParts(holdersAt(place, overlay), shared);
    const shape = { order: input.users ? "place" : "amount desc, account", decimals };
    if (shared.parts.length === 0)
      return { located, pieces: plainPieces(context.snapshot, statement, shape), incomplete };
    const { text, parameters } = statement;
    const pieces = context.snapshot.pieces(jsonEntries(text, shape), parameters, {
      rows: ENTRIES_PER_PIECE,
      separator: ",",
    });
    return { located, pieces, incomplete };
  },
};
