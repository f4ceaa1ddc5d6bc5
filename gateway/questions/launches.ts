// Tokens launched on a curve, at a block: one by its own address or its pool's, or all of them, newest first.
import { raisedPart, totalRaiseRoundingUp } from "../../core/launch/curve.ts";
import type { LaunchCurve, LaunchWorld } from "../../core/launch/replay.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import { question } from "../cache/question.ts";
import { dexPairOf, launchPrices, wholePriceRoundedDown } from "../catalogue/launch-price.ts";
import { type LaunchVolume, usdOfTrades, volumeOf } from "../catalogue/launch-volume.ts";
import type { Operation, OperationContext } from "../context.ts";
import { GatewayError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { isBrokenAt, type TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type TokenPrice, usdValue } from "../prices/price.ts";
import { pricesAt } from "../prices/price-book.ts";
import { countHolders } from "../protocols/launch/holders.ts";
import { launchesAt } from "../protocols/launch/launches-at.ts";
import { type Cursor, isLogPlace, pointOfPage, readCursor, writeCursor } from "./cursors.ts";

export interface LaunchAt {
  curve: LaunchCurve;
  token: TokenState;
  base: TokenState;
  /** Raw units; undefined when unknown: the token is quarantined. */
  totalSupply: bigint | undefined;
  /** Undefined before graduation. */
  dexPair: Address | undefined;
  /** Raw base units per raw token unit; undefined where nothing is for sale any more. */
  price: Fraction | undefined;
  priceUsd: TokenPrice | undefined;
  /** Raw base units. */
  totalRaise: bigint;
  progress: Fraction;
  volume: LaunchVolume;
  /** Wallets that are not empty, launch pools and the zero address aside; undefined when unknown: the token is quarantined. */
  holdersCount: number | undefined;
  point: BlockPoint;
}

/** Newest first: by the block and log of the creation, both descending. */
const newestFirst = (world: LaunchWorld): LaunchCurve[] =>
  [...world.curves.values()].sort(
    (a, b) => b.created.block - a.created.block || b.created.logIndex - a.created.logIndex,
  );

async function openLaunches(
  context: OperationContext,
  input: { block: BlockChoice; cursor?: Cursor | undefined },
): Promise<Opened> {
  const point = await pointOfPage(context, input);
  return { world: await launchesAt(context, point), point };
}

interface Opened {
  world: LaunchWorld;
  point: BlockPoint;
}

type Described = Omit<LaunchAt, "point">;

/** Lists of the newest block are requested again and again; a list with incomplete volumes is continued by the next request. */
const descriptions = question<readonly Described[]>("launches", {
  isLasting: (launches) => launches.every(({ volume }) => volume.isWhole),
});

/** Everything that answers say about `curves`. */
async function describe(
  context: OperationContext,
  opened: Opened,
  curves: readonly LaunchCurve[],
): Promise<LaunchAt[]> {
  if (curves.length === 0) return [];
  const { point } = opened;
  const { snapshot } = context;
  const { revision } = snapshot.state;
  const place = { at: point.hash, key: curves.map(({ pool }) => pool).join(), revision };
  const described = await snapshot.cache.of(descriptions, place, () => workOut(context, opened, curves));
  return described.map((launch) => ({ ...launch, point }));
}

/** In a number of statements that does not depend on how many they are. */
async function workOut(
  context: OperationContext,
  { world, point }: Opened,
  curves: readonly LaunchCurve[],
): Promise<Described[]> {
  const { snapshot } = context;
  const tokens = curves.map(({ token }) => token as Address);
  const bases = curves.map(({ baseToken }) => baseToken as Address);
  const states = await readTokens(context, [...tokens, ...bases]);
  const supplies = await ledgerAt(context, point).supplies(tokens);
  const holders = await countHolders(snapshot, point, tokens);
  const prices = await launchPrices(context, point, { world, curves });
  const usd = await pricesAt(context, point, tokens);
  const usdThen = await usdOfTrades(context, point, curves);
  return curves.flatMap((curve, i) => {
    const [token, base] = [states[i], states[curves.length + i]];
    if (!token || !base) return [];
    const isSound = !isBrokenAt(token, point);
    const totalRaise = totalRaiseRoundingUp(curve);
    return [
      {
        curve,
        token,
        base,
        totalRaise,
        totalSupply: isSound ? supplies[i] : undefined,
        dexPair: dexPairOf(world, curve),
        price: prices.get(curve.pool),
        priceUsd: usd.get(token.address),
        progress: raisedPart({ raised: curve.baseReserve, totalRaise, isGraduated: curve.graduated !== undefined }),
        volume: volumeOf(curve, base.metadata?.decimals, usdThen),
        holdersCount: isSound ? holders[i] : undefined,
      },
    ];
  });
}

/**
 * The address is the token's, or its pool's; of a token's several pools the one that is the token itself, else the newest.
 * @throws LaunchNotFoundError, and what pointOf throws
 */
export const launchAt: Operation<{ address: Address; block: BlockChoice }, LaunchAt> = {
  name: "launch",
  async run(input, context) {
    const opened = await openLaunches(context, input);
    const { world, point } = opened;
    const curve = world.curves.get(input.address) ?? newestFirst(world).find(({ token }) => token === input.address);
    const [launch] = curve ? await describe(context, opened, [curve]) : [];
    if (!launch) throw new LaunchNotFoundError(input.address, point.block);
    return launch;
  },
};

export interface LaunchesInput {
  block: BlockChoice;
  /** Only these, by token or pool; unknown ones are passed over. */
  addresses?: readonly Address[] | undefined;
  graduated?: boolean | undefined;
  first: number;
  /** How many to skip, or the cursor to go on from. */
  skip?: number | undefined;
  after?: string | undefined;
}

interface LaunchesPage {
  entries: (LaunchAt & { cursor: string })[];
  /** Of all pages. */
  totalCount: number;
  hasNextPage: boolean;
  point: BlockPoint;
}

/** @throws what pointOf throws; InvalidInputError naming `after`; PageReplacedError */
export const launchesPage: Operation<LaunchesInput, LaunchesPage> = {
  name: "launches",
  async run(input, context) {
    const cursor = readCursor(input.after, isLogPlace);
    const opened = await openLaunches(context, { block: input.block, cursor });
    const matching = newestFirst(opened.world).filter(isWanted(input));
    const rest = matching.filter(isBelow(cursor)).slice(input.skip ?? 0);
    const shown = await describe(context, opened, rest.slice(0, input.first));
    const { point } = opened;
    return {
      entries: shown.map((launch) => {
        const { block, logIndex } = launch.curve.created;
        return { ...launch, cursor: writeCursor(point, [block, logIndex]) };
      }),
      totalCount: matching.length,
      hasNextPage: rest.length > input.first,
      point,
    };
  },
};

function isWanted({ addresses, graduated }: LaunchesInput): (curve: LaunchCurve) => boolean {
  const wanted = addresses && new Set<string>(addresses);
  return (curve) =>
    (wanted === undefined || wanted.has(curve.token) || wanted.has(curve.pool)) &&
    (graduated === undefined || graduated === (curve.graduated !== undefined));
}

function isBelow(cursor: Cursor | undefined): (curve: LaunchCurve) => boolean {
  if (!cursor) return () => true;
  const [block = 0, logIndex = 0] = cursor.at.map(Number);
  return ({ created }) => created.block < block || (created.block === block && created.logIndex < logIndex);
}

class LaunchNotFoundError extends GatewayError {
  override name = "LaunchNotFoundError";

  constructor(address: Address, block: number) {
    super(`No launched token and no launch pool is at ${address} at block ${block}.`, {
      code: "LAUNCH_NOT_FOUND",
      status: 404,
      details: { address, block },
    });
  }
}

/** Whole base tokens per whole token × 10^digits, rounded down; undefined where there is no price or no unit. */
export function shownPriceRoundedDown({ price, token, base }: LaunchAt, digits: number): bigint | undefined {
  const decimals = { token: token.metadata?.decimals, base: base.metadata?.decimals };
  if (price === undefined || decimals.token === undefined || decimals.base === undefined) return undefined;
  return wholePriceRoundedDown(price, { token: decimals.token, base: decimals.base }, digits);
}

/** USD × 10^36 of all that exists of the token, rounded down. */
export function marketCap({ priceUsd, totalSupply, token }: LaunchAt): bigint | undefined {
  const decimals = token.metadata?.decimals;
  if (priceUsd === undefined || totalSupply === undefined || decimals === undefined) return undefined;
  return usdValue(priceUsd, totalSupply, decimals);
}

const PROGRESS_DIGITS = 36;

/** 0 to 1, rounded down to 36 digits before it becomes a double. */
export const progressNumber = ({ progress: { numerator, denominator } }: LaunchAt): number =>
  Number(`${(numerator * 10n ** BigInt(PROGRESS_DIGITS)) / denominator}e-${PROGRESS_DIGITS}`);
