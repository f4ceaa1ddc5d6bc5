// A block, a token and what a few accounts have of it in one statement, without a transaction: which block is meant is
// guessed from what the last request saw, and the statement itself tells whether the guess was right. It takes its own
// locks before it takes its snapshot, so that it never reads a fold that is made anew under it; one statement sees one
// index. Whatever goes wrong, the answer is undefined, and the long way round tells what it was.
import { holdings } from "../../core/history/histories.ts";
import { quoted } from "../../fold/tables.ts";
import { type BlockChoice, resolveBlockNumber } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import type { Address } from "../parameters.ts";
import type { QuotedSchemas } from "./facts-scope.ts";
import type { BlockPoint } from "./point.ts";
import { type Standing, type StandingRow, STANDING_COLUMNS, standingOf, standingRelations } from "./state.ts";
import { type TokenRow, type TokenState, tokenColumns, tokenJoins, toTokenState } from "./token-state.ts";

export interface Glanced {
  point: BlockPoint & { hash: string };
  token: TokenState & { assetId: number };
  /** See `Snapshot.index`. */
  index: string;
  /** Of the asked accounts, in their order: raw units at the block or, if that is lower, at the watermark. */
  folded: readonly bigint[];
}

/** `amounts`: null where nobody was asked about. */
type GlanceRow = StandingRow & TokenRow & { hash: string | null; timestamp: number | null; amounts: string | null };

/** Block numbers are int4: what lies above is no block, and means "now". */
const HIGHEST_NUMBER = 2 ** 31 - 1;
/** The first may find that a block has come since. */
const ATTEMPTS = 2;

interface Asked {
  token: Address;
  block: BlockChoice;
  accounts: readonly Address[];
}

/** Undefined where one statement cannot tell. */
export async function glance(context: OperationContext, asked: Asked): Promise<Glanced | undefined> {
  const { live } = context.service;
  const { chainId } = context.chain;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const standing = live.lastStanding(chainId);
    const block = standing && guess(context, asked.block, standing);
    if (!standing?.live || block === undefined) return undefined;
    const schemas = { ponder: quoted(standing.live.fold), fold: quoted(standing.live.fold) };
    const { token, accounts } = asked;
    const row = await read(context, { token, accounts, schemas, block });
    const seen = row && standingOf(row);
    if (!row || seen?.live?.ponder !== standing.live.ponder || seen.live.fold !== standing.live.fold) return undefined;
    const now = { ...seen, highestHead: live.highestHead(chainId, seen.highestHead) };
    live.noteStanding(chainId, now);
    if (guess(context, asked.block, now) !== block) continue;
    return glancedOf(row, { now, block, index: indexName({ chainId, fold: schemas.fold, factOid: now.factOid }) });
  }
  return undefined;
}

/** Tells an index from every other, those of the same name made anew included. */
export const indexName = (index: { chainId: number; fold: string; factOid: string }): string =>
  `${index.chainId} ${index.fold} ${index.factOid}`;

/** The block that is meant, where nothing else has to be known for it. */
export function guess(
  { chain }: Pick<OperationContext, "chain">,
  choice: BlockChoice,
  standing: Standing,
): number | undefined {
  const { lastSynced, highestHead } = standing;
  if (choice.kind === "timestamp" || lastSynced === undefined || standing.stop !== undefined) return undefined;
  const isSynced = choice.kind === "latest" || (choice.number <= lastSynced && choice.number >= chain.startBlock);
  const isNow = choice.kind === "number" && choice.beyondHead === "clamp" && choice.number > HIGHEST_NUMBER;
  if (!isSynced && !(isNow && highestHead !== undefined)) return undefined;
  return resolveBlockNumber(choice, { firstBlock: chain.startBlock, lastSynced, highestHead });
}

async function read(
  { service, chain }: OperationContext,
  { schemas, block, token, accounts }: Omit<Asked, "block"> & { schemas: QuotedSchemas; block: number },
): Promise<GlanceRow | undefined> {
  const { glance: look } = service.database;
  if (!look) return undefined;
  try {
    const text = glanceText(schemas, chain.chainId);
    const [row] = await look<GlanceRow>(text, [String(block), token, accounts.join(",")]);
    return row;
  } catch {
    return undefined;
  }
}

function glancedOf(row: GlanceRow, { now, block, index }: { now: Standing; block: number; index: string }) {
  const token = toTokenState(row);
  const { assetId } = token;
  const { hash, timestamp } = row;
  if (hash === null || assetId === undefined) return undefined;
  const lastSynced = Math.max(now.lastSynced ?? block, block);
  const point = { block, hash, timestamp: timestamp ?? undefined, lastSynced, watermark: now.watermark, finalized: now.finalized };
  return { point, token: { ...token, assetId }, index, folded: row.amounts?.split(" ").map(BigInt) ?? [] };
}

const texts = new Map<string, string>();

/**
 * $1 block, $2 token, $3 accounts; what they had at the block or, if that is lower, at the watermark.
 */
function glanceText(schemas: QuotedSchemas, chainId: number): string {
  const place = { schemas, chainId };
  const name = `${chainId} ${schemas.ponder} ${schemas.fold}`;
  const known = texts.get(name);
  if (known) return known;
  const { fold } = schemas;
  const text = `
    select ${STANDING_COLUMNS}, meant.hash, meant.timestamp, ${tokenColumns}, held.amounts
      from ${standingRelations(place)}
      left join ${fold}.block meant on meant.number = $1::int4
      cross join (select decode(substr($2, 3), 'hex') as key, ${chainId}::int8 as chain_id) k
      ${tokenJoins(fold)}
      cross join lateral (
        select string_agg(coalesce(held.amount, 0)::text, ' ' order by u.place) as amounts
          from (select place, decode(substr(account, 3), 'hex') as account
                  from unnest(string_to_array($3, ',')) with ordinality as asked(account, place)) u
          left join lateral (${rowOfKey(holdings, {
            ...{ fold, block: "$1::int4", key: { asset: "a.id", account: "u.account" } },
            select: (row) => `${row}.amount`,
          })}) held on true) held`;
  texts.set(name, text);
  return text;
}
