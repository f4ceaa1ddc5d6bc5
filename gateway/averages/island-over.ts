// Islands over a range of blocks: what each holds of a token, idle or in its position, for the holders of its shares, less the
// manager's part.
import type { BackingSteps } from "../../core/averages/backing-over.ts";
import { merged, type Step, type Steps } from "../../core/averages/steps.ts";
import { islands as history } from "../../core/history/histories.ts";
import { type FoldedIsland, type IslandRow, isDetermined } from "../../core/island/state.ts";
import { islandColumnsText, type StoredIslandRow, toFoldedIsland } from "../../core/island/stored-rows.ts";
import type { Backing } from "../../core/lookthrough/backing.ts";
import { tokenAsset } from "../backing/protocol.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import { addressesParameter, hexColumns, listParameter } from "../history/sql-values.ts";
import { stretchesOfKey } from "../history/stretches.ts";
import type { Address } from "../parameters.ts";
import { dividedBy, nobodys } from "../protocols/island/divided.ts";
import type { IncompleteReason } from "../protocols/island/island.ts";
import type { BackingOver } from "./issued-over.ts";
import type { PointRange } from "./ledger-over.ts";
import { assetOf, exactSteps, type PoolOver, type PositionSpan, sideOf } from "./v3-over.ts";

/** Why its state is unknown, or its row; neither before its first row. */
interface IslandState {
  incomplete: IncompleteReason | undefined;
  row: IslandRow | undefined;
}

export interface IslandOver {
  address: Address;
  pool: Address;
  token0: Address;
  token1: Address;
  states: Steps<IslandState>;
}

interface InfoRow {
  id: number;
  address: Address;
  pool: Address;
  token0: Address;
  token1: Address;
  stopped_block: number | null;
  waiting_block: number | null;
  undetermined_block: number | null;
}

interface StretchRow extends StoredIslandRow {
  island: number;
  since: number;
}

const BPS = 10_000n;

export class IslandsOver {
  readonly #at: AsOf;
  readonly #first: number;

  constructor(snapshot: Snapshot, { from, to }: PointRange) {
    this.#at = asOf(snapshot, to);
    this.#first = from.block;
  }

  /** Islands that hold one of `tokens`, by the end of the range. */
  async ofTokens(tokens: readonly Address[]): Promise<IslandOver[]> {
    if (tokens.length === 0) return [];
    const { fold, prepared, point } = this.#at;
    const addresses = addressesParameter(2);
    const infos = await prepared<InfoRow>(
      `select id, ${hexColumns(["address", "pool", "token0", "token1"])}, stopped_block, waiting_block, undetermined_block
         from ${fold}.island
        where (token0 in ${addresses} or token1 in ${addresses}) and created_block <= $1::int4 order by id`,
      [String(point.block), tokens.join(",")],
    );
    const rows = await this.#rowsOf(infos);
    return infos.map((info) => ({
      ...{ address: info.address, pool: info.pool, token0: info.token0, token1: info.token1 },
      states: statesOf(info, this.#first, rows.get(info.id) ?? []),
    }));
  }

  async #rowsOf(infos: readonly InfoRow[]): Promise<Map<number, Step<FoldedIsland>[]>> {
    const { fold, prepared, point } = this.#at;
    const rows = new Map<number, Step<FoldedIsland>[]>();
    if (infos.length === 0) return rows;
    const stretches = stretchesOfKey(history, {
      ...{ fold, ranges: "(values ($2::int4, $3::int4)) w(first, last)", upTo: "$3::int4" },
      key: { island: "wanted.id" },
      select: (row) => `${row}.island, ${islandColumnsText(row)}`,
    });
    const found = await prepared<StretchRow>(
      `select s.* from unnest(${listParameter(1, "int4")}) wanted(id) cross join lateral (${stretches}) s order by s.since`,
      [infos.map(({ id }) => id).join(","), String(this.#first), String(point.block)],
    );
    const addresses = new Map(infos.map(({ id, address }) => [id, address]));
    for (const row of found) {
      const step = {
        from: Math.max(row.since, this.#first),
        value: toFoldedIsland(addresses.get(row.island) ?? "", row),
      };
      const steps = rows.get(row.island) ?? [];
      rows.set(row.island, [...steps.filter(({ from }) => from < step.from), step]);
    }
    return rows;
  }
}

function statesOf(info: InfoRow, first: number, rows: readonly Step<FoldedIsland>[]): Steps<IslandState> {
  const never = Number.POSITIVE_INFINITY;
  const [stopped, waiting] = [info.stopped_block ?? never, info.waiting_block ?? never];
  const from = (block: number): Steps<boolean> =>
    block <= first
      ? [{ from: first, value: true }]
      : [{ from: first, value: false }, ...(block === never ? [] : [{ from: block, value: true }])];
  const folded: Steps<FoldedIsland | undefined> =
    rows[0]?.from === first ? rows : [{ from: first, value: undefined }, ...rows];
  return merged([folded, from(stopped), from(waiting)]).map(({ from, value }) => {
    const [row, isStopped, isWaiting] = value;
    const isUndetermined = info.undetermined_block !== null && row !== undefined && !isDetermined(row);
    const incomplete = isStopped ? "stopped" : isWaiting ? "waiting" : isUndetermined ? "undetermined" : undefined;
    return { from, value: { incomplete, row: row && !incomplete && isDetermined(row) ? row : undefined } };
  });
}

/** What lies idle of `token`, of which the island holds `held`. */
export function idleOver(island: IslandOver, token: Address, held: Steps<bigint>): BackingOver {
  const backing = merged([island.states, held]).map(({ from, value }) => {
    const [{ incomplete, row }, amount] = value;
    const managers = (token === island.token0 ? row?.managerBalance0 : row?.managerBalance1) ?? 0n;
    return { from, value: incomplete ? nobodys(incomplete) : dividedBy(island.address, { held: amount, managers }) };
  });
  return { address: island.address, asset: tokenAsset(token), backing };
}

/**
 * The island's positions in its pool: at its range they are its holders', anywhere else stray; where its state is unknown nobody can
 * say whose. Amounts have `FRACTION_BITS` behind the point.
 */
export function positionsOver(island: IslandOver, pool: PoolOver, token: Address): BackingOver[] {
  const side = pool.pool.token0 === token ? 0 : 1;
  const own = pool.positions.filter(({ owner, manager }) => owner === island.address && manager === undefined);
  const byAsset = new Map<string, PositionSpan[]>();
  for (const span of own) {
    const asset = assetOf(pool, span, token);
    byAsset.set(asset, [...(byAsset.get(asset) ?? []), span]);
  }
  return [...byAsset].map(([asset, spans]) => {
    const backing = merged([island.states, claimsOver(pool, spans, { side, first: firstOf(island) })]).map(
      ({ from, value }) => {
        const [{ incomplete, row }, claim] = value;
        return { from, value: incomplete ? nobodys(incomplete) : sharedBy(row, spans[0], claim) };
      },
    );
    return { address: island.address, asset, backing: backing as BackingSteps };
  });
}

const firstOf = ({ states }: IslandOver): number => (states[0] as Step<IslandState>).from;

interface Claim {
  principal: bigint;
  fees: bigint;
}

function sharedBy(row: IslandRow | undefined, span: PositionSpan | undefined, claim: Claim): Backing | undefined {
  if (!row || row.tickLower !== span?.tickLower || row.tickUpper !== span.tickUpper) return undefined;
  const managers = (claim.fees * BigInt(row.managerFeeBps)) / BPS;
  return dividedBy(row.island as Address, { held: claim.principal + claim.fees, managers });
}

const NOTHING: Claim = { principal: 0n, fees: 0n };

function claimsOver(
  pool: PoolOver,
  spans: readonly PositionSpan[],
  { side, first }: { side: 0 | 1; first: number },
): Steps<Claim> {
  const steps = new Map<number, Claim>([[first, NOTHING]]);
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    for (const { from, value } of exactSteps(pool, span)) steps.set(from, sideOf(value, side));
    steps.set(span.until, NOTHING);
  }
  return [...steps].map(([from, value]) => ({ from, value })).sort((a, b) => a.from - b.from);
}
