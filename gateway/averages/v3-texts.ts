// SQL texts of v3 pools over a range of blocks. The range is in the parameters: a text stays the same from request to request.
// A stretch ends before the end of block `until`; one that goes on has the largest int4.
import { isLiveClaim } from "../../core/history/group-indexes.ts";
import { v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";
import { addressesParameter, listParameter } from "../history/sql-values.ts";
import { stretchesOfGroup, stretchesOfKey, stretchesWithValues, untilOrLast } from "../history/stretches.ts";

interface Kind {
  history: History;
  /** Behind pool, since and until. */
  columns: readonly string[];
}

const LIQUIDITY = ["tick_lower", "tick_upper", "liquidity"];
const CLAIM = [
  ...["owner", ...LIQUIDITY],
  ...["fee_growth_inside0_last_x128", "fee_growth_inside1_last_x128", "tokens_owed0", "tokens_owed1"],
];

export const kinds = {
  slot: {
    history: v3Pools,
    columns: [
      ...["sqrt_price_x96", "tick", "fee_growth_global0_x128", "fee_growth_global1_x128"],
      ...["protocol_fees0", "protocol_fees1"],
    ],
  },
  tick: { history: v3Ticks, columns: ["tick", "fee_growth_outside0_x128", "fee_growth_outside1_x128"] },
  position: { history: v3Positions, columns: CLAIM },
  nft: { history: v3Nfts, columns: ["token_id", ...CLAIM] },
  price: { history: v3Pools, columns: ["sqrt_price_x96", "tick", "liquidity"] },
  directLiquidity: { history: v3Positions, columns: LIQUIDITY },
  nftLiquidity: { history: v3Nfts, columns: LIQUIDITY },
} satisfies Record<string, Kind>;

const selectOf =
  ({ columns }: Kind) =>
  (row: string): string =>
    ["pool", ...columns]
      .map((column) => (column === "owner" ? `'0x' || encode(${row}.owner, 'hex') as owner` : `${row}.${column}`))
      .join(", ");

const shown = (stretches: string, kind: Kind): string =>
  `select s.pool, s.since, ${untilOrLast("s.until")}, ${kind.columns.map((column) => `s.${column}`).join(", ")}
     from ${stretches}`;

const POOLS = `unnest(${listParameter(1, "int4")}) p(id)`;
const BLOCKS = { first: "$2::int4", last: "$3::int4" };

/** The stretches of one of a kind, by SQL expressions of its key. */
const ofKey = (fold: string, kind: Kind, key: Readonly<Record<string, string>>): string =>
  `(${stretchesOfKey(kind.history, {
    ...{ fold, ranges: `(values (${BLOCKS.first}, ${BLOCKS.last})) w(first, last)`, upTo: BLOCKS.last },
    ...{ key, select: selectOf(kind) },
  })}) s`;

/** $1 pools by number, $2 first block, $3 last: (pool, since, until, …) of their prices. */
export const slotsText = (fold: string, name: "slot" | "price"): string =>
  shown(`${POOLS} cross join lateral ${ofKey(fold, kinds[name], { pool: "p.id" })}`, kinds[name]);

/** The same of token id $4 of manager $1. */
export const tokenIdText = (fold: string): string =>
  shown(
    ofKey(fold, kinds.nftLiquidity, { manager: "decode(substr($1, 3), 'hex')", token_id: "$4::numeric" }),
    kinds.nftLiquidity,
  );

/** The same of what owner $4 has between ticks $5 and $6 of pool $1 itself. */
export const directPositionText = (fold: string): string =>
  shown(
    ofKey(fold, kinds.directLiquidity, {
      ...{ pool: "$1::int4", owner: "decode(substr($4, 3), 'hex')" },
      ...{ tick_lower: "$5::int4", tick_upper: "$6::int4" },
    }),
    kinds.directLiquidity,
  );

/** The same of all that pools have of a kind; positions and token ids while they are worth anything. */
export function everyText(fold: string, name: "tick" | "position" | "nft"): string {
  const kind = kinds[name];
  const where = name === "tick" ? {} : { where: isLiveClaim };
  const stretches = stretchesOfGroup(kind.history, {
    ...{ fold, ...BLOCKS, of: { pool: "p.id" }, select: selectOf(kind) },
    ...where,
  });
  return shown(`${POOLS} cross join lateral (${stretches}) s`, kind);
}

/** The same of ticks $4 of pools $1, one by one. */
export const ticksText = (fold: string): string =>
  shown(
    `unnest(${listParameter(1, "int4")}, ${listParameter(4, "int4")}) wanted(pool, tick)
     cross join lateral ${ofKey(fold, kinds.tick, { pool: "wanted.pool", tick: "wanted.tick" })}`,
    kinds.tick,
  );

/** The same of what owners $4 have in pools $1. */
export const ownedText = (fold: string, name: "position" | "nft"): string => {
  const kind = kinds[name];
  return shown(
    `${addressesParameter(4)} o(owner) cross join lateral (${stretchesWithValues(kind.history, {
      ...{ fold, ...BLOCKS, of: { owner: "o.owner" }, select: selectOf(kind) },
      where: (row) => `${isLiveClaim(row)} and ${row}.pool = any(${listParameter(1, "int4")})`,
    })}) s`,
    kind,
  );
};

/** $1 owners, $2 first block, $3 last: (pool) of those in which they have something. */
export const poolsOfOwnersText = (fold: string): string =>
  `select distinct s.pool from ${addressesParameter(1)} o(owner) cross join lateral (${(["position", "nft"] as const)
    .map((name) =>
      stretchesWithValues(kinds[name].history, {
        ...{ fold, ...BLOCKS, of: { owner: "o.owner" }, where: isLiveClaim, select: (row) => `${row}.pool` },
      }),
    )
    .join(" union all ")}) s`;
