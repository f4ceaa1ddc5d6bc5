// What facts of islands above the watermark changed: rows that replace the fold's current ones, by the same reducer as
// the fold's. Worked out once per head, since every question about the newest blocks needs it.
import {
  type IslandFactRow,
  islandFactsText,
  needsSettings,
  settingsNeededText,
  toIslandFact,
} from "../../core/island/fact-rows.ts";
import type { IslandSettings } from "../../core/island/facts.ts";
import { IslandMismatchError } from "../../core/island/island-mismatch.ts";
import {
  applyIslandFact,
  createIslandWorld,
  endIslandBlock,
  type IslandWorld,
  restoreIsland,
  restoreIslandStop,
} from "../../core/island/reducer.ts";
import type { IslandRow } from "../../core/island/state.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import type { Address } from "../parameters.ts";
import { type Island, type IslandInfoRow, type IslandStop, islandInfoColumns, toIsland } from "./island.ts";
import { readFoldedRows } from "./stored-rows.ts";

export interface IslandOverlay {
  /** Islands created above the watermark, in event order. */
  created: readonly Island[];
  stops: ReadonlyMap<string, IslandStop>;
  /** Islands that must be read from the chain first. */
  pending: ReadonlySet<string>;
  /** Rows as they are after the last fact. */
  rows: ReadonlyMap<string, IslandRow>;
}

export const NO_ISLAND_OVERLAY: IslandOverlay = {
  created: [],
  stops: new Map(),
  pending: new Set(),
  rows: new Map(),
};

/** While settings are missing the answer is not final. */
const kept = keepAnswers<IslandOverlay>({ most: 8, weigh: () => 1, isFinal: ({ pending }) => pending.size === 0 });

/** Facts of islands in (watermark, point.block], replayed. */
export async function readIslandOverlay(
  { chain, snapshot }: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<IslandOverlay> {
  if (!chain.islands || point.block <= point.watermark) return NO_ISLAND_OVERLAY;
  return kept.of({ snapshot, point, about: `islands above ${point.watermark}` }, () => replayed(snapshot, point));
}

async function replayed(snapshot: Snapshot, point: BlockPoint): Promise<IslandOverlay> {
  const range = { after: String(point.watermark), upTo: String(point.block) };
  const { facts, needed } = await snapshot.withFacts(async (scope) => ({
    facts: await scope.rows<IslandFactRow>(islandFactsText(scope.schemas.ponder, range)),
    needed: await readNeeded(scope, range),
  }));
  const at = asOf(snapshot, point);
  const settings = await readSettings(at, needed);
  const pending = new Set(needed.flatMap(({ island, block }) => (settings.has(`${island} ${block}`) ? [] : [island])));
  const { world, known: old } = await restore(at, facts);
  const told = facts.filter(({ island }) => !pending.has(island));
  return { ...replay(world, told, settings), pending, created: createdBy(facts, { old, pending }) };
}

interface NeededRow {
  block: number;
  island: string;
  /** Missing only while the block's own row is. */
  hash: string | null;
}

const readNeeded = ({ rows, schemas }: FactsScope, range: { after: string; upTo: string }): Promise<NeededRow[]> =>
  rows(`select n.block, n.island, b.hash from (${settingsNeededText(schemas.ponder, range)}) n
          left join ${schemas.ponder}.block b on b.number = n.block`);

/** By island and block: what was read in that very block, which a reorg may have replaced since. */
async function readSettings(
  { fold, rows }: AsOf,
  needed: readonly NeededRow[],
): Promise<ReadonlyMap<string, IslandSettings>> {
  if (needed.length === 0) return new Map();
  const hashes = new Map(needed.map(({ island, block, hash }) => [`${island} ${block}`, hash]));
  const found = await rows<{
    island: string;
    block: number;
    hash: string;
    tick_lower: number;
    tick_upper: number;
    manager_fee_bps: number;
    treasury: string;
  }>(
    `select '0x' || encode(address, 'hex') as island, block, block_hash as hash, tick_lower, tick_upper, manager_fee_bps,
            '0x' || encode(treasury, 'hex') as treasury
       from ${fold}.island_settings where block = any(string_to_array($1, ',')::int4[])`,
    [[...new Set(needed.map(({ block }) => block))].join(",")],
  );
  return new Map(
    found
      .filter(({ island, block, hash }) => hashes.get(`${island} ${block}`) === hash)
      .map((row) => [
        `${row.island} ${row.block}`,
        {
          tickLower: row.tick_lower,
          tickUpper: row.tick_upper,
          managerFeeBps: row.manager_fee_bps,
          treasury: row.treasury,
        },
      ]),
  );
}

/** The islands that `facts` name, as they are at the watermark. */
async function restore(
  at: AsOf,
  facts: readonly IslandFactRow[],
): Promise<{ world: IslandWorld; known: ReadonlySet<string> }> {
  const world = createIslandWorld();
  if (facts.length === 0) return { world, known: new Set() };
  const found = await at.rows<IslandInfoRow>(
    `select ${islandInfoColumns} from ${at.fold}.island
      where address in (select decode(substr(a, 3), 'hex') from unnest(string_to_array($1, ',')) a)`,
    [[...new Set(facts.map(({ island }) => island))].join(",")],
  );
  const islands = found.map((row) => toIsland(row, at.folded));
  const rows = await readFoldedRows(at, islands);
  for (const { address, pool, token0, token1, stopped } of islands) {
    const row = rows.get(address);
    if (!row) throw new Error(`island ${address} has no row at block ${at.folded}`);
    restoreIsland(world, { island: address, pool, token0, token1 }, row);
    if (stopped) restoreIslandStop(world, new IslandMismatchError({ island: address, ...stopped }, stopped));
  }
  return { world, known: new Set(islands.map(({ address }) => address)) };
}

function replay(
  world: IslandWorld,
  facts: readonly IslandFactRow[],
  settings: ReadonlyMap<string, IslandSettings>,
): Pick<IslandOverlay, "rows" | "stops"> {
  const rows = new Map<string, IslandRow>();
  const stops = new Map<string, IslandStop>();
  const stop = ({ island, block, logIndex, field, expected, replayed }: IslandMismatchError) =>
    stops.set(island, { block, logIndex, field, expected, replayed });
  const endBlock = () => {
    const ended = endIslandBlock(world);
    for (const row of ended.rows) rows.set(row.island, row);
    for (const mismatch of ended.stops) stop(mismatch);
  };
  let block: number | undefined;
  for (const row of facts) {
    if (row.block !== block) endBlock();
    block = row.block;
    const read = needsSettings(row) ? settings.get(`${row.island} ${row.block}`) : undefined;
    const mismatch = applyIslandFact(world, toIslandFact(row, read));
    if (mismatch) stop(mismatch);
  }
  endBlock();
  return { rows, stops };
}

function createdBy(
  facts: readonly IslandFactRow[],
  { old, pending }: { old: ReadonlySet<string>; pending: ReadonlySet<string> },
): Island[] {
  return facts
    .filter(({ kind, island }) => kind === "created" && !old.has(island))
    .map((row) => ({
      id: undefined,
      address: row.island as Address,
      pool: row.pool as Address,
      token0: row.token0 as Address,
      token1: row.token1 as Address,
      createdBlock: row.block,
      createdLog: row.log_index,
      stopped: undefined,
      isPending: pending.has(row.island),
    }));
}
