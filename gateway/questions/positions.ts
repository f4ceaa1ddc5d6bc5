// v3 positions at a block: one token id, or all there are, of an owner or a pool where these are given.

import { question } from "../cache/question.ts";
import { PoolNotFoundError, requireRunning, type V3Pool } from "../concentrated/pool.ts";
import { poolsAmong } from "../concentrated/pools-at.ts";
import type { PositionWorth } from "../concentrated/position-worth.ts";
import { contractOf, type FoundPosition, findOwned, findTokenId, readWorths } from "../concentrated/positions-at.ts";
import {
  countPositions,
  nextInPools,
  nextPositions,
  type PositionPlace,
  placeOfPosition,
} from "../concentrated/positions-over.ts";
import type { Operation, OperationContext } from "../context.ts";
import { GatewayError, InvalidInputError } from "../errors.ts";
import { type AsOf, answerPlace } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { type Cursor, ForeignCursorError, isAddress, readCursor, writeCursor } from "./cursors.ts";
import { openV3 } from "./pools.ts";

export interface V3PositionAt extends FoundPosition {
  /** What its owner would be paid for all of it; undefined where the pool's state is unknown. */
  worth: PositionWorth | undefined;
  point: BlockPoint;
}

export class PositionNotFoundError extends GatewayError {
  override name = "PositionNotFoundError";

  constructor(id: bigint, manager: Address, block: number) {
    super(`Position manager ${manager} has no token id ${id} at block ${block}.`, {
      code: "POSITION_NOT_FOUND",
      status: 404,
      details: { positionId: String(id), manager, block },
    });
  }
}

/** The manager asked for, or the only one there is. @throws InvalidInputError naming the managers */
function managerOf({ chain }: OperationContext, manager: Address | undefined): Address {
  const managers = chain.v3?.deployments.map(({ positionManager }) => positionManager.address) ?? [];
  const [only, ...others] = managers;
  if (manager === undefined && only !== undefined && others.length === 0) return only;
  if (manager !== undefined && managers.includes(manager)) return manager;
  if (only === undefined) throw new InvalidInputError("manager", "this chain has no v3 positions");
  throw new InvalidInputError("manager", `must be one of ${managers.join(", ")}`, { managers });
}

/** @throws PositionNotFoundError, PoolStoppedError, InvalidInputError naming `manager` */
export const positionAt: Operation<{ id: bigint; manager?: Address | undefined; block: BlockChoice }, V3PositionAt> = {
  name: "position",
  async run({ id, manager: wanted, block }, context) {
    const manager = managerOf(context, wanted);
    const at = await openV3(context, { block });
    const { point } = at;
    const place = answerPlace(point, `${manager} ${id}`);
    const position = await context.snapshot.cache.of(positions, place, async () => {
      const found = await findTokenId(at, { manager, id });
      if (!found) throw new PositionNotFoundError(id, manager, point.block);
      requireRunning(found.pool);
      const [worth] = await readWorths(at, [found]);
      return { ...found, worth };
    });
    return { ...position, point };
  },
};

const positions = question<Omit<V3PositionAt, "point">>("position");

export interface V3PositionsPage {
  entries: (V3PositionAt & { cursor: string })[];
  /** Undefined where it was not asked for. */
  totalCount: number | undefined;
  hasNextPage: boolean;
  /** Pools of the page whose state is unknown, and so their positions too. */
  incomplete: readonly Address[];
  point: BlockPoint;
}

interface PositionsInput {
  owner?: Address | undefined;
  pool?: Address | undefined;
  block: BlockChoice;
  first: number;
  after?: string | undefined;
  /** Whether all pages are counted, which may take longer than a page. */
  isCounted: boolean;
}

/**
 * Positions worth anything. Of an owner by id and then by manager or pool; else as `nextPositions` orders them.
 * @throws InvalidInputError naming `after`; PoolNotFoundError; PageReplacedError
 */
export const positionsPage: Operation<PositionsInput, V3PositionsPage> = {
  name: "positions",
  async run(input, context) {
    const { owner, block, first } = input;
    const order = owner === undefined ? inPools : byId;
    const cursor = readCursor(input.after, order.isPlace);
    const at = await openV3(context, { block, cursor });
    const pool = input.pool === undefined ? undefined : await requirePool(at, input.pool);
    const request = { pool, cursor, limit: first + 1, isCounted: input.isCounted };
    const { found, totalCount } =
      owner === undefined ? await listInPools(at, request) : await listOwned(at, { ...request, owner });
    const shown = found.slice(0, first);
    const worths = await readWorths(at, shown);
    const { point } = at;
    const entries = shown.map((one, i) => ({
      ...one,
      worth: worths[i],
      point,
      cursor: writeCursor(point, order.placeOf(one)),
    }));
    const incomplete = [...new Set(entries.filter(({ worth }) => !worth).map((entry) => entry.pool.address))];
    return { entries, totalCount, hasNextPage: found.length > first, incomplete, point };
  },
};

async function requirePool(at: AsOf, address: Address): Promise<V3Pool> {
  const [pool] = await poolsAmong(at, [address]);
  if (!pool) throw new PoolNotFoundError(address, at.point.block);
  return pool;
}

type Steps = readonly (string | number)[];

interface ListOrder {
  isPlace: (at: Steps) => boolean;
  placeOf: (one: FoundPosition) => Steps;
}

interface Listing {
  pool: V3Pool | undefined;
  cursor: Cursor | undefined;
  limit: number;
  isCounted: boolean;
}

interface Listed {
  found: readonly FoundPosition[];
  /** Undefined where it is not counted. */
  totalCount: number | undefined;
}

const isId = (step: string | number | undefined): boolean => /^\d{1,78}$/.test(String(step));

const byId: ListOrder = {
  isPlace: (at) => at.length === 2 && isId(at[0]) && isAddress(at[1]),
  placeOf: (one) => [String(one.id), contractOf(one)],
};

async function listOwned(at: AsOf, { owner, pool, cursor, limit }: Listing & { owner: Address }): Promise<Listed> {
  const all = (await findOwned(at, owner)).filter((one) => pool === undefined || one.pool.address === pool.address);
  const [id = "-1", contract = ""] = (cursor?.at ?? []).map(String);
  const rest = all.filter((one) => one.id > BigInt(id) || (one.id === BigInt(id) && contractOf(one) > contract));
  return { found: rest.slice(0, limit), totalCount: all.length };
}

/** [pool, token id] or [pool, owner, lower tick, upper tick]. */
const inPools: ListOrder = {
  isPlace: ([pool, next, ...ticks]) =>
    isAddress(pool) &&
    (ticks.length === 0
      ? isId(next)
      : isAddress(next) && ticks.length === 2 && ticks.every((tick) => typeof tick === "number")),
  placeOf(one) {
    const place = placeOfPosition(one);
    if ("tokenId" in place) return [place.pool, String(place.tokenId)];
    return [place.pool, place.owner, place.tickLower, place.tickUpper];
  },
};

function placeIn({ at }: Cursor): PositionPlace {
  const [pool, next, tickLower, tickUpper] = at as [Address, string, number?, number?];
  if (tickLower === undefined || tickUpper === undefined) return { pool, tokenId: BigInt(next) };
  return { pool, owner: next as Address, tickLower, tickUpper };
}

async function listInPools(at: AsOf, { pool, cursor, limit, isCounted }: Listing): Promise<Listed> {
  const after = cursor && placeIn(cursor);
  if (pool && after && after.pool !== pool.address) throw new ForeignCursorError();
  const found = pool ? await nextInPools(at, [pool], { after, limit }) : await nextPositions(at, { after, limit });
  return { found, totalCount: isCounted ? await countPositions(at, pool?.address) : undefined };
}
