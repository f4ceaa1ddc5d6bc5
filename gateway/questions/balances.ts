// Who held how much of a token at a block, as a page of raw amounts.
import type { Part, Shortfall, Unattributed } from "../../core/lookthrough/attribute.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import { largestHolders } from "../balances/largest-holders.ts";
import { holdingsPoint, type LookedThrough, lookThrough } from "../balances/look-through.ts";
import { totalsAt } from "../balances/shared-holdings.ts";
import { allSources, type Source } from "../balances/source.ts";
import { walletHoldings } from "../balances/wallet-holdings.ts";
import type { Operation, OperationContext } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { HoldingsPoint } from "../history/holdings-at.ts";
import type { Address } from "../parameters.ts";
import { type Cursor, isAddress, isNumberPlace, readCursor, writeCursor } from "./cursors.ts";
import { type LocatedToken, locateSoundToken } from "./locate-token.ts";

export interface BalancesInput {
  token: Address;
  block: BlockChoice;
  /** Distinct, lower case; without it all holders with a total above zero. */
  users?: readonly Address[] | undefined;
}

export interface BalanceEntry {
  account: Address;
  /** Raw units, all sources together. */
  amount: bigint;
  sources: readonly Source[];
  /** The account is a contract whose holdings are its holders': it has nothing itself. */
  isIssuer: boolean;
}

/** An entry in its list. */
interface ListedBalance extends BalanceEntry {
  cursor: string;
  /** 1 for the largest total; undefined with `users`. */
  rank: number | undefined;
}

export interface BalancesPage {
  located: LocatedToken;
  entries: ListedBalance[];
  totalCount: number;
  hasNextPage: boolean;
  /** Raw units, at the block. */
  supply: bigint;
  /** Contracts whose holding of the token cannot be attributed to accounts. */
  incomplete: readonly Address[];
  /** Only where it was wanted. */
  rest?: Rest;
}

/** What the accounts do not have. */
interface Rest {
  /** What cannot be attributed to any account: with the totals of all accounts it sums up to the supply. */
  unattributed: readonly Unattributed[];
  shortfalls: readonly Shortfall[];
}

type PageInput = BalancesInput & {
  first: number;
  after?: string | undefined;
  /** Whether `unattributed` and `shortfalls` are wanted: without them most blocks are answered sooner. */
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

/** A total and its account. */
const isHolderPlace = (at: readonly (string | number)[]): boolean =>
  at.length === 2 && /^\d+$/.test(String(at[0])) && isAddress(at[1]);

/**
 * One page, largest amounts first and then by account; with `users` in the order asked, zeros included.
 * @throws what locateToken throws; TokenNotStandardError; InvalidInputError naming `after`
 */
export const balancesPage: Operation<PageInput, BalancesPage> = {
  name: "balances",
  async run(input, context) {
    const cursor = readCursor(input.after, input.users ? isNumberPlace : isHolderPlace);
    const located = await locateSoundToken(context, { ...input, cursor });
    const place = holdingsPoint(located, context);
    const [supply = 0n] = await ledgerAt(context, located.point).supplies([input.token]);
    const through = await lookThrough(context, located, input);
    const read = { input, context, located, place, through, cursor };
    const page = await (input.users ? readListed(read, input.users) : readAll(read));
    return { located, supply, ...page, incomplete: through.incomplete, ...restOf(through, input) };
  },
};

const restOf = ({ unattributed, shortfalls }: LookedThrough, { isWhole }: PageInput) =>
  isWhole ? { rest: { unattributed, shortfalls } } : {};

type Page = Pick<BalancesPage, "entries" | "totalCount" | "hasNextPage">;
async function readListed(
  { input, context, located, place, through, cursor }: Read,
  users: readonly Address[],
): Promise<Page> {
  const from = Number(cursor?.at[0] ?? 0);
  const listed = users.slice(from, from + input.first);
  const page = { totalCount: users.length, hasNextPage: from + listed.length < users.length };
  const { token } = input;
  const held = await walletHoldings(context, { token, point: located.point, place, through }, listed);
  if (held) return { ...page, entries: held.map((one, i) => new PageEntry(one, { located, through }, [from + i + 1])) };
  const { text, parameters } = totalsAt(place, through, listed);
  const rows = await context.snapshot.rows<{ account: Address; own: string; is_issuer: boolean }>(
    `select '0x' || encode(account, 'hex') as account, own::text as own, is_issuer
       from (${text}) u order by place`,
    parameters,
  );
  const entries = rows.map(
    ({ account, own, is_issuer: isIssuer }, i) =>
      new PageEntry({ account, own: BigInt(own), isIssuer }, { located, through }, [from + i + 1]),
  );
  return { ...page, entries };
}

async function readAll({ input, context, located, place, through, cursor }: Read): Promise<Page> {
  const { first } = input;
  const held = totalsAt(place, through);
  // both parts were checked by readCursor
  const after = cursor && { amount: String(cursor.at[0]), account: String(cursor.at[1]) };
  const page = { token: input.token, held, after, limit: first + 1 };
  const { rows, total, before } = await largestHolders(context.snapshot, located.point, page);
  const setting = { located, through };
  const entries = rows
    .slice(0, first)
    .map(
      ({ account, amount, own }, i) =>
        new PageEntry({ account, own: BigInt(own), isIssuer: false, rank: before + i + 1 }, setting, [amount, account]),
    );
  return { entries, totalCount: total, hasNextPage: rows.length > first };
}

type EntrySetting = Pick<Read, "located" | "through">;
type Place = readonly (string | number)[];

const NOTHING_ELSE: readonly Part[] = [];

/** Sources and cursors are worked out when they are asked for: a page has a thousand entries. */
class PageEntry implements ListedBalance {
  readonly account: Address;
  readonly isIssuer: boolean;
  readonly amount: bigint;
  readonly rank: number | undefined;
  readonly #own: bigint;
  readonly #setting: EntrySetting;
  readonly #place: Place;

  /** `own`: raw units in the wallet; `place`: in the list. */
  constructor(
    held: { account: Address; own: bigint; isIssuer: boolean; rank?: number },
    setting: EntrySetting,
    place: Place,
  ) {
    this.account = held.account;
    this.rank = held.rank;
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
