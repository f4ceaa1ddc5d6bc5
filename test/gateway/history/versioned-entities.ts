// Random versions of entities, the plainest way to say what they come to at a block, and their rows in the fold's tables
// with the chain final up to whatever block.
import type { Sql } from "postgres";
import { holdings, v2Reserves, v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../../core/history/histories.ts";
import { type History, keyColumns, valueColumns } from "../../../core/history/history.ts";
import { quoted } from "../../../fold/tables.ts";

/** By column, as PostgreSQL writes them. */
export type Values = Readonly<Record<string, string>>;

export interface Version {
  block: number;
  values: Values;
}

export interface Entity {
  key: Values;
  /** In order of blocks, one per block. */
  versions: readonly Version[];
}

export interface Versioned {
  history: History;
  isNothing(values: Values): boolean;
  entities: readonly Entity[];
}

/** Random numbers, 0 <= number < 1; the same ones for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

export const addressOf = (n: number): string => `\\x${n.toString(16).padStart(40, "0")}`;

const upTo = (random: () => number, limit: number): number => Math.floor(random() * limit);

interface Kind {
  history: History;
  isNothing(values: Values): boolean;
  keys: readonly Values[];
  values(random: () => number): Values;
}

const pairs = <A, B, C>(first: readonly A[], second: readonly B[], of: (a: A, b: B) => C): C[] =>
  first.flatMap((a) => second.map((b) => of(a, b)));

const POOLS = [1, 2, 3];
const OWNERS = [1, 2, 3, 4];

const claim = (random: () => number): Values => ({
  liquidity: String(upTo(random, 3)),
  fee_growth_inside0_last_x128: String(upTo(random, 1e9)),
  fee_growth_inside1_last_x128: "7",
  tokens_owed0: String(upTo(random, 2)),
  tokens_owed1: "0",
});

const kinds: readonly Kind[] = [
  {
    history: holdings,
    isNothing: ({ amount }) => amount === "0",
    keys: pairs([0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6, 7], (asset, account) => ({
      ...{ asset: String(asset), account: addressOf(account) },
    })),
    values: (random) => ({ amount: random() < 0.3 ? "0" : String(1 + upTo(random, 1e6)) }),
  },
  {
    history: v3Pools,
    isNothing: () => false,
    keys: POOLS.map((pool) => ({ pool: String(pool) })),
    values: (random) =>
      Object.fromEntries(valueColumns(v3Pools).map((column) => [column, String(1 + upTo(random, 1e6))])),
  },
  {
    history: v3Ticks,
    isNothing: ({ liquidity_gross }) => liquidity_gross === "0",
    keys: pairs(POOLS, [-10, 0, 10, 20], (pool, tick) => ({ pool: String(pool), tick: String(tick) })),
    values: (random) => ({
      ...{ liquidity_gross: String(upTo(random, 3)), liquidity_net: String(upTo(random, 9) - 4) },
      ...{ fee_growth_outside0_x128: String(upTo(random, 1e9)), fee_growth_outside1_x128: "3" },
    }),
  },
  {
    history: v3Positions,
    isNothing: () => false,
    keys: pairs(POOLS, OWNERS, (pool, owner) => ({
      ...{ pool: String(pool), owner: addressOf(owner), tick_lower: "-10", tick_upper: "10" },
    })),
    values: claim,
  },
  {
    history: v3Nfts,
    isNothing: ({ owner }) => owner === addressOf(0),
    keys: pairs([8, 9], [1, 2, 3, 4, 5], (manager, id) => ({ manager: addressOf(manager), token_id: String(id) })),
    values: (random) => ({
      ...{ pool: String(1 + upTo(random, 3)), owner: addressOf(random() < 0.2 ? 0 : 1 + upTo(random, 4)) },
      ...{ tick_lower: "-10", tick_upper: "10", ...claim(random) },
    }),
  },
  {
    history: v2Reserves,
    isNothing: () => false,
    keys: OWNERS.map((pair) => ({ pair: addressOf(pair) })),
    values: (random) => ({ reserve0: String(upTo(random, 1e6)), reserve1: String(upTo(random, 1e6)) }),
  },
];

/** Entities of every kind that the texts distinguish, changing in some of the blocks up to `head`; by the history's name. */
export function randomEntities(random: () => number, head: number): ReadonlyMap<string, Versioned> {
  return new Map(
    kinds.map(({ history, isNothing, keys, values }) => {
      const entities = keys.map((key): Entity => {
        // from never to in every second block
        const chance = random() ** 2 / 2;
        const blocks = Array.from({ length: head + 1 }, (_, block) => block).filter(() => random() < chance);
        return { key, versions: blocks.map((block) => ({ block, values: values(random) })) };
      });
      return [history.name, { history, isNothing, entities }];
    }),
  );
}

/** Key and values of everything that is something at the end of `block`. */
export const stateAt = ({ entities, isNothing }: Versioned, block: number): Values[] =>
  entities.flatMap(({ key, versions }) => {
    const last = versions.findLast((version) => version.block <= block);
    return last && !isNothing(last.values) ? [{ ...key, ...last.values }] : [];
  });

export interface Range {
  first: number;
  last: number;
}

/** Stretches in one of `ranges`, which end at `last` or before; `until` is `-` where it lasts beyond. */
export const stretchesIn = ({ entities, isNothing }: Versioned, ranges: readonly Range[], last: number): Values[] =>
  entities.flatMap(({ key, versions }) =>
    versions.flatMap(({ block, values }, i) => {
      const until = versions[i + 1]?.block ?? Number.POSITIVE_INFINITY;
      const isMeant = ranges.some((range) => block <= range.last && until > range.first);
      if (!isMeant || isNothing(values)) return [];
      return [{ ...key, ...values, since: String(block), until: until <= last ? String(until) : "-" }];
    }),
  );

/** By table, columns in its order: what is final up to `final` merged, the rest version by version. */
function rowsOf({ history, entities, isNothing }: Versioned, final: number) {
  const rows = { current: [] as string[][], interval: [] as string[][], recent: [] as string[][] };
  for (const { key, versions } of entities) {
    const keyed = keyColumns(history).map((column) => key[column] ?? "");
    for (const [i, { block, values }] of versions.entries()) {
      const row = valueColumns(history).map((column) => values[column] ?? "");
      const next = versions[i + 1]?.block ?? Number.POSITIVE_INFINITY;
      if (block > final) rows.recent.push([...keyed, String(block), ...row]);
      else if (isNothing(values)) continue;
      else if (next > final) rows.current.push([...keyed, String(block), ...row]);
      else rows.interval.push([...keyed, ...[block, next, 31 - Math.clz32(next - block)].map(String), ...row]);
    }
  }
  return rows;
}

/** Empties all tables and writes them. */
export async function writeEntities(
  sql: Sql,
  { schema, final, all }: { schema: string; final: number; all: ReadonlyMap<string, Versioned> },
): Promise<void> {
  for (const one of all.values())
    for (const [kind, rows] of Object.entries(rowsOf(one, final)))
      await fill(sql, `${quoted(schema)}.${one.history.name}_${kind}`, rows);
}

async function fill(sql: Sql, table: string, rows: readonly string[][]): Promise<void> {
  const literals = rows.map((row) => `(${row.map((value) => `'${value}'`).join(", ")})`);
  await sql.unsafe(
    `truncate ${table}${literals.length > 0 ? `; insert into ${table} values ${literals.join(", ")}` : ""}`,
  );
}
