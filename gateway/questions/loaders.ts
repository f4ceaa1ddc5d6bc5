// What hangs below many nodes of one answer is read for all of them at once. Loaders live as long as the request whose
// snapshot they read, and answer for one block.
import DataLoader from "dataloader";
import { wantedColumns } from "../analytics/fact-rows.ts";
import { kindOf } from "../analytics/facts-catalogue.ts";
import type { Operation, RequestScope } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import type { BlockPoint } from "../history/point.ts";
import type { TokenState } from "../history/token-state.ts";
import { memoPerObject } from "../memo-per-object.ts";
import type { Address } from "../parameters.ts";
import type { BackedAt } from "../prices/backed-shares-over.ts";
import type { TokenPrice } from "../prices/price.ts";
import type { Unsynced } from "../protocols/v2/unsynced-at.ts";
import type { HoldersCount } from "./holders-count.ts";
import {
  type LatestSwaps,
  latestSwaps,
  type MarketAt,
  type MarketPlaces,
  marketPlaces,
  marketsAmong,
  marketsUnsynced,
} from "./markets.ts";
import {
  type MarketHoldings,
  type MarketSeries,
  marketHoldings,
  marketSeries,
  pointsBefore,
  type SeriesInput,
} from "./series.ts";
import {
  backedThen,
  type TokenThen,
  tokenHolders,
  tokenPricesAt,
  tokenPricesThen,
  tokensAmong,
} from "./token-details.ts";

/** Where and when a node is asked about. */
export interface NodePlace {
  chainId: number | undefined;
  point: BlockPoint;
  /** Names of all fields that the answer has below the list that the node is of. */
  fields?: Pick<Set<string>, "has">;
}

interface Batch<Key, Value> {
  name: string;
  /** Answers for all keys, in their order. */
  operation: Operation<{ keys: readonly Key[]; point: BlockPoint }, Value[]>;
  /** What identifies a key, where keys are objects. */
  keyOf?: (key: Key) => unknown;
}

/** Of all series of one request. */
const MOST_STEPS = 100_000;

/** Returns what it has read already without a promise, so that many nodes need not be awaited one by one. */
interface Loader<Key, Value> {
  load(key: Key): Value | Promise<Value>;
  /** All of them together; what failed is an error in its place. */
  loadMany(keys: readonly Key[]): Promise<readonly (Value | Error)[]>;
}

/** `use` of what was loaded, at once if it is there. */
export const whenLoaded = <Value, Result>(loaded: Value | Promise<Value>, use: (value: Value) => Result) =>
  loaded instanceof Promise ? loaded.then(use) : use(loaded);

const tokenAndBlock = ({ token, point }: TokenThen): string => `${token} ${point.block}`;

const addressOf = ({ address }: MarketAt): Address => address;

class Loaders {
  readonly #scope: RequestScope;
  readonly #loaders = new Map<string, Loader<never, unknown>>();
  #steps = 0;
  /** Those of the first list that has any: most requests have one list. */
  #swapColumns: { of: NodePlace["fields"]; columns: Set<string> } | undefined;

  constructor(scope: RequestScope) {
    this.#scope = scope;
  }

  /** Counts the steps of all series of the request. @throws InvalidInputError naming `from` when they are too many */
  takeSteps(count: number): void {
    this.#steps += count;
    if (this.#steps > MOST_STEPS)
      throw new InvalidInputError(
        "from",
        `all series of one request may have ${MOST_STEPS} steps; ask for fewer markets`,
      );
  }

  token = (place: NodePlace) => this.#of<Address, TokenState>(place, { name: "token", operation: tokensAmong });

  /** Undefined: unpriced. */
  price = (place: NodePlace) =>
    this.#of<Address, TokenPrice | undefined>(place, { name: "price", operation: tokenPricesAt });

  /** The same at blocks of their own. */
  priceThen = (place: NodePlace) =>
    this.#of<TokenThen, TokenPrice | undefined>(place, {
      name: "price then",
      operation: tokenPricesThen,
      keyOf: tokenAndBlock,
    });

  /** Empty: nothing stands behind the share, or it is unknown what. */
  backedThen = (place: NodePlace) =>
    this.#of<TokenThen, BackedAt["parts"]>(place, { name: "backed then", operation: backedThen, keyOf: tokenAndBlock });

  /** Undefined: its creation is not recorded. */
  market = (place: NodePlace) =>
    this.#of<Address, MarketAt | undefined>(place, { name: "market", operation: marketsAmong });

  places = (place: NodePlace) =>
    this.#of<MarketAt, MarketPlaces>(place, { name: "places", operation: marketPlaces, keyOf: addressOf });

  /** Undefined: not a v2 pair with reserves. */
  unsynced = (place: NodePlace) =>
    this.#of<MarketAt, Unsynced | undefined>(place, { name: "unsynced", operation: marketsUnsynced, keyOf: addressOf });

  series = (place: NodePlace, input: SeriesInput) =>
    this.#of<MarketAt, MarketSeries>(place, {
      name: `series ${Object.values(input).join(" ")}`,
      operation: marketSeries(input),
      keyOf: addressOf,
    });

  /** The last block before a time; undefined: there is none. */
  before = (place: NodePlace) =>
    this.#of<number, BlockPoint | undefined>(place, { name: "before", operation: pointsBefore });

  holdings = (place: NodePlace) =>
    this.#of<MarketAt, MarketHoldings>(place, { name: "holdings", operation: marketHoldings, keyOf: addressOf });

  /** Undefined: its ledger has broken. */
  holders = (place: NodePlace) =>
    this.#of<Address, HoldersCount | undefined>(place, { name: "holders", operation: tokenHolders });

  swaps(place: NodePlace, count: number): Loader<MarketAt, LatestSwaps> {
    this.#swapColumns ??= place.fields && { of: place.fields, columns: wantedColumns(kindOf("swaps"), place.fields) };
    const columns = this.#swapColumns?.of === place.fields ? this.#swapColumns?.columns : undefined;
    return this.#of<MarketAt, LatestSwaps>(place, {
      name: `swaps ${count} ${[...(columns ?? [])].join(" ")}`,
      operation: latestSwaps(count, columns),
      keyOf: addressOf,
    });
  }

  /** The loader of this name for a chain and block. */
  #of<Key, Value>({ chainId, point }: NodePlace, batch: Batch<Key, Value>): Loader<Key, Value> {
    const id = `${batch.name} ${chainId ?? ""} ${point.block}`;
    const stored = this.#loaders.get(id);
    if (stored) return stored as unknown as Loader<Key, Value>;
    const loader = loaderOf(batch, (keys) => this.#scope.run(batch.operation, { keys, point }, chainId));
    this.#loaders.set(id, loader as unknown as Loader<never, unknown>);
    return loader;
  }
}

function loaderOf<Key, Value>(
  { keyOf = (key) => key }: Batch<Key, Value>,
  read: (keys: readonly Key[]) => Promise<Value[]>,
): Loader<Key, Value> {
  const loaded = new Map<unknown, Value>();
  const readAndNote = async (keys: readonly Key[]): Promise<Value[]> => {
    const values = await read(keys);
    for (const [i, value] of values.entries()) loaded.set(keyOf(keys[i] as Key), value);
    return values;
  };
  const loader = new DataLoader<Key, Value, unknown>(readAndNote, { cacheKeyFn: keyOf });
  return {
    load(key) {
      const name = keyOf(key);
      return loaded.has(name) ? (loaded.get(name) as Value) : loader.load(key);
    },
    loadMany: (keys) => loader.loadMany(keys),
  };
}

/** Those of a request. */
export const loadersOf = memoPerObject((scope: RequestScope) => new Loaders(scope));
