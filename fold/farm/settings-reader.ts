// What no event says about farms: staking token, rates, and when the period ends. It is read from the farm at the end of each block
// that changed it; where the node does not have that state, at the last block before the next change, as nothing differs until
// then. The fold does not wait for it: where a farm could not be read, its rates are unknown.
import type { Sql } from "postgres";
import type { Address, PublicClient } from "viem";
import type { FarmSettings } from "../../core/farm/settings-needed.ts";
import type { ReadMissing } from "../contracts/read-missing.ts";
import { retryLater } from "../contracts/retry-later.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { readViews, type ViewPlace } from "../node/views-at-block.ts";
import { raiseText } from "../revision.ts";
import { quoted } from "../tables.ts";
import { farmViewAbi } from "./farm-views.ts";
import { failedUpTo, lastUnchanged, type UnreadFarm, unreadAfter } from "./unread-farms.ts";

const FARMS_PER_TURN = 50;

const views = ["stakingToken", "periodFinish", "getAllRewardTokens", "getAllRewardRates"];

/** @throws Error when the farm cannot be read yet */
async function readFarmSettings(client: PublicClient, place: ViewPlace): Promise<FarmSettings> {
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

interface Refused {
  place: ViewPlace;
  error: unknown;
}

export function createFarmSettingsReader(
  { db, client }: { db: Sql; client: PublicClient },
  schemas: Schemas,
): ReadMissing {
  const s = quoted(schemas.fold);
  const retries = { fold: schemas.fold, table: "farm_settings_retry", longestRestSeconds: 600 };

  const progress = async (): Promise<{ readUpTo: number; finalized: number }> => {
    const [row] = await db.unsafe(`select m.finalized, f.read_up_to from ${s}.meta m, ${s}.farm_progress f`);
    return { readUpTo: Number(row?.read_up_to ?? -1), finalized: Number(row?.finalized ?? -1) };
  };

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

  /** How many of those that the node refused could be read at a later block. */
  const readLater = async (refused: readonly Refused[]): Promise<number> => {
    const later: ViewPlace[] = [];
    // one after the other: each takes the locks of the facts on the one connection
    for (const { place } of refused) later.push(await lastUnchanged(db, schemas.ponder, place));
    const read = await Promise.all(later.map((place) => readFarmSettings(client, place).catch(() => undefined)));
    for (const [i, { place, error }] of refused.entries()) {
      const settings = read[i];
      if (settings === undefined) await retryLater(db, retries, { ...place, error });
      else await store(place, settings);
    }
    return read.filter((settings) => settings !== undefined).length;
  };

  /** How many of them were stored. */
  const readAll = async (unread: readonly UnreadFarm[]): Promise<number> => {
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

  return async () => {
    const { readUpTo, finalized } = await progress();
    const unread = await unreadAfter(db, schemas, { after: readUpTo, limit: FARMS_PER_TURN });
    const failed = await failedUpTo(db, schemas, { upTo: readUpTo, limit: FARMS_PER_TURN });
    const stored = await readAll([...unread, ...failed]);
    // a full turn may have left others of its last block out
    const last = unread.length < FARMS_PER_TURN ? finalized : (unread.at(-1)?.block ?? 0) - 1;
    const reached = Math.min(last, finalized);
    if (reached > readUpTo) await db.unsafe(`update ${s}.farm_progress set read_up_to = ${reached}`);
    return stored;
  };
}
