// What hangs below markets, of many at once: a fixed number of statements however many there are.
import { factsOfRow, factsRowText, type Wanted } from "../analytics/fact-rows.ts";
import { kindOf } from "../analytics/facts-catalogue.ts";
import { latestText, pageText } from "../analytics/page-sql.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import type { Operation } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { type FactsRow, readPage } from "../history/raw-facts.ts";
import { type Address, MOST_PER_PAGE } from "../parameters.ts";
import { reservesAt, withReserves } from "../protocols/v2/pairs-at.ts";
import { type Unsynced, unsyncedOf } from "../protocols/v2/unsynced-at.ts";
import type { Fact } from "./facts.ts";

/** As its creation event says: see the kind of fact `markets`. */
export type MarketAt = Fact & {
  address: Address;
  protocol: "v2" | "v3" | "curve";
  token0: Address;
  token1: Address;
  /** In 1/1,000,000; null for launch curves. */
  fee: number | null;
};

interface KeysInput<Key> {
  keys: readonly Key[];
  point: BlockPoint;
}

/** By address, in the order asked; undefined: its creation is not recorded. */
export const marketsAmong: Operation<KeysInput<Address>, (MarketAt | undefined)[]> = {
  name: "markets",
  async run({ keys, point }, { chain, snapshot }) {
    const { fold } = snapshot;
    const creations = { parts: (table: string) => [`${fold}.${table}`] };
    const found = new Map<Address, MarketAt>();
    // a page of facts names at most as many as a filter may
    for (let from = 0; from < keys.length; from += MOST_PER_PAGE) {
      const text = pageText(
        { facts: creations, chain },
        {
          kind: kindOf("markets"),
          where: { address: keys.slice(from, from + MOST_PER_PAGE) },
          span: { from: 0, to: point.block },
          orderBy: undefined,
          isAscending: false,
          behind: undefined,
          limit: MOST_PER_PAGE,
        },
      );
      const rows = await snapshot.rows<FactsRow>(factsRowText(kindOf("markets"), text));
      for (const market of factsOfRow<MarketAt>(kindOf("markets"), rows)) found.set(market.address, market);
    }
    return keys.map((address) => found.get(address));
  },
};

/** Newest first; undefined for launch curves, whose trades are of another kind. */
export type LatestSwaps = readonly Fact[] | undefined;

const tradesSwaps = ({ protocol }: MarketAt): boolean => protocol !== "curve";

/** The newest `count` swaps of each market; `columns`: without it all of each. */
export const latestSwaps = (count: number, columns?: Wanted): Operation<KeysInput<MarketAt>, LatestSwaps[]> => ({
  name: "swaps",
  async run({ keys, point }, { chain, snapshot }) {
    const trading = keys.filter(tradesSwaps);
    const newest = {
      keys: trading.map(({ address, protocol }) => ({ key: address, source: protocol })),
      column: "pool",
      sourceColumn: "protocol",
      upTo: point.block,
      count,
    };
    const rows = await readPage(snapshot, point, (facts) => {
      const text = latestText({ facts, chain }, kindOf("swaps"), newest);
      return text === undefined ? undefined : factsRowText(kindOf("swaps"), text, columns);
    });
    const byPool = new Map<Address, Fact[]>(trading.map(({ address }) => [address, []]));
    for (const row of factsOfRow<Fact & { pool: Address }>(kindOf("swaps"), rows, columns))
      byPool.get(row.pool)?.push(row);
    return keys.map((market) => (tradesSwaps(market) ? (byPool.get(market.address) ?? []) : undefined));
  },
});

/** A contract in which shares of a market are staked or deposited. */
interface MarketFarm {
  vault: Address;
  kind: string;
  /** What it takes: a v2 pair's own share, or that of an island. */
  share: Address;
}

export interface MarketPlaces {
  /** Islands that manage a position in it. */
  islands: readonly Address[];
  farms: readonly MarketFarm[];
}

const STAKING_KINDS = ["reward-vault", "farm", "infrared", "bault"];

/** Which contracts take shares of each market. */
export const marketPlaces: Operation<KeysInput<MarketAt>, MarketPlaces[]> = {
  name: "markets",
  async run({ keys, point }, context) {
    const { snapshot } = context;
    const pools = keys.flatMap(({ protocol, address }) => (protocol === "v3" ? [address] : []));
    const islands =
      pools.length === 0
        ? []
        : await snapshot.prepared<{ pool: Address; island: Address }>(
            `select pool, island from ${snapshot.fold}.island_created
              where pool = any(string_to_array($1, ',')) and block <= $2::int4 order by block, log_index`,
            [pools.join(","), String(point.block)],
          );
    const sharesOf = ({ address, protocol }: MarketAt): Address[] =>
      protocol === "v2" ? [address] : islands.flatMap(({ pool, island }) => (pool === address ? [island] : []));
    const ledger = ledgerAt(context, point);
    const shares = [...new Set(keys.flatMap(sharesOf))];
    const farms = new Map<Address, MarketFarm[]>(shares.map((share) => [share, []]));
    for (const kind of STAKING_KINDS)
      for (const { token, contract } of await ledger.listed(kind, shares))
        farms.get(token)?.push({ vault: contract, kind: kind.replaceAll("-", "_"), share: token });
    return keys.map((market) => ({
      islands: market.protocol === "v3" ? sharesOf(market) : [],
      farms: sharesOf(market).flatMap((share) => farms.get(share) ?? []),
    }));
  },
};

/** What v2 pairs hold beyond their reserves; undefined for other markets, and for pairs that have logged no reserves yet. */
export const marketsUnsynced: Operation<KeysInput<MarketAt>, (Unsynced | undefined)[]> = {
  name: "markets",
  async run({ keys, point }, context) {
    const pairs = keys.filter(({ protocol }) => protocol === "v2");
    const reserves = pairs.length === 0 ? new Map() : await reservesAt(context, point);
    const synced = withReserves(pairs, reserves);
    const unsynced = await unsyncedOf(context, point, synced);
    const byPair = new Map(synced.map(({ address }, i) => [address, unsynced[i]]));
    return keys.map(({ address }) => byPair.get(address));
  },
};
