// The additive ledgers' histories over a range of blocks, read on demand and held in memory.

import DataLoader from "dataloader";
import type { BlockSpan } from "../../core/block-span.ts";
import { EVERY } from "../../core/ledgers/listing.ts";
import { STAKE } from "../../core/ledgers/stake.ts";
import type { Stretch } from "../history/account-steps.ts";
import type { AsOf } from "../history/as-of.ts";
import type { AmountInput } from "../history/asset-amounts.ts";
import { type LedgerAsset, nameOf } from "../history/ledger-asset.ts";
import { readMany } from "../history/many-rows.ts";
import type { Address } from "../parameters.ts";
import { AmountSeries } from "./amount-series.ts";
import { amountStretchesText, holderStretchesText, listingsText, totalChangesText } from "./stretch-texts.ts";

/** Contracts whose tokens are wanted by the kinds that list them. */
interface ListedContract {
  kinds: readonly string[];
  contract: Address;
}

/** A token that a contract is listed for from the end of `since` on, a block of the range. */
interface ListedToken {
  token: Address;
  since: number;
}

const joined = (items: readonly string[]): string => items.join(",");

export class RangeHistories {
  readonly range: BlockSpan;
  readonly #at: AsOf;

  /** `at` is the last block's. */
  constructor(at: AsOf, from: number) {
    this.#at = at;
    this.range = { from, to: at.point.block };
  }

  /** What accounts hold. */
  readonly amounts = new BulkLoader<AmountInput, AmountSeries>(
    ({ kind, key, account }) => `${kind} ${key} ${account}`,
    (inputs) => this.#readAmounts(inputs),
  );

  /** Everybody who holds some of an asset at some block, by account: for listings. */
  readonly holders = new BulkLoader<LedgerAsset, ReadonlyMap<string, AmountSeries>>(nameOf, (assets) =>
    this.#readHolders(assets),
  );

  /** What all hold together, the zero address too. */
  readonly totals = new BulkLoader<LedgerAsset, AmountSeries>(nameOf, (assets) => this.#readTotals(assets));

  /** For which tokens contracts are listed. */
  readonly tokens = new BulkLoader<ListedContract, readonly ListedToken[]>(
    ({ kinds, contract }) => `${joined(kinds)} ${contract}`,
    (wanted) => this.#readTokens(wanted),
  );

  async #readAmounts(inputs: readonly AmountInput[]): Promise<AmountSeries[]> {
    const { fold, prepared } = this.#at;
    const parameters = [
      ...[joined(inputs.map(({ kind }) => kind)), joined(inputs.map(({ key }) => key))],
      joined(inputs.map(({ account }) => account)),
      ...this.#rangeParameters(),
    ];
    const many = await readMany(prepared, { text: amountStretchesText(fold), parameters }, [
      ...["place", "since", "until", "amount"],
    ]);
    const stretches = inputs.map((): Stretch[] => []);
    for (let i = 0; i < many.length; i += 4) stretches[Number(many[i]) - 1]?.push(stretchOf(many, i + 1));
    return stretches.map((of) => AmountSeries.ofStretches(of, this.range));
  }

  async #readHolders(assets: readonly LedgerAsset[]): Promise<ReadonlyMap<string, AmountSeries>[]> {
    const { fold, prepared } = this.#at;
    const many = await readMany(
      prepared,
      { text: holderStretchesText(fold), parameters: this.#assetParameters(assets) },
      ["place", "account", "since", "until", "amount"],
    );
    const held = assets.map(() => new Map<string, Stretch[]>());
    for (let i = 0; i < many.length; i += 5) {
      const [of, account] = [held[Number(many[i]) - 1], many[i + 1] as string];
      const stretches = of?.get(account);
      if (stretches) stretches.push(stretchOf(many, i + 2));
      else of?.set(account, [stretchOf(many, i + 2)]);
    }
    return held.map(
      (of) =>
        new Map([...of].map(([account, stretches]) => [account, AmountSeries.ofStretches(stretches, this.range)])),
    );
  }

  /** A token's supply is the sum of what all have of it; of stakes there is no such ledger. */
  async #readTotals(assets: readonly LedgerAsset[]): Promise<AmountSeries[]> {
    const isToken = ({ kind }: LedgerAsset) => kind === "erc20";
    const others = assets.filter((asset) => !isToken(asset));
    const [supplies, sums] = await Promise.all([
      this.amounts.load(assets.filter(isToken).map(({ key }) => ({ kind: "supply", key: EVERY, account: key }))),
      this.#readSums(others),
    ]);
    const [supply, sum] = [supplies.values(), sums.values()];
    return assets.map((asset) => (isToken(asset) ? supply : sum).next().value as AmountSeries);
  }

  async #readSums(assets: readonly LedgerAsset[]): Promise<AmountSeries[]> {
    if (assets.length === 0) return [];
    const { fold, prepared } = this.#at;
    const many = await readMany(prepared, { text: totalChangesText(fold), parameters: this.#assetParameters(assets) }, [
      "place",
      "block",
      "delta",
    ]);
    const changes = assets.map((): { block: number; delta: bigint }[] => []);
    for (let i = 0; i < many.length; i += 3)
      changes[Number(many[i]) - 1]?.push({ block: Number(many[i + 1]), delta: BigInt(many[i + 2] as string) });
    return changes.map((of) =>
      AmountSeries.ofChanges(
        of.sort((a, b) => a.block - b.block),
        this.range,
      ),
    );
  }

  async #readTokens(wanted: readonly ListedContract[]): Promise<ListedToken[][]> {
    const { fold, prepared } = this.#at;
    const parameters = [
      joined(wanted.map(({ kinds }) => kinds.join("|"))),
      joined(wanted.map(({ contract }) => contract)),
      String(this.range.to),
    ];
    const many = await readMany(prepared, { text: listingsText(fold), parameters }, ["place", "kind", "token"]);
    const listings: (AmountInput & { place: number; token: Address })[] = [];
    for (let i = 0; i < many.length; i += 3) {
      const [place, kind, token] = [Number(many[i]) - 1, many[i + 1] as string, many[i + 2] as Address];
      listings.push({ place, token, kind, key: token, account: wanted[place]?.contract as Address });
    }
    const found = wanted.map((): ListedToken[] => []);
    for (const [i, { steps }] of (await this.amounts.load(listings)).entries()) {
      const { place, token } = listings[i] as (typeof listings)[number];
      const first = steps.find(({ value }) => value > 0n);
      if (first) found[place]?.push({ token, since: first.from });
    }
    return found;
  }

  #rangeParameters(): string[] {
    return [String(this.range.from), String(this.range.to)];
  }

  #assetParameters(assets: readonly LedgerAsset[]): string[] {
    return [joined(assets.map(({ kind }) => kind)), joined(assets.map(({ key }) => key)), ...this.#rangeParameters()];
  }
}

/** Kinds of which it matters only how much there is: everything else lists contracts. */
export const isCounted = ({ kind }: LedgerAsset): boolean => kind === "erc20" || kind === STAKE;

const stretchOf = (many: readonly string[], i: number): Stretch => ({
  since: Number(many[i]),
  until: Number(many[i + 1]),
  amount: BigInt(many[i + 2] as string),
});

/** Reads in bulk once, and then from memory without a promise: what is wanted in the same turn is one statement. */
class BulkLoader<Wanted, Found> {
  readonly #nameOf: (wanted: Wanted) => string;
  readonly #found = new Map<string, Found>();
  readonly #loader: DataLoader<Wanted, Found, string>;

  /** `read` answers in the order of what it is given. */
  constructor(nameOf: (wanted: Wanted) => string, read: (wanted: readonly Wanted[]) => Promise<Found[]>) {
    this.#nameOf = nameOf;
    this.#loader = new DataLoader(read, { cacheKeyFn: nameOf });
  }

  /** Undefined before it is loaded. */
  find(wanted: Wanted): Found | undefined {
    return this.#found.get(this.#nameOf(wanted));
  }

  /** In the order of `wanted`; each can be found from then on. */
  load(wanted: readonly Wanted[]): Promise<Found[]> {
    return Promise.all(
      wanted.map(async (one) => {
        const name = this.#nameOf(one);
        const before = this.#found.get(name);
        if (before !== undefined) return before;
        const found = await this.#loader.load(one);
        this.#found.set(name, found);
        return found;
      }),
    );
  }
}
