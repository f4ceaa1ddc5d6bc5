// What some accounts have of a token in their wallets, where it can be decided here which of them are contracts that hold for
// others: one short statement, whose text is the same for every block, and the answer is put together in this process.
import { holdings } from "../../core/history/histories.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { AnswerPlace } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { OperationContext, Service } from "../context.ts";
import type { ReadScope } from "../database/read-scope.ts";
import { changing } from "../database/recent-changes.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { asOf, placeOfThings } from "../history/as-of.ts";
import type { HoldingsPoint } from "../history/holdings-at.ts";
import type { BlockPoint } from "../history/point.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import { memoPerObject } from "../memo-per-object.ts";
import type { Address } from "../parameters.ts";
import { fewIssuers, type IssuerListing } from "./few-issuers.ts";

/** `own`: raw units in the wallet; an issuer has nothing itself. */
export interface WalletHolding {
  account: Address;
  own: bigint;
  isIssuer: boolean;
}

/** All that hold some of a token: raw units. */
const holders = question<ReadonlyMap<string, bigint>>("token-holders");
/** Of a token with more holders only a few are likely to be requested, and all of them would fill the cache. */
const MOST_SHARED = 1_000;
/** More are better read as rows than as one text. */
const MOST_READ = 2_000;

interface Place {
  token: Address;
  point: BlockPoint;
  place: HoldingsPoint;
  through: IssuerListing;
}

/** In the order of `users`. Undefined where the database has to decide which of them are issuers, or where they are many. */
export async function walletHoldings(
  { service, snapshot }: Pick<OperationContext, "service" | "snapshot">,
  { token, point, place, through }: Place,
  users: readonly Address[],
): Promise<WalletHolding[] | undefined> {
  if (users.length > MOST_READ) return undefined;
  const issuers = await fewIssuers(snapshot, asOf(snapshot, point), through);
  if (!issuers) return undefined;
  const all = snapshot.cache.get(holders, placeOfHolders({ token, point }));
  const amounts = all
    ? users.map((account) => all.get(account) ?? 0n)
    : await readAmounts(snapshot, { place, texts: textsOf(service) }, users);
  return users.map((account, i) => {
    const isIssuer = issuers.has(account);
    // the zero address is nobody's account
    return { account, isIssuer, own: isIssuer || account === ZERO_ADDRESS ? 0n : (amounts[i] ?? 0n) };
  });
}

const placeOfHolders = ({ token, point }: Pick<Place, "token" | "point">): AnswerPlace =>
  placeOfThings(point, token, [changing.asset({ kind: "erc20", key: token })]);

/** Requests for some of a token's holders are answered from `held`, all of them with raw units, where they are few. */
export function shareHolders(
  { cache }: Pick<Snapshot, "cache">,
  at: Pick<Place, "token" | "point">,
  held: ReadonlyMap<string, bigint>,
): void {
  if (held.size <= MOST_SHARED) cache.set(holders, placeOfHolders(at), held);
}

/** Made once: sending the very same string saves everything between here and the server from comparing all of it. */
const textsOf = memoPerObject((_: Service) => new Map<string, string>());

/** Raw units at the end of the block, in the order of `accounts`; zero where nothing is held. */
async function readAmounts(
  scope: Pick<ReadScope, "prepared" | "fold" | "state">,
  { place, texts }: { place: HoldingsPoint; texts: Map<string, string> },
  accounts: readonly Address[],
): Promise<bigint[]> {
  const { assetId, block } = place;
  if (assetId === undefined || accounts.length === 0) return [];
  const { fold } = scope;
  const isPresent = block >= scope.state.finalized;
  const key = `${fold} ${isPresent}`;
  const text = texts.get(key) ?? amountsText(fold, isPresent);
  if (!texts.has(key)) texts.set(key, text);
  const [row] = await scope.prepared<{ amounts: string }>(text, [String(assetId), String(block), accounts.join(",")]);
  return (row?.amounts ?? "").split(" ").map(BigInt);
}

/** $1 asset, $2 block, $3 accounts. Every account is sought by its key. */
const amountsText = (fold: string, isPresent: boolean): string => `
  select string_agg(coalesce(held.amount, 0)::text, ' ' order by u.place) as amounts
    from (select place, decode(substr(account, 3), 'hex') as account
            from unnest(string_to_array($3, ',')) with ordinality as wallets(account, place)) u
    left join lateral (${rowOfKey(holdings, {
      isPresent,
      fold,
      block: "$2::int4",
      key: { asset: "$1::int4", account: "u.account" },
      select: (row) => `${row}.amount`,
    })}) held on true`;
