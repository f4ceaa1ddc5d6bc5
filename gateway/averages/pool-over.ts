// One v3 pool over a range of blocks, and one position in it.

import type { Step, Steps } from "../../core/averages/steps.ts";
import { v3Nfts, v3Pools, v3Positions } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";
import type { AsOf } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import { stretchesOfKey } from "../history/stretches.ts";
import type { Address } from "../parameters.ts";
import type { V3Pool } from "../protocols/v3/pool.ts";
import type { BlockRange } from "./amount-series.ts";
import { timestampsText } from "./stretch-texts.ts";

/** Price and liquidity in range at the end of a block. */
export interface PricedLiquidity {
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
}

/** A position while it had the same liquidity; `until` is the first block of the next state, or the one after the range. */
export interface HeldLiquidity {
  from: number;
  until: number;
  /** The pool's number in the fold's tables. */
  pool: number;
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
}

const GOES_ON = 2_147_483_647;

interface StretchQuestion {
  history: History;
  /** SQL expressions of the key columns; $3 and on are `keys`. */
  key: Readonly<Record<string, string>>;
  keys: readonly string[];
  columns: readonly string[];
}

/** (since, until, …) of one entity, ascending, as texts row after row. */
async function readStretches(at: AsOf, { from, to }: BlockRange, question: StretchQuestion): Promise<string[][]> {
  const { history, key, keys, columns } = question;
  const stretches = stretchesOfKey(history, {
    ...{ fold: at.fold, ranges: "(values ($1::int4, $2::int4)) w(first, last)", upTo: "$2::int4", key },
    select: (row) => columns.map((column) => `${row}.${column}`).join(", "),
  });
  const text = `select s.since, coalesce(s.until, ${GOES_ON}) as until, ${columns.map((column) => `s.${column}`).join(", ")}
    from (${stretches}) s order by s.since`;
  const shown = ["since", "until", ...columns];
  const many = await readMany(at.alone, { text, parameters: [String(from), String(to), ...keys] }, shown);
  const rows: string[][] = [];
  for (let i = 0; i < many.length; i += shown.length) rows.push(many.slice(i, i + shown.length));
  return rows;
}

/** At the first block and at each at which something of it changed; undefined before `Initialize`. */
export async function poolSteps(
  at: AsOf,
  pool: V3Pool,
  range: BlockRange,
): Promise<Steps<PricedLiquidity | undefined>> {
  const rows = await readStretches(at, range, {
    ...{ history: v3Pools, key: { pool: "$3::int4" }, keys: [String(pool.id)] },
    columns: ["sqrt_price_x96", "tick", "liquidity"],
  });
  const steps: Step<PricedLiquidity | undefined>[] = [];
  for (const [since, , sqrtPriceX96 = "", tick, liquidity = ""] of rows) {
    const from = Math.max(Number(since), range.from);
    const value = { sqrtPriceX96: BigInt(sqrtPriceX96), tick: Number(tick), liquidity: BigInt(liquidity) };
    const isPriced = value.sqrtPriceX96 > 0n;
    if (isPriced && !isSame(steps.at(-1)?.value, value)) steps.push({ from, value });
  }
  return steps[0]?.from === range.from ? steps : [{ from: range.from, value: undefined }, ...steps];
}

/** Rows change with fees, too. */
const isSame = (last: PricedLiquidity | undefined, now: PricedLiquidity): boolean =>
  last?.sqrtPriceX96 === now.sqrtPriceX96 && last.tick === now.tick && last.liquidity === now.liquidity;

/** Of a token id of the pool's manager, ascending; none where it does not exist within the range. */
export const tokenIdOver = (at: AsOf, pool: V3Pool, { range, tokenId }: { range: BlockRange; tokenId: bigint }) =>
  heldLiquidity(at, range, {
    history: v3Nfts,
    key: { manager: "decode(substr($3, 3), 'hex')", token_id: "$4::numeric" },
    keys: [pool.manager, String(tokenId)],
  });

/** The same of what `owner` holds in the pool itself. */
export const directPositionOver = (
  at: AsOf,
  pool: V3Pool,
  { range, owner, tickLower, tickUpper }: { range: BlockRange; owner: Address; tickLower: number; tickUpper: number },
) =>
  heldLiquidity(at, range, {
    history: v3Positions,
    key: {
      ...{ pool: "$3::int4", owner: "decode(substr($4, 3), 'hex')" },
      ...{ tick_lower: "$5::int4", tick_upper: "$6::int4" },
    },
    keys: [String(pool.id), owner, String(tickLower), String(tickUpper)],
  });

async function heldLiquidity(
  at: AsOf,
  range: BlockRange,
  question: Omit<StretchQuestion, "columns">,
): Promise<HeldLiquidity[]> {
  const columns = ["pool", "tick_lower", "tick_upper", "liquidity"];
  const rows = await readStretches(at, range, { ...question, columns });
  return rows.map(([since, until, pool, tickLower, tickUpper, liquidity = ""]) => ({
    from: Math.max(Number(since), range.from),
    until: Math.min(Number(until), range.to + 1),
    ...{ pool: Number(pool), tickLower: Number(tickLower), tickUpper: Number(tickUpper) },
    liquidity: BigInt(liquidity),
  }));
}

/** Unix seconds by block, of each of `blocks`. */
export async function timestampsOf(at: AsOf, blocks: readonly number[]): Promise<ReadonlyMap<number, bigint>> {
  const text = timestampsText(at.fold);
  const many = await readMany(at.alone, { text, parameters: [[...new Set(blocks)].join(",")] }, [
    "number",
    "timestamp",
  ]);
  const found = new Map<number, bigint>();
  for (let i = 0; i + 1 < many.length; i += 2) found.set(Number(many[i]), BigInt(many[i + 1] as string));
  return found;
}
