// What lies behind contracts of which it is not known, by some block, whose is what they hold: rather too much than too little.
import { tokenAsset } from "../backing/protocol.ts";
import { brokenLedgers } from "../backing/stopped.ts";
import { FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { changing } from "../database/recent-changes.ts";
import { type AsOf, answerPlace, asOf, placeOfThings } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import { hexColumns } from "../history/sql-values.ts";
import type { Address } from "../parameters.ts";
import { openAll, readBehind } from "./issued.ts";

interface BehindUnknown {
  /** They themselves, and those between them and the tokens. */
  contracts: ReadonlySet<Address>;
  /** The only ones of which such a contract can hold a part, at the block or before. */
  tokens: ReadonlySet<Address>;
}

const NOTHING: BehindUnknown = { contracts: new Set(), tokens: new Set() };

const behind = question<BehindUnknown>("behind-unknown");
const behindHeldByAnyone = question<BehindUnknown>("behind-held-by-anyone");

/** Behind what has stopped, waits, is undetermined or has a broken ledger, at the block of `point` or before. */
export async function behindUnknown(context: OperationContext, point: BlockPoint): Promise<BehindUnknown> {
  const { broken, contracts } = await unknownBy(asOf(context.snapshot, point));
  return cachedBehind(context, { point, kind: behind }, { issued: broken, contracts, withNeeding: true });
}

/**
 * The same of those alone of which any account may have a part: whose ledger is broken, and pools that have stopped, as positions may have
 * been opened since.
 */
export async function behindWhatAnyoneMayHold(context: OperationContext, point: BlockPoint): Promise<BehindUnknown> {
  const { broken, contracts } = await unknownBy(asOf(context.snapshot, point));
  const pools = contracts.filter(({ isPool }) => isPool);
  return cachedBehind(
    context,
    { point, kind: behindHeldByAnyone },
    { issued: broken, contracts: pools, withNeeding: false },
  );
}

interface From {
  /** Ids of what nobody knows who holds. */
  issued: readonly string[];
  contracts: readonly Unknown[];
  /** Whether what is owed beyond that counts, too. */
  withNeeding: boolean;
}

async function cachedBehind(
  context: OperationContext,
  { point, kind }: { point: BlockPoint; kind: typeof behind },
  { issued, contracts, withNeeding }: From,
): Promise<BehindUnknown> {
  if (issued.length === 0 && contracts.length === 0) return NOTHING;
  const { cache, revision } = asOf(context.snapshot, point);
  return cache.of(kind, { ...answerPlace(point, ""), revision }, async () => {
    const held = [...new Set(contracts.flatMap(({ token0, token1 }) => [token0, token1]))];
    const open = await openAll(context, point);
    const from = [...issued, ...held.map(tokenAsset)];
    for (const protocol of withNeeding ? open : []) from.push(...((await protocol.needing?.(issued)) ?? []));
    const found = await readBehind(open, from);
    return {
      contracts: new Set([...found.contracts, ...contracts.map(({ address }) => address)]),
      tokens: new Set([...found.tokens, ...held]),
    };
  });
}

interface Unknown {
  address: Address;
  isPool: boolean;
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

async function unknownBy(at: AsOf): Promise<{ broken: readonly string[]; contracts: readonly Unknown[] }> {
  const [broken, contracts] = await Promise.all([brokenLedgers(at), unknownAt(at)]);
  return { broken: [...broken.keys()], contracts };
}

/** Pools and islands whose own state is unknown. */
async function unknownAt({ fold, point, cache, revision, prepared }: AsOf): Promise<readonly Unknown[]> {
  const text = `
    select ${hexColumns(["address", "token0", "token1"])}, is_pool as "isPool", since
      from (select true as is_pool, address, token0, token1, stopped_block as since from ${fold}.v3_pool
             union all
            select false, address, token0, token1, least(stopped_block, waiting_block, undetermined_block) from ${fold}.island) c
     where since <= greatest($1::int4, $2::int4)`;
  const parameters = [String(point.block), String(point.finalized)];
  const read = () => prepared<Unknown>(text, parameters);
  const all = await cache.of(unknownContracts, { ...placeOf(point), revision }, read);
  return all.filter(({ since }) => since <= point.block);
}
