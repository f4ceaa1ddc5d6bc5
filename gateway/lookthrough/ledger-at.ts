// The additive ledgers of all kinds at one block: the fold's rows, and what happened above the watermark. Read in bulk,
// since one question looks through many contracts: what is asked at the same time is one statement, and nothing is asked
// twice. Who holds an asset at a block is kept for other requests, since the same contracts stand behind many tokens.
import DataLoader from "dataloader";
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
import { EVERY } from "../../core/ledgers/listing.ts";
import type { Holding } from "../../core/lookthrough/backing.ts";
import type { AnswerPlace, ReaderCache } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import { carriedBy } from "../carried.ts";
import { assetsOfAccount } from "../history/assets-of-account.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import { type AskedAmount, assetAmounts } from "../ledger/asset-amounts.ts";
import { type LedgerAsset, nameOf } from "../ledger/block-changes.ts";
import { changesAbove } from "../ledger/changes-above.ts";
import { readManyPrepared } from "../ledger/many-rows.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import type { Changes } from "../ledger/summed-changes.ts";
import {
  type Holders,
  keepHolders,
  knownHolders,
  MOST_LISTED_HOLDERS,
  withChanges,
} from "../ledger/watermark-memory.ts";
import type { Address } from "../parameters.ts";
import { type Focus, isNear, OTHERS } from "./focus.ts";
import { focusedHoldersText, heldByText, holdersText, totalsText } from "./ledger-texts.ts";

/** A contract that is there to hold a token. */
export interface Place {
  token: Address;
  contract: Address;
}

const joined = (items: readonly string[]): string => items.join(",");

type Holdings = readonly Holding[];

const holdersOfAsset = question<Holdings>("holders");

const lists = new WeakMap<Holders, Holdings>();

/** One list for as long as the holders are kept. */
function listOf(holders: Holders): Holdings {
  const known = lists.get(holders);
  if (known) return known;
  const list = [...holders].flatMap(([account, amount]) => (amount > 0n ? [{ account, amount }] : []));
  lists.set(holders, list);
  return list;
}

interface LedgerParts {
  index: string;
  cache: ReaderCache;
  changes: Changes;
  focus?: Focus;
}

export class LedgerAt {
  readonly #at: AsOf;
  /** See `Snapshot.index`. */
  readonly #index: string;
  readonly #cache: ReaderCache;
  readonly #changes: Changes;
  readonly #focus: Focus | undefined;
  readonly #holders: DataLoader<LedgerAsset, Holdings, string>;
  readonly #amounts: DataLoader<AskedAmount, bigint, string>;

  constructor(at: AsOf, { index, cache, changes, focus }: LedgerParts) {
    this.#at = at;
    this.#index = index;
    this.#cache = cache;
    this.#changes = changes;
    this.#focus = focus;
    this.#holders = new DataLoader((assets) => this.#readHolders(assets), { cacheKeyFn: nameOf });
    this.#amounts = new DataLoader((asked) => this.#readAmounts(asked), {
      cacheKeyFn: (one) => `${nameOf(one)} ${one.account}`,
    });
  }

  /** The same ledgers, told only as far as they matter to one account: see {@link holders} and {@link listed}. */
  focusedOn(focus: Focus): LedgerAt {
    return new LedgerAt(this.#at, { index: this.#index, cache: this.#cache, changes: this.#changes, focus });
  }

  /** SELECT text of (address bytea): every contract that `kind` lists at the block. */
  everyText(kind: string): string {
    const { fold, folded } = this.#at;
    const young = [...(this.#changes.get(nameOf({ kind, key: EVERY }))?.keys() ?? [])];
    const of = { asset: `(select id from ${fold}.asset where kind = '${kind}' and key = '')` };
    return [
      rowsOfGroup(holdings, { fold, of, block: String(folded), select: (row) => `${row}.account as address` }),
      ...young.map((address) => `select decode('${address.slice(2)}', 'hex')`),
    ].join(" union all ");
  }

  /**
   * Who holds each asset, in the order of `assets`; the zero address too, amounts above zero. Focused on an account,
   * all who are neither it nor a contract on the way to it are {@link OTHERS}.
   */
  holders(assets: readonly LedgerAsset[]): Promise<Holdings[]> {
    return Promise.all(assets.map((asset) => this.#holders.load(asset)));
  }

  async #readHolders(assets: readonly LedgerAsset[]): Promise<Holdings[]> {
    const focus = this.#focus;
    if (focus) return (await this.#readRows(assets, focus)).map((rows, i) => this.#focused(rows, assets[i], focus));
    const stored = assets.map((asset) => this.#cache.get(holdersOfAsset, this.#placeOf(asset)));
    const unread = assets.filter((_, i) => stored[i] === undefined);
    const read = await this.#foldedHolders(unread);
    let next = 0;
    return stored.map((holdings) => holdings ?? this.#changed(read[next] as Holders, unread[next++] as LedgerAsset));
  }

  #placeOf(asset: LedgerAsset): AnswerPlace {
    const { hash, block, watermark } = this.#at.point;
    return { at: hash, key: nameOf(asset), revision: block <= watermark ? undefined : watermark };
  }

  /** By the fold's tables. */
  async #foldedHolders(assets: readonly LedgerAsset[]): Promise<Holders[]> {
    const { folded, point } = this.#at;
    const place = { index: this.#index, watermark: point.watermark };
    const isNewest = folded === point.watermark;
    const known = assets.map((asset) => (isNewest ? knownHolders(place, asset) : undefined));
    const unknown = assets.filter((_, i) => known[i] === undefined);
    const read = (await this.#readRows(unknown)).map(
      (rows): Holders => new Map(rows.map(({ account, amount }) => [account, amount])),
    );
    if (isNewest) for (const [i, asset] of unknown.entries()) keepHolders(place, asset, read[i] as Holders);
    let next = 0;
    return known.map((holders) => holders ?? (read[next++] as Holders));
  }

  #changed(holders: Holders, asset: LedgerAsset): Holdings {
    const changes = this.#changes.get(nameOf(asset));
    const held = listOf(changes ? withChanges(holders, changes) : holders);
    // what the watermark's memory gives as it is needs no place of its own
    const isShared = !changes && this.#at.folded === this.#at.point.watermark;
    if (!isShared && held.length <= MOST_LISTED_HOLDERS) this.#cache.set(holdersOfAsset, this.#placeOf(asset), held);
    return held;
  }

  async #readRows(assets: readonly LedgerAsset[], focus?: Focus): Promise<Holding[][]> {
    const found = assets.map((): Holding[] => []);
    if (assets.length === 0) return found;
    const text = focus ? focusedHoldersText(this.#at) : holdersText(this.#at);
    const parameters = [
      ...[joined(assets.map(({ kind }) => kind)), joined(assets.map(({ key }) => key)), String(this.#at.folded)],
      ...(focus ? [joined([focus.account, ...focus.contracts])] : []),
    ];
    const many = await readManyPrepared(this.#at, { text, parameters }, ["place", "account", "amount"]);
    for (let i = 0; i < many.length; i += 3)
      found[Number(many[i]) - 1]?.push({ account: many[i + 1] as string, amount: BigInt(many[i + 2] as string) });
    return found;
  }

  /** What has changed comes to it, under the name that its holder has there. */
  #focused(rows: readonly Holding[], asset: LedgerAsset | undefined, focus: Focus): Holdings {
    const changes = asset && this.#changes.get(nameOf(asset));
    if (!changes) return rows;
    const amounts = new Map(rows.map(({ account, amount }) => [account, amount]));
    for (const [changed, delta] of changes) {
      const account = isNear(focus, changed) ? changed : OTHERS;
      amounts.set(account, (amounts.get(account) ?? 0n) + delta);
    }
    return listOf(amounts);
  }

  /** What all accounts together hold of each asset, in the order of `assets`. */
  async totals(assets: readonly LedgerAsset[]): Promise<bigint[]> {
    if (assets.length === 0) return [];
    const totals = assets.map((one) =>
      [...(this.#changes.get(nameOf(one))?.values() ?? [])].reduce((sum, delta) => sum + delta, 0n),
    );
    const rows = await this.#at.final<{ place: number; amount: string }>(totalsText(this.#at), [
      joined(assets.map(({ kind }) => kind)),
      joined(assets.map(({ key }) => key)),
      String(this.#at.folded),
    ]);
    for (const { place, amount } of rows) totals[place - 1] = (totals[place - 1] ?? 0n) + BigInt(amount);
    return totals;
  }

  /** What each account holds of its asset, in the order asked. */
  amounts(asked: readonly AskedAmount[]): Promise<bigint[]> {
    return Promise.all(asked.map((one) => this.#amounts.load(one)));
  }

  async #readAmounts(asked: readonly AskedAmount[]): Promise<bigint[]> {
    const { point, ...at } = this.#at;
    const folded = await assetAmounts({ ...at, index: this.#index, watermark: point.watermark }, asked);
    return asked.map((one, i) => {
      const amount = (folded[i] ?? 0n) + (this.#changes.get(nameOf(one))?.get(one.account) ?? 0n);
      return amount > 0n ? amount : 0n;
    });
  }

  /** What `account` holds of assets of `kinds`, amounts above zero. */
  async heldBy(account: Address, kinds: readonly string[]): Promise<(LedgerAsset & { amount: bigint })[]> {
    const held = new Map<string, LedgerAsset & { amount: bigint }>();
    const rows = await this.#at.prepared<LedgerAsset & { amount: string }>(heldByText(this.#at), [
      ...[joined(kinds), account, String(this.#at.folded)],
    ]);
    for (const { kind, key, amount } of rows) held.set(nameOf({ kind, key }), { kind, key, amount: BigInt(amount) });
    for (const [asset, changes] of this.#changes) {
      const [kind = "", key = ""] = asset.split(" ");
      const delta = kinds.includes(kind) ? changes.get(account) : undefined;
      if (delta !== undefined) held.set(asset, { kind, key, amount: (held.get(asset)?.amount ?? 0n) + delta });
    }
    return [...held.values()].filter(({ amount }) => amount > 0n);
  }

  /** The contracts that `kind` lists for each of `tokens`; focused on an account, those on the way to it. */
  async listed(kind: string, tokens: readonly Address[]): Promise<Place[]> {
    const contracts = await this.holders(tokens.map((key) => ({ kind, key })));
    const isMeant = ({ account }: Holding) => this.#focus === undefined || this.#focus.contracts.has(account);
    return tokens.flatMap((token, i) =>
      (contracts[i] ?? []).filter(isMeant).map(({ account }) => ({ token, contract: account as Address })),
    );
  }

  /** Those of `places` where some of the token is held. */
  async held<P extends Place>(places: readonly P[]): Promise<(P & { amount: bigint })[]> {
    const amounts = await this.amounts(
      places.map(({ token, contract }) => ({ kind: "erc20", key: token, account: contract })),
    );
    return places.flatMap((place, i) => {
      const amount = amounts[i] ?? 0n;
      return amount > 0n ? [{ ...place, amount }] : [];
    });
  }

  /** The contracts that `kind` lists for each of `tokens` and that hold some of it. */
  async heldByListed(kind: string, tokens: readonly Address[]): Promise<(Place & { amount: bigint })[]> {
    return this.held(await this.listed(kind, tokens));
  }

  /** The tokens for which `kinds` list each of `contracts`. */
  async tokensOf(kinds: readonly string[], contracts: readonly Address[]): Promise<Map<Address, Set<Address>>> {
    const tokens = new Map(contracts.map((contract) => [contract, new Set<Address>()]));
    if (contracts.length === 0) return tokens;
    const { fold, folded, final } = this.#at;
    const found = await final<{ contract: Address; token: Address }>(
      `select '0x' || encode(h.account, 'hex') as contract, '0x' || encode(a.key, 'hex') as token
         from unnest(string_to_array($2, ',')) asked(contract)
        cross join lateral (select decode(substr(asked.contract, 3), 'hex') as account) h
        cross join lateral (${assetsOfAccount(fold, { account: "h.account", block: "$3::int4" })}) held
         join ${fold}.asset a on a.id = held.asset
        where a.kind = any(string_to_array($1, ',')) and a.key <> ''`,
      [joined(kinds), joined(contracts), String(folded)],
    );
    for (const { contract, token } of found) tokens.get(contract)?.add(token);
    for (const [asset, changes] of this.#changes) {
      const [kind = "", key = ""] = asset.split(" ");
      if (key === EVERY || !kinds.includes(kind)) continue;
      for (const account of changes.keys()) tokens.get(account as Address)?.add(key as Address);
    }
    return tokens;
  }
}

/** By request and block: its protocols read the same ledgers. */
const ledgersOf = carriedBy(() => new Map<number, LedgerAt>());

/** The ledgers at `point`, opened once for a request. */
export async function ledgerAt(
  { snapshot, focus }: { snapshot: Snapshot; focus?: Focus | undefined },
  point: BlockPoint,
): Promise<LedgerAt> {
  const ledgers = ledgersOf(snapshot);
  const ledger =
    ledgers.get(point.block) ??
    new LedgerAt(asOf(snapshot, point), {
      ...{ index: snapshot.index, cache: snapshot.cache },
      changes: await changesAbove(snapshot, point),
    });
  ledgers.set(point.block, ledger);
  return focus ? ledger.focusedOn(focus) : ledger;
}
