// The additive ledgers of all kinds at one block. Read in bulk, since one question looks through many contracts: what is
// wanted at the same time is one statement, and nothing is read twice. Who holds an asset at a block is cached for other
// requests, since the same contracts stand behind many tokens.
import DataLoader from "dataloader";
import { holdings } from "../../core/history/histories.ts";
import { EVERY } from "../../core/ledgers/listing.ts";
import type { Holding } from "../../core/lookthrough/backing.ts";
import type { ReaderCache } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type AsOf, asOf, placeOfThings } from "../history/as-of.ts";
import { type AmountInput, assetAmounts } from "../history/asset-amounts.ts";
import { assetsOfAccount } from "../history/holdings-at.ts";
import { type LedgerAsset, nameOf } from "../history/ledger-asset.ts";
import { readMany } from "../history/many-rows.ts";
import type { BlockPoint } from "../history/point.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import { listParameter } from "../history/sql-values.ts";
import { memoPerObject } from "../memo-per-object.ts";
import type { Address } from "../parameters.ts";
import type { Focus } from "./focus.ts";
import type { Ledger, Place } from "./ledger.ts";
import { focusedHoldersText, heldByText, holdersText, totalsText } from "./ledger-texts.ts";
import type { LookThroughContext } from "./protocol.ts";

const joined = (items: readonly string[]): string => items.join(",");

type Holdings = readonly Holding[];

const holdersOfAsset = question<Holdings>("holders");
const amountsOfAccounts = question<bigint>("amounts");

export class LedgerAt implements Ledger {
  readonly #at: AsOf;
  readonly #cache: ReaderCache;
  readonly #focus: Focus | undefined;
  readonly #holders: DataLoader<LedgerAsset, Holdings, string>;
  readonly #amounts: DataLoader<AmountInput, bigint, string>;

  constructor(at: AsOf, { cache, focus }: { cache: ReaderCache; focus?: Focus }) {
    this.#at = at;
    this.#cache = cache;
    this.#focus = focus;
    this.#holders = new DataLoader((assets) => this.#readHolders(assets), { cacheKeyFn: nameOf });
    this.#amounts = new DataLoader((inputs) => this.#readAmounts(inputs), {
      cacheKeyFn: (one) => `${nameOf(one)} ${one.account}`,
    });
  }

  /** The same ledgers as far as they matter to one account: see {@link holders} and {@link listed}. */
  focusedOn(focus: Focus): LedgerAt {
    return new LedgerAt(this.#at, { cache: this.#cache, focus });
  }

  /**
   * Who holds each asset, in the order of `assets`; the zero address too, amounts above zero. Focused on an account,
   * all that are neither the account nor a contract on the way to it are `OTHERS`.
   */
  holders(assets: readonly LedgerAsset[]): Promise<Holdings[]> {
    return Promise.all(assets.map((asset) => this.#holders.load(asset)));
  }

  async #readHolders(assets: readonly LedgerAsset[]): Promise<Holdings[]> {
    if (this.#focus) return this.#readRows(assets, this.#focus);
    const placeOf = (asset: LedgerAsset) => placeOfThings(this.#at.point, nameOf(asset), [changing.asset(asset)]);
    return this.#cache.ofEach(holdersOfAsset, { items: assets, placeOf }, (missing) => this.#readRows(missing));
  }

  async #readRows(assets: readonly LedgerAsset[], focus?: Focus): Promise<Holding[][]> {
    const found = assets.map((): Holding[] => []);
    const text = focus ? focusedHoldersText(this.#at) : holdersText(this.#at);
    const parameters = [
      ...[joined(assets.map(({ kind }) => kind)), joined(assets.map(({ key }) => key)), String(this.#at.point.block)],
      ...(focus ? [joined([focus.account, ...focus.contracts])] : []),
    ];
    const many = await readMany(this.#at.prepared, { text, parameters }, ["place", "account", "amount"]);
    for (let i = 0; i < many.length; i += 3)
      found[Number(many[i]) - 1]?.push({ account: many[i + 1] as string, amount: BigInt(many[i + 2] as string) });
    return found;
  }

  /** What all accounts together hold of each asset, in the order of `assets`. */
  async totals(assets: readonly LedgerAsset[]): Promise<bigint[]> {
    const totals = assets.map(() => 0n);
    if (assets.length === 0) return totals;
    const rows = await this.#at.cachedSince<{ place: number; amount: string }>(
      totalsText(this.#at),
      (block) => [joined(assets.map(({ kind }) => kind)), joined(assets.map(({ key }) => key)), block],
      assets.map(changing.asset),
    );
    for (const { place, amount } of rows) totals[place - 1] = BigInt(amount);
    return totals;
  }

  /** What each account holds of its asset, in the order of `inputs`. */
  amounts(inputs: readonly AmountInput[]): Promise<bigint[]> {
    return Promise.all(inputs.map((one) => this.#amounts.load(one)));
  }

  async #readAmounts(inputs: readonly AmountInput[]): Promise<bigint[]> {
    const { fold, point, prepared } = this.#at;
    const placeOf = (one: AmountInput) => placeOfThings(point, `${nameOf(one)} ${one.account}`, [changing.amount(one)]);
    return this.#cache.ofEach(amountsOfAccounts, { items: inputs, placeOf }, (missing) =>
      assetAmounts({ fold, block: point.block, prepared }, missing),
    );
  }

  /** Supply of each of `tokens`, in their order: in the ledger of supplies accounts are tokens. */
  supplies(tokens: readonly Address[]): Promise<bigint[]> {
    return this.amounts(tokens.map((account) => ({ kind: "supply", key: EVERY, account })));
  }

  /** What `account` holds of assets of `kinds`, amounts above zero. */
  async heldBy(account: Address, kinds: readonly string[]): Promise<(LedgerAsset & { amount: bigint })[]> {
    const rows = await this.#at.prepared<LedgerAsset & { amount: string }>(heldByText(this.#at), [
      ...[joined(kinds), account, String(this.#at.point.block)],
    ]);
    return rows.map(({ kind, key, amount }) => ({ kind, key, amount: BigInt(amount) }));
  }

  /** The contracts that `kind` lists for each of `tokens`; focused on an account, those on the way to it. */
  async listed(kind: string, tokens: readonly Address[]): Promise<Place[]> {
    const contracts = await this.holders(tokens.map((key) => ({ kind, key })));
    const isMeant = ({ account }: Holding) => this.#focus === undefined || this.#focus.contracts.has(account);
    return tokens.flatMap((token, i) =>
      (contracts[i] ?? []).filter(isMeant).map(({ account }) => ({ token, contract: account as Address })),
    );
  }

  /** The tokens for which `kinds` list each of `contracts` at the block. */
  tokensOf(kinds: readonly string[], contracts: readonly Address[]): Promise<Map<Address, Set<Address>>> {
    const listing = rowOfKey(holdings, {
      ...{ fold: this.#at.fold, block: "$3::int4", key: { asset: "a.id", account: "h.account" } },
      select: (row) => `${row}.amount`,
    });
    return this.#readTokens(`cross join lateral (${listing}) listed`, { kinds, contracts });
  }

  /**
   * Those of the block and of final blocks after it. What a contract takes never changes, though nothing shows it before its first
   * stake where its settings cannot be read.
   */
  tokensEverOf(kinds: readonly string[], contracts: readonly Address[]): Promise<Map<Address, Set<Address>>> {
    return this.#readTokens("", { kinds, contracts });
  }

  async #readTokens(
    listing: string,
    { kinds, contracts }: { kinds: readonly string[]; contracts: readonly Address[] },
  ): Promise<Map<Address, Set<Address>>> {
    const tokens = new Map(contracts.map((contract) => [contract, new Set<Address>()]));
    if (contracts.length === 0) return tokens;
    const { fold, cachedSince } = this.#at;
    const found = await cachedSince<{ contract: Address; token: Address }>(
      `select '0x' || encode(h.account, 'hex') as contract, '0x' || encode(a.key, 'hex') as token
         from unnest(${listParameter(2)}) wanted(contract)
        cross join lateral (select decode(substr(wanted.contract, 3), 'hex') as account) h
        cross join lateral (${assetsOfAccount(fold, { account: "h.account", block: "$3::int4" })}) held
         join ${fold}.asset a on a.id = held.asset and a.kind = any(${listParameter(1)}) and a.key <> ''
        ${listing}`,
      (block) => [joined(kinds), joined(contracts), block],
      kinds.map(changing.kind),
    );
    for (const { contract, token } of found) tokens.get(contract)?.add(token);
    return tokens;
  }
}

/** By request and block: its protocols read the same ledgers. */
const ledgersOf = memoPerObject(() => new Map<number, LedgerAt>());

/** The ledgers at `point`, opened once for a request. */
export function ledgerAt(
  { snapshot, focus }: { snapshot: Snapshot; focus?: Focus | undefined },
  point: BlockPoint,
): LedgerAt {
  const ledgers = ledgersOf(snapshot);
  const ledger = ledgers.get(point.block) ?? new LedgerAt(asOf(snapshot, point), { cache: snapshot.cache });
  ledgers.set(point.block, ledger);
  return focus ? ledger.focusedOn(focus) : ledger;
}

/** What protocols read at `point`: the ledger that the context brings, or the one at that block. */
export const ledgerFor = (context: LookThroughContext, point: BlockPoint): Ledger =>
  context.ledger ?? ledgerAt(context, point);
