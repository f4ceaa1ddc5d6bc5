// What no event says: an island's range, fee and treasury when it is created, and the fee and treasury that it takes
// from its factory when its manager renounces. Both are read from the island at the end of exactly that block, at best
// before the fold takes the event; an island for which that fails waits until it succeeds.
import type { Sql } from "postgres";
import type { Address, PublicClient } from "viem";
import { settingsNeededText } from "../../core/island/fact-rows.ts";
import type { IslandSettings } from "../../core/island/facts.ts";
import type { Schemas } from "../fact-source.ts";
import { withFacts } from "../facts-reader.ts";
import { retryLater } from "../retry-later.ts";
import { quoted } from "../tables.ts";
import { readViews } from "../views-at-block.ts";
import { islandViewAbi } from "./island-views.ts";

const ISLANDS_PER_TURN = 50;

export interface UnreadSettings {
  block: number;
  /** Undefined while the block's own fact is not there yet. */
  blockHash: string | undefined;
  island: Address;
}

/** `untried`: nobody has tried to read them on this branch of the chain. `due`: it is time to try, for the first time or again. */
type Which = "untried" | "due";

const CONDITIONS: Readonly<Record<Which, string>> = {
  untried: "t.address is null",
  due: "(t.address is null or t.next_try <= now())",
};

/**
 * Islands and blocks in (after, upTo] that must be read and were not on this branch of the chain, in order of blocks, those
 * first for which nobody has tried, as blocks wait for that; of earlier blocks those of islands that wait. Call it under
 * the locks of the facts.
 */
export async function unreadSettings(
  db: Sql,
  schemas: Schemas,
  range: { after: number; upTo: number; limit: number; which: Which },
): Promise<UnreadSettings[]> {
  const [p, s] = [quoted(schemas.ponder), quoted(schemas.fold)];
  const oldest = `(select least(${range.after}, min(waiting_block) - 1) from ${s}.island where waiting_block is not null)`;
  const isWaitedFor = `exists (select from ${s}.island i
    where i.waiting_block <= n.block and i.address = decode(substr(n.island, 3), 'hex'))`;
  const rows = await db.unsafe(`
    select n.block, n.island, b.hash
      from (${settingsNeededText(p, { after: oldest, upTo: String(range.upTo) })}) n
      left join ${p}.block b on b.number = n.block
      left join ${s}.island_settings r on r.address = decode(substr(n.island, 3), 'hex') and r.block = n.block
           and r.block_hash = b.hash
      left join ${s}.island_settings_retry t on t.address = decode(substr(n.island, 3), 'hex') and t.block_hash = b.hash
     where r.address is null and ${CONDITIONS[range.which]} and (n.block > ${range.after} or ${isWaitedFor})
     order by t.address is not null, n.block, n.island limit ${range.limit}`);
  return rows.map(({ block, island, hash }) => ({ block, island, blockHash: hash ?? undefined }));
}

type Place = UnreadSettings & { blockHash: string };

const views = ["lowerTick", "upperTick", "managerFeeBPS", "managerTreasury"];

/** @throws Error when the island cannot be read yet */
export async function readSettings(client: PublicClient, place: Place): Promise<IslandSettings> {
  const request = { contract: place.island, block: place.block, blockHash: place.blockHash };
  const [tickLower, tickUpper, managerFeeBps, treasury] = await readViews(client, request, {
    abi: islandViewAbi,
    views,
  });
  return {
    tickLower: Number(tickLower),
    tickUpper: Number(tickUpper),
    managerFeeBps: Number(managerFeeBps),
    treasury: String(treasury).toLowerCase(),
  };
}

export interface SettingsReader {
  /** Reads and stores what is missing, some islands at a time; resolves to how many were stored. */
  readMissing(): Promise<number>;
}

export function createSettingsReader(
  { db, client }: { db: Sql; client: PublicClient },
  schemas: Schemas,
): SettingsReader {
  const s = quoted(schemas.fold);
  const retries = { fold: schemas.fold, table: "island_settings_retry", longestRestSeconds: 600 };

  const due = async (): Promise<Place[]> => {
    const [meta] = await db.unsafe(`select finalized from ${s}.meta`);
    const range = { after: Number(meta?.finalized ?? -1), upTo: 2 ** 31 - 1, limit: ISLANDS_PER_TURN };
    const unread = await withFacts(db, schemas.ponder, () => unreadSettings(db, schemas, { ...range, which: "due" }));
    return unread.flatMap(({ blockHash, ...place }) => (blockHash === undefined ? [] : [{ ...place, blockHash }]));
  };

  const store = ({ island, block, blockHash }: Place, settings: IslandSettings) =>
    db.unsafe(
      `with read as (
         delete from ${s}.island_settings_retry where address = decode(substr($1, 3), 'hex') and block_hash = $3)
       insert into ${s}.island_settings (address, block, block_hash, tick_lower, tick_upper, manager_fee_bps, treasury)
       values (decode(substr($1, 3), 'hex'), $2, $3, $4, $5, $6, decode(substr($7, 3), 'hex'))
       on conflict (address, block, block_hash) do nothing`,
      [island, block, blockHash, settings.tickLower, settings.tickUpper, settings.managerFeeBps, settings.treasury],
    );

  const read = async (place: Place): Promise<number> => {
    try {
      await store(place, await readSettings(client, place));
      return 1;
    } catch (error) {
      await retryLater(db, retries, { ...place, contract: place.island, error });
      return 0;
    }
  };

  return {
    async readMissing() {
      const stored = await Promise.all((await due()).map(read));
      return stored.reduce((sum, one) => sum + one, 0);
    },
  };
}
