// What lies behind contracts of which it is not known, by some block, whose is what they hold: rather too much than too little.
import { tokenAsset } from "../backing/protocol.ts";
import { brokenLedgers } from "../backing/stopped.ts";
import { FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { changing } from "../database/recent-changes.ts";
import { type AsOf, answerPlace, asOf, placeOfThings } from "../history/as-of.ts";
import { hexColumns } from "../history/hex-columns.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { openAll, readBehind } from "./issued.ts";

export interface BehindUnknown {
  /** They themselves, and those between them and the tokens. */
  contracts: ReadonlySet<Address>;
  /** The only ones of which such a contract can hold a part, at the block or before. */
  tokens: ReadonlySet<Address>;
}

const NOTHING: BehindUnknown = { contracts: new Set(), tokens: new Set() };

const behind = question<BehindUnknown>("behind-unknown");

/** Behind what has stopped, waits, is undetermined or has a broken ledger, at the block of `point` or before. */
export async function behindUnknown(context: OperationContext, point: BlockPoint): Promise<BehindUnknown> {
  const at = asOf(context.snapshot, point);
  const [broken, unknown] = await Promise.all([brokenLedgers(at), unknownAt(at)]);
  if (broken.size === 0 && unknown.length === 0) return NOTHING;
  const place = { ...answerPlace(point, ""), revision: at.revision };
  return at.cache.of(behind, place, async () => {
    const held = [...new Set(unknown.flatMap(({ token0, token1 }) => [token0, token1]))];
    const found = await readBehind(await openAll(context, point), [...broken.keys(), ...held.map(tokenAsset)]);
    return {
      contracts: new Set([...found.contracts, ...unknown.map(({ address }) => address)]),
      tokens: new Set([...found.tokens, ...held]),
    };
  });
}

interface Unknown {
  address: Address;
  token0: Address;
  token1: Address;
  since: number;
}

const unknownContracts = question<readonly Unknown[]>("unknown-contracts");

/** Final blocks share what is unknown at the last of them. */
const placeOf = (point: BlockPoint) =>
  point.block <= point.finalized
    ? { at: FINAL, key: String(point.finalized) }
    : placeOfThings(point, "", [changing.v3Pools, changing.islands]);

/** Pools and islands whose own state is unknown. */
async function unknownAt({ fold, point, cache, revision, prepared }: AsOf): Promise<readonly Unknown[]> {
  const text = `
    select ${hexColumns(["address", "token0", "token1"])}, since
      from (select address, token0, token1, stopped_block as since from ${fold}.v3_pool
             union all
            select address, token0, token1, least(stopped_block, waiting_block, undetermined_block) from ${fold}.island) c
     where since <= greatest($1::int4, $2::int4)`;
  const parameters = [String(point.block), String(point.finalized)];
  const read = () => prepared<Unknown>(text, parameters);
  const all = await cache.of(unknownContracts, { ...placeOf(point), revision }, read);
  return all.filter(({ since }) => since <= point.block);
}
