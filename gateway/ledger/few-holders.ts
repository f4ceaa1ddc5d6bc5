// All that a token's holders have by the fold's tables, kept where they are few: questions about some of them need no look
// at the database then.
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
import { quoted } from "../../fold/tables.ts";
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import type { LedgerAsset } from "./block-changes.ts";
import type { QuotedSchemas } from "./facts-scope.ts";
import { indexName } from "./glance.ts";
import { keepAnswers } from "./kept-answers.ts";
import type { LiveSchemas } from "./live-schemas.ts";
import { type StandingRow, STANDING_COLUMNS, standingOf, standingRelations } from "./state.ts";
import {
  type Holders,
  keepHolders,
  knownHolders,
  MOST_LISTED_HOLDERS,
  rememberedWatermark,
} from "./watermark-memory.ts";

interface Asked {
  /** See `Snapshot.index`. */
  index: string;
  token: Address;
  assetId: number;
  /** At or below the watermark. */
  folded: number;
}

const MOST_REMEMBERED = 10_000;

const kept = keepAnswers<Holders>({ most: 200_000, mostAnswers: 500, weigh: ({ size }) => 5 + size });

/** What is asked for once is not worth reading whole. */
const missed = new Set<string>();
/** Tokens with more holders than are kept. */
const crowded = new Set<string>();

/** What is decided at or below the watermark cannot be replaced. */
const placeOf = ({ index, assetId, folded }: Asked) => ({
  index,
  point: { block: folded, hash: "final" },
  about: String(assetId),
});

/** Who is missing has nothing. */
export const knownAmounts = (asked: Asked): Holders | undefined =>
  knownHolders({ index: asked.index, watermark: asked.folded }, assetOf(asked)) ?? kept.known(placeOf(asked));

const assetOf = ({ token }: Asked): LedgerAsset => ({ kind: "erc20", key: token });

/** Somebody has asked for amounts that are not kept: the second time they are read, for those who come later. */
export function noteMissed(context: OperationContext, asked: Asked & { live: LiveSchemas }): void {
  const token = `${asked.index} ${asked.assetId}`;
  if (crowded.has(token)) return;
  const name = `${token} ${asked.folded}`;
  if (!missed.delete(name)) {
    remember(missed, name);
    return;
  }
  // who asked is answered another way
  void readFew(context, asked).catch(() => {});
}

/** Reads them, if they are few, so that {@link knownAmounts} knows them. */
export async function readFew(context: OperationContext, asked: Asked & { live: LiveSchemas }): Promise<void> {
  const token = `${asked.index} ${asked.assetId}`;
  if (crowded.has(token)) return;
  const amounts = await read(context, asked);
  if (amounts === undefined) return;
  if (amounts.size > MOST_LISTED_HOLDERS) remember(crowded, token);
  else if (rememberedWatermark(asked.index) === asked.folded)
    keepHolders({ index: asked.index, watermark: asked.folded }, assetOf(asked), amounts);
  else kept.keep(placeOf(asked), amounts);
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= MOST_REMEMBERED) names.clear();
  names.add(name);
}

type Row = StandingRow & { holders: string | null };

/** One more than are kept, where there are more. Undefined when the index has moved on. */
async function read(
  { service, chain }: OperationContext,
  { index, assetId, folded, live }: Asked & { live: LiveSchemas },
): Promise<Holders | undefined> {
  const schemas = { ponder: quoted(live.fold), fold: quoted(live.fold) };
  const text = holdersText(schemas, chain.chainId);
  const [row] = (await service.database.glance?.<Row>(text, [String(assetId), String(folded)])) ?? [];
  const now = row && standingOf(row);
  if (!row || !now?.live || now.watermark < folded) return undefined;
  const fold = quoted(now.live.fold);
  if (index !== indexName({ chainId: chain.chainId, fold, factOid: now.factOid })) return undefined;
  const amounts = new Map<string, bigint>();
  const values = row.holders?.split(" ") ?? [];
  for (let i = 0; i < values.length; i += 2) amounts.set(values[i] ?? "", BigInt(values[i + 1] ?? "0"));
  return amounts;
}

/** $1 asset, $2 block. */
const holdersText = (schemas: QuotedSchemas, chainId: number): string => `
  select ${STANDING_COLUMNS}, h.holders
    from ${standingRelations({ schemas, chainId })}
   cross join lateral (
     select string_agg('0x' || encode(few.account, 'hex') || ' ' || few.amount, ' ') as holders
       from (${rowsOfGroup(holdings, {
         ...{ fold: schemas.fold, of: { asset: "$1::int4" }, block: "$2::int4" },
         select: (row) => `${row}.account, ${row}.amount`,
       })}
             limit ${MOST_LISTED_HOLDERS + 1}) few) h`;
