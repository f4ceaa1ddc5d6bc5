// What v3 facts above the watermark changed: rows that replace the fold's current ones. Worked out once per head, since
// every question about the newest blocks needs it.

import type { ChainFile } from "../../chains/chain-file.ts";
import { v3Reserve } from "../../core/ledgers/v3-reserve.ts";
import {
  toV3Fact,
  type V3FactRow,
  type V3PoolCreatedRow,
  v3FactsText,
  v3PoolsCreatedText,
} from "../../core/v3/fact-rows.ts";
import { ZERO_ADDRESS } from "../../core/v3/position-manager.ts";
import type { NftRow, PoolRow, PositionRow, TickRow } from "../../core/v3/rows.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../ledger/as-of.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import type { V3Pool } from "./pool.ts";
import { type ReplayOutput, replayAbove } from "./replay-above.ts";
import { readReplayed } from "./replayed-rows.ts";

export interface V3Overlay {
  /** Pools created above the watermark, in event order. */
  created: readonly V3Pool[];
  /** Pools that facts above the watermark name and that are not tellable up here: why. */
  stops: ReplayOutput["stops"];
  pending: ReadonlySet<Address>;
  /** By pool. */
  slots: ReadonlyMap<string, PoolRow>;
  /** The same at the end of every block that changed the pool, in order. */
  slotHistory: ReplayOutput["slots"];
  ticks: ReadonlyMap<string, readonly TickRow[]>;
  positions: ReadonlyMap<string, readonly PositionRow[]>;
  /** By pool; burnt ones have the zero address as owner. */
  nfts: ReadonlyMap<string, readonly NftRow[]>;
  /** What came in, less what went out, by `<token> <pool>`. */
  reserves: ReadonlyMap<string, bigint>;
}

export const NO_V3_OVERLAY: V3Overlay = {
  created: [],
  stops: new Map(),
  pending: new Set(),
  slots: new Map(),
  slotHistory: [],
  ticks: new Map(),
  positions: new Map(),
  nfts: new Map(),
  reserves: new Map(),
};

/** While a fee is missing the answer is not final. */
const kept = keepAnswers<V3Overlay>({ most: 8, weigh: () => 1, isFinal: ({ pending }) => pending.size === 0 });

/** Facts of the v3 deployments in (watermark, point.block], replayed. */
export async function readV3Overlay(
  context: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<V3Overlay> {
  const { chain, snapshot } = context;
  if (!chain.v3 || point.block <= point.watermark) return NO_V3_OVERLAY;
  const about = `v3 above ${point.watermark}`;
  return kept.of({ snapshot, point, about }, () => replayed(context, point));
}

/** As the statements' parameters. */
const RANGE = { after: "$1::int4", upTo: "$2::int4" };

async function replayed(
  { chain, snapshot }: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<V3Overlay> {
  const range = [String(point.watermark), String(point.block)];
  const { rows, created, initialised, reserves } = await snapshot.withFacts(async (facts) => ({
    created: await facts.prepared<V3PoolCreatedRow>(v3PoolsCreatedText(facts.schemas.ponder, RANGE), range),
    rows: await facts.prepared<V3FactRow>(v3FactsText(facts.schemas.ponder, RANGE), range),
    initialised: await readInitialised(facts, range),
    reserves: await readReserves(facts, range),
  }));
  const facts = rows.map((row) => ({ contract: row.contract, fact: toV3Fact(row) }));
  const young = created.flatMap((row) => newPool(chain, row));
  const input = await readReplayed(asOf(snapshot, point), { facts, young, initialised });
  return { ...collect(replayAbove(input), young, input.pending), reserves };
}

/** A pool of a factory that the chain file names. */
function newPool({ v3 }: ChainFile, row: V3PoolCreatedRow): V3Pool[] {
  const deployment = v3?.deployments.find(({ factory }) => factory.address === row.factory);
  if (!deployment) return [];
  return [
    {
      id: undefined,
      address: row.pool as Address,
      factory: row.factory as Address,
      manager: deployment.positionManager.address,
      token0: row.token0 as Address,
      token1: row.token1 as Address,
      fee: row.fee,
      tickSpacing: row.tick_spacing,
      flavour: deployment.flavour,
      createdBlock: row.block,
      createdLog: row.log_index,
      stopped: undefined,
      isPending: false,
    },
  ];
}

/** Hash of the block of `Initialize` by pool; the hash is missing only while the block's own row is. */
async function readInitialised(
  { prepared, schemas }: FactsScope,
  range: string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = await prepared<{ pool: string; hash: string | null }>(
    `select i.pool, b.hash from ${schemas.ponder}.v3_initialize i left join ${schemas.ponder}.block b on b.number = i.block
      where i.block > ${RANGE.after} and i.block <= ${RANGE.upTo}`,
    range,
  );
  return new Map(found.map(({ pool, hash }) => [pool, hash ?? undefined]));
}

async function readReserves({ prepared, schemas }: FactsScope, range: string[]): Promise<ReadonlyMap<string, bigint>> {
  const found = await prepared<{ token: string; pool: string; delta: string }>(
    `select key as token, account as pool, sum(delta)::text as delta
       from (${v3Reserve.deltas(schemas.ponder, RANGE)}) d group by key, account`,
    range,
  );
  return new Map(found.map(({ token, pool, delta }) => [`${token} ${pool}`, BigInt(delta)]));
}

function collect(
  { changes, slots: slotHistory, stops }: ReplayOutput,
  young: readonly V3Pool[],
  pending: ReadonlySet<Address>,
): Omit<V3Overlay, "reserves"> {
  const slots = new Map<string, PoolRow>();
  const ticks = new Map<string, TickRow[]>();
  const positions = new Map<string, PositionRow[]>();
  const nfts = new Map<string, NftRow[]>();
  const add = <Row extends { pool: string }>(rows: Map<string, Row[]>, row: Row) => {
    const list = rows.get(row.pool);
    if (list) list.push(row);
    else rows.set(row.pool, [row]);
  };
  for (const { row } of changes) {
    if (row.kind === "pool") slots.set(row.pool, row);
    else if (row.kind === "tick") add(ticks, row);
    else if (row.kind === "position") add(positions, row);
    else add(nfts, row);
  }
  const created = young.map((pool) => markedFrom({ stops, pending }, pool));
  return { created, stops, pending, slots, slotHistory, ticks, positions, nfts };
}

/** The pool with what the facts above the watermark say against it. */
export const markedFrom = ({ stops, pending }: Pick<V3Overlay, "stops" | "pending">, pool: V3Pool): V3Pool => ({
  ...pool,
  stopped: pool.stopped ?? stops.get(pool.address),
  isPending: pending.has(pool.address),
});

export const isBurnt = ({ owner }: NftRow): boolean => owner === ZERO_ADDRESS;
