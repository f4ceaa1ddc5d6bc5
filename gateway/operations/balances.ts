// Who held how much of a token at a block, as a page of raw amounts.
import type { Part, Shortfall, Unattributed } from "../../core/lookthrough/attribute.ts";
import type { BlockChoice } from "../block-point.ts";
import type { Operation, OperationContext } from "../context.ts";
import { type Cursor, readCursor, writeCursor } from "../cursors.ts";
import { asOf } from "../ledger/as-of.ts";
import { accountsAt, type HoldingsPoint, holdersAt } from "../ledger/holdings-at.ts";
import { keptSupplyAt, knownSupply } from "../ledger/kept-supplies.ts";
import { largestHolders } from "../ledger/largest-holders.ts";
import { askedWithParts, withParts } from "../ledger/shared-holdings.ts";
import { requireSoundLedger } from "../ledger/token-state.ts";
import { keepIssuers } from "../lookthrough/kept-issuers.ts";
import { type LookedThrough, lookThrough } from "../lookthrough/look-through.ts";
import { sharedTotals } from "../lookthrough/shared-parts.ts";
import { allSources, type Source } from "../lookthrough/source.ts";
import type { Address } from "../parameters.ts";
import { askedHoldings } from "./asked-holdings.ts";
import { glanceBalances } from "./glanced-balances.ts";
import { type LocatedToken, locateToken } from "./locate-token.ts";

export interface BalancesInput {
  token: Address;
  block: BlockChoice;
  /** Distinct, lower case; without it all holders with a total above zero. */
  users?: readonly Address[] | undefined;
  /** Nothing else is asked in this request. */
  isOnly?: boolean | undefined;
}

/** Where the token's holdings are read. */
export const placeOf = (located: LocatedToken, context: OperationContext): HoldingsPoint => ({
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
  /** Only where it was wanted. */
  rest?: Rest;
}

/** What the accounts do not have. */
export interface Rest {
  /** What nobody can be given: with the totals of all accounts it sums up to the supply. */
  unattributed: readonly Unattributed[];
  shortfalls: readonly Shortfall[];
  /** Contracts whose holding of the token cannot be told apart. */
  incomplete: readonly Address[];
}

type PageInput = BalancesInput & {
  first: number;
  after?: string | undefined;
  /** Whether `unattributed`, `shortfalls` and `incomplete` are wanted: without them most blocks are told sooner. */
  isWhole: boolean;
};

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
    const glanced = await glancedPage(context, input);
    if (glanced) return glanced;
    const located = await locateToken(context, { ...input, cursor });
    requireSoundLedger(located.token, located.overlay.broken);
    const place = placeOf(located, context);
    const { point, overlay } = located;
    const supply = await keptSupplyAt(context.snapshot, point, { token: input.token, overlay });
    const through = await lookThrough(context, { token: input.token, point, place, overlay }, input);
    const read = { input, context, located, place, through, cursor };
    const page = await (input.users ? readAsked(read, input.users) : readAll(read));
    return { located, supply, ...page, ...restOf(through, input) };
  },
};

const restOf = ({ unattributed, shortfalls, incomplete }: LookedThrough, { isWhole }: PageInput) =>
  isWhole ? { rest: { unattributed, shortfalls, incomplete } } : {};

/** The first page of asked accounts, if one statement is enough for it. */
async function glancedPage(context: OperationContext, input: PageInput): Promise<BalancesPage | undefined> {
  const { users, after, first } = input;
  if (!users || after !== undefined) return undefined;
  const glanced = await glanceBalances(context, { ...input, users: users.slice(0, first) });
  const supply = glanced && knownSupply(glanced.located, input.token);
  if (!glanced || supply === undefined) return undefined;
  const { located, through, held } = glanced;
  requireSoundLedger(located.token, located.overlay.broken);
  const entries = held.map((one, i) => new PageEntry(one, glanced, [i + 1]));
  const page = { entries, totalCount: users.length, hasNextPage: held.length < users.length };
  return { located, supply, ...page, ...restOf(through, input) };
}

type Page = Pick<BalancesPage, "entries" | "totalCount" | "hasNextPage">;
async function readAsked(
  { input, context, located, place, through, cursor }: Read,
  users: readonly Address[],
): Promise<Page> {
  const from = Number(cursor?.at[0] ?? 0);
  const asked = users.slice(from, from + input.first);
  const page = { totalCount: users.length, hasNextPage: from + asked.length < users.length };
  const held = await askedHoldings(context, { located, place, through }, asked);
  if (held) return { ...page, entries: held.map((one, i) => new PageEntry(one, { located, through }, [from + i + 1])) };
  const shared = { issuerAddresses: through.issuerAddresses, parts: sharedTotals(through, new Set(asked)) };
  const { text, parameters } = askedWithParts(accountsAt(place, located.overlay, asked), shared);
  const rows = await context.snapshot.rows<{ account: Address; own: string; is_issuer: boolean }>(
    `select '0x' || encode(account, 'hex') as account, own::text as own, is_issuer
       from (${text}) u order by place`,
    parameters,
  );
  await keepIssuers(context.snapshot, asOf(context.snapshot, located.point), through.issuerAddresses);
  const entries = rows.map(
    ({ account, own, is_issuer: isIssuer }, i) =>
      new PageEntry({ account, own: BigInt(own), isIssuer }, { located, through }, [from + i + 1]),
  );
  return { ...page, entries };
}

async function readAll({ input, context, located, place, through, cursor }: Read): Promise<Page> {
  const { first } = input;
  const shared = { issuerAddresses: through.issuerAddresses, parts: sharedTotals(through) };
  const held = withParts(holdersAt(place, located.overlay), shared);
  // both parts were checked by readCursor
  const after = cursor && { amount: String(cursor.at[0]), account: String(cursor.at[1]) };
  const asked = { token: input.token, held, after, limit: first + 1 };
  const { rows, total } = await largestHolders(context.snapshot, located.point, asked);
  const setting = { located, through };
  const entries = rows
    .slice(0, first)
    .map(
      ({ account, amount, own }) =>
        new PageEntry({ account, own: BigInt(own), isIssuer: false }, setting, [amount, account]),
    );
  return { entries, totalCount: total, hasNextPage: rows.length > first };
}

type EntrySetting = Pick<Read, "located" | "through">;
type Place = readonly (string | number)[];

const NOTHING_ELSE: readonly Part[] = [];

/** Sources and cursors are worked out when they are asked for: a page has a thousand entries. */
class PageEntry implements BalanceEntry {
  readonly account: Address;
  readonly isIssuer: boolean;
  readonly amount: bigint;
  readonly #own: bigint;
  readonly #setting: EntrySetting;
  readonly #place: Place;

  /** `own`: raw units in the wallet; `place`: in the list. */
  constructor(held: { account: Address; own: bigint; isIssuer: boolean }, setting: EntrySetting, place: Place) {
    this.account = held.account;
    this.isIssuer = held.isIssuer;
    this.#own = held.own;
    this.#setting = setting;
    this.#place = place;
    this.amount = held.own;
    for (const { amount } of this.#parts) this.amount += amount;
  }

  get #parts() {
    return this.#setting.through.parts.get(this.account) ?? NOTHING_ELSE;
  }

  get sources(): readonly Source[] {
    const { located, through } = this.#setting;
    const wallet = { token: located.token.address, amount: this.#own };
    return allSources(wallet, { parts: this.#parts, heldAs: through.heldAs });
  }

  get cursor(): string {
    return writeCursor(this.#setting.located.point, this.#place);
  }
}
