// v3 positions at a block: one token id, or all of an owner or a pool.

import { question } from "../cache/question.ts";
import type { Operation, OperationContext } from "../context.ts";
import { GatewayError, InvalidInputError } from "../errors.ts";
import { type AsOf, answerPlace } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-point.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { PoolNotFoundError, requireTellable } from "../protocols/v3/pool.ts";
import { poolsAmong } from "../protocols/v3/pools-at.ts";
import type { PositionWorth } from "../protocols/v3/position-worth.ts";
import {
  type FoundPosition,
  findInPool,
  findOwned,
  findTokenId,
  placeOf,
  readWorths,
} from "../protocols/v3/positions-at.ts";
import { readCursor, writeCursor } from "./cursors.ts";
import { openV3 } from "./pools.ts";

export interface V3PositionAt extends FoundPosition {
  /** What its owner would be paid for all of it; undefined where the pool cannot be told. */
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
      requireTellable(found.pool);
      const [worth] = await readWorths(at, [found]);
      return { ...found, worth };
    });
    return { ...position, point };
  },
};

const positions = question<Omit<V3PositionAt, "point">>("position");

export interface V3PositionsPage {
  entries: (V3PositionAt & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
  /** Pools of the page whose positions cannot be told. */
  incomplete: readonly Address[];
  point: BlockPoint;
}

export interface PositionsInput {
  owner?: Address | undefined;
  pool?: Address | undefined;
  block: BlockChoice;
  first: number;
  after?: string | undefined;
}

/**
 * Positions worth anything, by id and then by manager or pool.
 * @throws InvalidInputError naming `owner` without owner and pool, or `after`; PoolNotFoundError
 */
export const positionsPage: Operation<PositionsInput, V3PositionsPage> = {
  name: "positions",
  async run(input, context) {
    const isPlace = (at: readonly (string | number)[]) =>
      at.length === 2 && /^\d{1,78}$/.test(String(at[0])) && /^0x[0-9a-f]{40}$/.test(String(at[1]));
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    const at = await openV3(context, { block: input.block, cursor });
    const { point } = at;
    const all = await findPositions(at, input);
    const [id = "-1", place = ""] = (cursor?.at ?? []).map(String);
    const rest = all.filter((one) => one.id > BigInt(id) || (one.id === BigInt(id) && placeOf(one) > place));
    const shown = rest.slice(0, input.first);
    const worths = await readWorths(at, shown);
    const entries = shown.map((one, i) => ({
      ...one,
      worth: worths[i],
      point,
      cursor: writeCursor(point, [String(one.id), placeOf(one)]),
    }));
    const incomplete = [...new Set(entries.filter(({ worth }) => !worth).map(({ pool }) => pool.address))];
    return { entries, totalCount: all.length, hasNextPage: rest.length > shown.length, incomplete, point };
  },
};

async function findPositions(at: AsOf, { owner, pool: address }: PositionsInput): Promise<FoundPosition[]> {
  if (address === undefined) {
    if (owner === undefined) throw new InvalidInputError("owner", "give owner, pool or both");
    return findOwned(at, owner);
  }
  const [pool] = await poolsAmong(at, [address]);
  if (!pool) throw new PoolNotFoundError(address, at.point.block);
  if (owner === undefined) return findInPool(at, pool);
  return (await findOwned(at, owner)).filter((one) => one.pool.address === address);
}
