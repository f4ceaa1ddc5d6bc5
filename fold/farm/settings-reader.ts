// What no event says about farms: staking token, rates, and when the period ends. It is read from the farm at the end of each block
// that changed it; where the node does not have that state, at the last block before the next change, as nothing differs until
// then. The fold does not wait for it: where a farm could not be read, its rates are unknown.
import type { Sql } from "postgres";
import type { Address, PublicClient } from "viem";
import { type FarmSettings, farmSettingsNeededText } from "../../core/farm/settings-needed.ts";
import { withFacts } from "../facts-reader.ts";
import { retryLater } from "../retry-later.ts";
import { raiseText } from "../revision.ts";
import { quoted } from "../tables.ts";
import { readViews, type ViewPlace } from "../views-at-block.ts";
import { farmViewAbi } from "./farm-views.ts";

const FARMS_PER_TURN = 50;

const views = ["stakingToken", "periodFinish", "getAllRewardTokens", "getAllRewardRates"];

/** @throws Error when the farm cannot be read yet */
export async function readFarmSettings(client: PublicClient, place: ViewPlace): Promise<FarmSettings> {
  const [stakingToken, periodFinish, tokens, rates] = (await readViews(client, place, { abi: farmViewAbi, views })) as [
    Address,
    bigint,
    readonly Address[],
    readonly bigint[],
  ];
  return {
    stakingToken: stakingToken.toLowerCase(),
    periodFinish,
    rewards: tokens.map((token, i) => ({ token: token.toLowerCase(), rate: rates[i] ?? 0n })),
  };
}

interface Unread {
  block: number;
  farm: Address;
  /** Missing only while the block's own row is. */
  hash: string | null;
}

interface Refused {
  place: ViewPlace;
  error: unknown;
}

export interface FarmSettingsReader {
  /** Reads and stores what is missing, some farms at a time; resolves to how many were stored. */
  readMissing(): Promise<number>;
}

export function createFarmSettingsReader(
  { db, client }: { db: Sql; client: PublicClient },
  schemas: { ponder: string; fold: string },
): FarmSettingsReader {
  const [p, s] = [quoted(schemas.ponder), quoted(schemas.fold)];
  const retries = { fold: schemas.fold, table: "farm_settings_retry", longestRestSeconds: 600 };

  const readProgress = async (): Promise<{ readUpTo: number; finalized: number }> => {
    const [row] = await db.unsafe(`select m.finalized, f.read_up_to from ${s}.meta m, ${s}.farm_progress f`);
    return { readUpTo: Number(row?.read_up_to ?? -1), finalized: Number(row?.finalized ?? -1) };
  };

  /** Not read on this branch of the chain and not resting after a failure, in order of blocks. */
  const unreadAfter = (after: number): Promise<Unread[]> =>
    withFacts(db, schemas.ponder, () =>
      db.unsafe<Unread[]>(`
        select n.block, n.farm, b.hash
          from (${farmSettingsNeededText(p, { after: String(after), upTo: String(2 ** 31 - 1) })}) n
          left join ${p}.block b on b.number = n.block
          left join ${s}.farm_settings r on r.address = decode(substr(n.farm, 3), 'hex') and r.block = n.block
               and r.block_hash = b.hash
          left join ${s}.farm_settings_retry t on t.address = decode(substr(n.farm, 3), 'hex') and t.block_hash = b.hash
         where r.address is null
           and (t.next_try is null or t.next_try <= now())
         order by n.block, n.farm limit ${FARMS_PER_TURN}`),
    );

  /** Older ones that failed before. */
  const failedUpTo = (readUpTo: number): Promise<Unread[]> =>
    withFacts(db, schemas.ponder, () =>
      db.unsafe<Unread[]>(`
        select t.block, '0x' || encode(t.address, 'hex') as farm, b.hash
          from ${s}.farm_settings_retry t join ${p}.block b on b.number = t.block and b.hash = t.block_hash
         where t.block <= ${readUpTo} and t.next_try <= now() order by t.next_try limit ${FARMS_PER_TURN}`),
    );

  const store = ({ contract, block, blockHash }: ViewPlace, settings: FarmSettings) =>
    db.unsafe(
      `with raised as (${raiseText(s)}), read as (
         delete from ${s}.farm_settings_retry where address = decode(substr($1, 3), 'hex') and block_hash = $3)
       insert into ${s}.farm_settings (address, block, block_hash, staking_token, period_finish, reward_tokens, reward_rates)
       values (decode(substr($1, 3), 'hex'), $2, $3, decode(substr($4, 3), 'hex'), $5,
               array(select decode(substr(t, 3), 'hex') from unnest(string_to_array($6, ',')) with ordinality u(t, place) order by place),
               string_to_array($7, ',')::numeric[])
       on conflict (address, block, block_hash) do nothing`,
      [
        contract,
        block,
        blockHash,
        settings.stakingToken,
        settings.periodFinish.toString(),
        settings.rewards.map(({ token }) => token).join(","),
        settings.rewards.map(({ rate }) => rate).join(","),
      ],
    );

  /** The last block at whose end, by the facts, the farm is still as it was at the end of `place`. */
  const lastUnchanged = (place: ViewPlace): Promise<ViewPlace> =>
    withFacts(db, schemas.ponder, async () => {
      const [row] = await db.unsafe<{ number: number; hash: string }[]>(
        `select number, hash from ${p}.block where number >= $1 and number < coalesce(
           (select min(n.block) from (${farmSettingsNeededText(p, { after: String(place.block), upTo: String(2 ** 31 - 1) })}) n
             where n.farm = $2), ${2 ** 31 - 1}) order by number desc limit 1`,
        [place.block, place.contract],
      );
      return row ? { ...place, block: row.number, blockHash: row.hash } : place;
    });

  /** How many of those that the node refused could be read at a later block. */
  const readLater = async (refused: readonly Refused[]): Promise<number> => {
    const later: ViewPlace[] = [];
    // one after the other: each takes the locks of the facts on the one connection
    for (const { place } of refused) later.push(await lastUnchanged(place));
    const read = await Promise.all(later.map((place) => readFarmSettings(client, place).catch(() => undefined)));
    for (const [i, { place, error }] of refused.entries()) {
      const settings = read[i];
      if (settings === undefined) await retryLater(db, retries, { ...place, error });
      else await store(place, settings);
    }
    return read.filter((settings) => settings !== undefined).length;
  };

  /** How many of them were stored. */
  const readAll = async (unread: readonly Unread[]): Promise<number> => {
    const places = unread.flatMap(({ block, farm, hash }) =>
      hash === null ? [] : [{ contract: farm, block, blockHash: hash }],
    );
    const outcomes = await Promise.all(
      places.map((place) =>
        readFarmSettings(client, place).then(
          (settings) => store(place, settings).then(() => undefined),
          (error: unknown) => ({ place, error }),
        ),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome !== undefined);
    return places.length - refused.length + (await readLater(refused));
  };

  return {
    async readMissing() {
      const { readUpTo, finalized } = await readProgress();
      const unread = await unreadAfter(readUpTo);
      const failed = await failedUpTo(readUpTo);
      const stored = await readAll([...unread, ...failed]);
      // a full turn may have left others of its last block out
      const last = unread.length < FARMS_PER_TURN ? finalized : (unread.at(-1)?.block ?? 0) - 1;
      const reached = Math.min(last, finalized);
      if (reached > readUpTo) await db.unsafe(`update ${s}.farm_progress set read_up_to = ${reached}`);
      return stored;
    },
  };
}
