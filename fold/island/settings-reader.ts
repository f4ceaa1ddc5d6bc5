// What no event says: an island's range, fee and treasury when it is created, and the fee and treasury that it takes
// from its factory when its manager renounces. Both are read from the island at the end of exactly that block, at best
// before the fold takes the event; an island for which that fails waits. Where the node turns out not to have that state,
// they are derived; what cannot be derived is stored as not determined, and read again now and then.
import type { Sql } from "postgres";
import type { Address, PublicClient } from "viem";
import { type BlocksAfter, LAST_BLOCK } from "../../core/blocks-after.ts";
import { settingsNeededText } from "../../core/island/fact-rows.ts";
import type { IslandSettings } from "../../core/island/facts.ts";
import type { ReadMissing } from "../contracts/read-missing.ts";
import { type Failure, retryLater } from "../contracts/retry-later.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { withFacts } from "../facts/facts-reader.ts";
import { isRefusal } from "../node/refusal.ts";
import { quoted } from "../tables.ts";
import { deriveSettings } from "./derive-settings.ts";
import { readSettings, type SettingsPlace } from "./read-settings.ts";

const ISLANDS_PER_TURN = 50;
/** After this many refusals the node does not have the state: derived settings are as good as read ones, but cost more. */
const REFUSALS_BEFORE_DERIVING = 3;

interface UnreadSettings {
  block: number;
  /** Undefined while the block's own fact is not there yet. */
  blockHash: string | undefined;
  island: Address;
  /** How often the node has answered that it lacks the state. */
  refusals: number;
  /** It is stored as not determined. */
  isStored: boolean;
}

/** `untried`: nobody has tried to read them on this branch of the chain. `due`: it is time to try, for the first time or again. */
type Which = "untried" | "due";

/** SQL condition on a row of `island_settings`: nothing determines range or fee. */
export const isOpenSql = (row: string): string => `(${row}.tick_lower is null or ${row}.manager_fee_bps is null)`;

const CONDITIONS: Readonly<Record<Which, string>> = {
  untried: "r.address is null and t.address is null",
  due: `(r.address is null or ${isOpenSql("r")}) and (t.address is null or t.next_try <= now())`,
};

/**
 * Islands and blocks in (after, upTo] that must be read and have not been on this branch of the chain, in order of blocks, untried
 * ones first, as blocks wait for them; and, of earlier blocks, those of islands that wait or for which something is not determined.
 * Call it under the locks of the facts.
 */
export async function unreadSettings(
  db: Sql,
  schemas: Schemas,
  range: BlocksAfter & { limit: number; which: Which },
): Promise<UnreadSettings[]> {
  const [p, s] = [quoted(schemas.ponder), quoted(schemas.fold)];
  const first = "least(waiting_block, undetermined_block)";
  const oldest = `(select least(${range.after}, min(${first}) - 1) from ${s}.island where ${first} is not null)`;
  const isWaitedFor = `exists (select from ${s}.island i
    where ${first} <= n.block and i.address = decode(substr(n.island, 3), 'hex'))`;
  const rows = await db.unsafe(`
    select n.block, n.island, b.hash, coalesce(t.refusals, 0) as refusals, r.address is not null as is_stored
      from (${settingsNeededText(p, { after: oldest, upTo: range.upTo })}) n
      left join ${p}.block b on b.number = n.block
      left join ${s}.island_settings r on r.address = decode(substr(n.island, 3), 'hex') and r.block = n.block
           and r.block_hash = b.hash
      left join ${s}.island_settings_retry t on t.address = decode(substr(n.island, 3), 'hex') and t.block_hash = b.hash
     where ${CONDITIONS[range.which]} and (n.block > ${range.after} or ${isWaitedFor})
     order by t.address is not null, n.block, n.island limit ${range.limit}`);
  return rows.map(({ block, island, hash, refusals, is_stored }) => ({
    ...{ block, island, refusals, isStored: is_stored, blockHash: hash ?? undefined },
  }));
}

type Place = SettingsPlace & Pick<UnreadSettings, "refusals" | "isStored">;

export function createIslandSettingsReader(
  { db, client }: { db: Sql; client: PublicClient },
  schemas: Schemas,
): ReadMissing {
  const s = quoted(schemas.fold);
  const retries = { fold: schemas.fold, table: "island_settings_retry", longestRestSeconds: 600 };

  const due = async (): Promise<Place[]> => {
    const [meta] = await db.unsafe(`select finalized from ${s}.meta`);
    const range = { after: Number(meta?.finalized ?? -1), upTo: LAST_BLOCK, limit: ISLANDS_PER_TURN };
    const unread = await withFacts(db, schemas.ponder, () => unreadSettings(db, schemas, { ...range, which: "due" }));
    return unread.flatMap(({ blockHash, ...place }) => (blockHash === undefined ? [] : [{ ...place, blockHash }]));
  };

  /** What is not determined stays to be read: its next try is noted. */
  const store = ({ island, block, blockHash }: Place, settings: IslandSettings) =>
    db.unsafe(
      `with read as (
         delete from ${s}.island_settings_retry
          where address = decode(substr($1, 3), 'hex') and block_hash = $3 and $4::int4 is not null and $6::int4 is not null)
       insert into ${s}.island_settings as r (address, block, block_hash, tick_lower, tick_upper, manager_fee_bps, treasury)
       values (decode(substr($1, 3), 'hex'), $2, $3, $4, $5, $6, decode(substr($7, 3), 'hex'))
       on conflict (address, block, block_hash) do update set tick_lower = excluded.tick_lower,
         tick_upper = excluded.tick_upper, manager_fee_bps = excluded.manager_fee_bps, treasury = excluded.treasury
         where ${isOpenSql("r")}`,
      [
        ...[island, block, blockHash, settings.tickLower ?? null, settings.tickUpper ?? null],
        ...[settings.managerFeeBps ?? null, settings.treasury ?? null],
      ],
    );

  const isWhole = ({ tickLower, managerFeeBps }: IslandSettings) =>
    tickLower !== undefined && managerFeeBps !== undefined;

  /** Undefined when all of it is stored. */
  const derive = async (place: Place, refusal: Failure): Promise<Failure | undefined> => {
    try {
      const settings = await deriveSettings({ db, client }, schemas, place);
      await store(place, settings);
      return isWhole(settings) ? undefined : refusal;
    } catch (error) {
      return { ...refusal, error };
    }
  };

  /** Undefined when it is stored. */
  const read = (place: Place): Promise<Failure | undefined> =>
    readSettings(client, place).then(
      (settings) => store(place, settings).then(() => undefined),
      async (error: unknown) => ({ error, isRefusal: await isRefusal(client, place.block, error) }),
    );

  return async () => {
    const places = await due();
    const failures = await Promise.all(places.map(read));
    let stored = 0;
    for (const [i, place] of places.entries()) {
      const failure = failures[i];
      const mayDerive = failure?.isRefusal && place.refusals >= REFUSALS_BEFORE_DERIVING && !place.isStored;
      const left = mayDerive ? await derive(place, failure) : failure;
      if (left === undefined) stored += 1;
      else await retryLater(db, retries, { ...place, contract: place.island, ...left });
    }
    return stored;
  };
}
