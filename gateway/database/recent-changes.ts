// Which block changed what last, as far as this process has followed an index: an answer about a thing stays the same until a
// block changes that thing. Only things with versions of their own in the fold's tables are followed.
import { holdings, islands, v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";

/** What can change; {@link changesText} names the same in SQL. */
export const changing = {
  /** Who holds how much of an asset. */
  asset: ({ kind, key }: { kind: string; key: string }): string => `${kind} ${key}`,
  /** Who holds how much of any asset of a kind. */
  kind: (kind: string): string => `kind ${kind}`,
  /** Which contracts any kind lists. */
  listed: "listed",
  supply: (token: string): string => `supply ${token}`,
  /** What one account holds of an asset; in the ledger of supplies accounts are tokens, and each is a thing by itself. */
  amount: ({ kind, key, account }: { kind: string; key: string; account: string }): string =>
    kind === "supply" ? changing.supply(account) : changing.asset({ kind, key }),
  /** Price, ticks and positions of a v3 pool, by its number in the fold's tables. */
  v3Pool: (id: number): string => `v3-pool ${id}`,
  /** Which v3 pools there are, and which have stopped. */
  v3Pools: "v3-pools",
  /** What decides the worth of an island's shares, by its number. */
  island: (id: number): string => `island ${id}`,
  /** Which islands there are, and which have an unknown state. */
  islands: "islands",
  /** Which tokens and stakes have left the range of a uint256. */
  broken: "broken",
} as const;

interface Block {
  block: number;
  /** Undefined where the chain has replaced final blocks: nothing is known about the block then. */
  hash: string | undefined;
}

/** Most blocks that are followed: their hashes are in memory. */
const MOST_BLOCKS = 4_096;
const MOST_THINGS = 200_000;

export class RecentChanges {
  readonly #from: number;
  /** Of every block followed. */
  readonly #hashes: Map<number, string>;
  /** The newest block that changed a thing; without one nothing has since {@link #from}. */
  readonly #last = new Map<string, number>();
  #head: number;
  #finalized: number;

  /** Follows the index from `head` on. */
  constructor(head: { block: number; hash: string; finalized: number }) {
    this.#from = head.block;
    this.#head = head.block;
    this.#finalized = head.finalized;
    this.#hashes = new Map([[head.block, head.hash]]);
  }

  /** $1 and $2 of {@link changesText}. */
  get parameters(): string[] {
    return [String(this.#head), String(this.#finalized)];
  }

  /**
   * The hash of the earliest known block since whose end `things` have not changed, up to the end of the block given; its own hash
   * where that is not known.
   */
  sameSince({ block, hash }: Block, things: readonly string[]): string | undefined {
    if (!this.has({ block, hash })) return hash;
    let since = this.#from;
    for (const thing of things) {
      const last = this.#last.get(thing) ?? this.#from;
      if (last > block) return hash;
      if (last > since) since = last;
    }
    return this.#hashes.get(since) ?? hash;
  }

  /** Whether the block is one of those followed. */
  has({ block, hash }: Block): boolean {
    return hash !== undefined && this.#hashes.get(block) === hash;
  }

  /** Follows the index to the head of `rows`. False when they do not continue from here: then this object must not be used any more. */
  follow(rows: readonly ChangeRow[]): boolean {
    const [first] = rows;
    if (first === undefined || first.finalized > this.#head || !this.#isHere(rows)) return false;
    if (this.#hashes.size > MOST_BLOCKS || this.#last.size > MOST_THINGS) return false;
    for (const { block, hash, thing } of rows) {
      if (block === null) continue;
      if (hash !== null) this.#hashes.set(block, hash);
      if (thing !== null && block > (this.#last.get(thing) ?? -1)) this.#last.set(thing, block);
    }
    this.#head = Math.max(this.#head, first.head);
    this.#finalized = Math.max(this.#finalized, first.finalized);
    return true;
  }

  /** Whether the block that was the head is on the branch of `rows`. */
  #isHere(rows: readonly ChangeRow[]): boolean {
    return rows.some(({ block, hash }) => block === this.#head && hash === this.#hashes.get(this.#head));
  }
}

export interface ChangeRow {
  head: number;
  finalized: number;
  block: number | null;
  /** Of a block, of which this is the row. */
  hash: string | null;
  /** What the block changed. */
  thing: string | null;
}

/**
 * SELECT text of {@link ChangeRow}s: every block from $1 on and the head, what blocks after $1 changed, and which tokens have
 * left the range of a uint256 in a block after $2, the last one that was final: what there is of them goes once theirs is.
 * `fold`: quoted name of the fold's schema.
 */
export function changesText(fold: string): string {
  const address = (column: string) => `'0x' || encode(${column}, 'hex')`;
  const after = ({ name }: History) => `${fold}.${name}_recent where block > $1::int4`;
  const ofPools = [v3Pools, v3Ticks, v3Positions, v3Nfts].map((history) => `select block, pool from ${after(history)}`);
  return `
    select m.head, m.finalized, c.* from ${fold}.meta m left join (
      select number as block, hash, null::text as thing from ${fold}.block
       where number >= $1::int4 or number = (select head from ${fold}.meta)
      union all
      select h.block, null, unnest(case when h.asset = 0 then array['supply ' || ${address("h.account")}] else
               array['kind ' || a.kind, a.kind || ' ' || ${address("a.key")}] || case when a.key = '' then array['listed'] end end)
        from (select distinct block, asset, case when asset = 0 then account end as account from ${after(holdings)}) h
        join ${fold}.asset a on a.id = h.asset
      union all
      select distinct block, null, 'v3-pool ' || pool from (${ofPools.join(" union ")}) p
      union all
      select distinct block, null, unnest(array['islands', 'island ' || island]) from ${after(islands)}
      union all
      select head, null, 'v3-pools' from ${fold}.meta
       where exists (select from ${fold}.v3_pool where created_block > $1::int4 or stopped_block > $1::int4)
      union all
      select head, null, 'islands' from ${fold}.meta
       where exists (select from ${fold}.island where greatest(created_block, stopped_block, waiting_block, undetermined_block) > $1::int4)
      union all
      select n.head, null, unnest(array[a.kind || ' ' || ${address("a.key")}, 'supply ' || ${address("a.key")}, 'broken'])
        from ${fold}.meta n cross join ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset where q.block > $2::int4
    ) c on true`;
}
