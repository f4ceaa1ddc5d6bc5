// How the facts of launch curves are read out of their tables: one SELECT that yields all of them in the order of the
// chain, and the way from its rows to the replay's input.
import type { LaunchFact } from "./facts.ts";

/** One fact as read. What `a` to `e` are depends on the kind; amounts travel as text. */
export interface LaunchFactRow {
  block: number;
  log_index: number;
  timestamp: number;
  kind: LaunchFact["kind"];
  /** The pool; of a `pair` the pair. */
  contract: string;
  a: string | null;
  b: string | null;
  c: string | null;
  d: string | null;
  e: string | null;
}

interface Source {
  table: string;
  kind: string;
  contract: string;
  columns: readonly string[];
  condition: string;
}

/** In the order in which tables are locked. */
const sources: readonly Source[] = [
  { table: "v2_pair_created", kind: "'pair'", contract: "pair", columns: ["token0", "token1"], condition: "true" },
  {
    table: "launch_pool",
    kind: "kind",
    contract: "pool",
    columns: ["token", "base_token", "deployer", "sqrt_pa", "sqrt_pb"],
    condition: "kind <> 'deployed'",
  },
  { table: "launch_swap", kind: "'swap'", contract: "pool", columns: ["base_in + base_out"], condition: "true" },
  {
    table: "launch_sync",
    kind: "'sync'",
    contract: "pool",
    columns: ["token_reserve", "base_reserve", "sqrt_price"],
    condition: "true",
  },
];

const COLUMNS = ["a", "b", "c", "d", "e"] as const;

/**
 * SELECT text of at most `most` facts in order: after the log with index $2 of block $1, the last one that is known already,
 * and up to the end of block $3.
 */
export function launchFactsText(schema: string, most: number): string {
  const parts = sources.map(({ table, kind, contract, columns, condition }) => {
    const values = COLUMNS.map((name, i) =>
      columns[i] ? `(${columns[i]})::text as ${name}` : `null::text as ${name}`,
    );
    return `(
      select block, log_index, timestamp, ${kind}::text as kind, ${contract}::text as contract, ${values.join(", ")}
        from ${schema}.${table}
       where (block, log_index) > ($1::int4, $2::int4) and block <= $3::int4 and ${condition}
       order by block, log_index limit ${most})`;
  });
  return `select * from (${parts.join(" union all ")}) facts order by block, log_index limit ${most}`;
}

export function toLaunchFact(row: LaunchFactRow): LaunchFact {
  const place = { block: row.block, logIndex: row.log_index, timestamp: row.timestamp };
  const pool = row.contract;
  const name = (column: (typeof COLUMNS)[number]): string => row[column] ?? "";
  const amount = (column: (typeof COLUMNS)[number]): bigint => BigInt(row[column] ?? 0);
  switch (row.kind) {
    case "pair":
      return { ...place, kind: "pair", pair: row.contract, token0: name("a"), token1: name("b") };
    case "initialized": {
      const tokens = { token: name("a"), baseToken: name("b"), deployer: name("c") };
      return { ...place, kind: "initialized", pool, ...tokens, sqrtPa: amount("d"), sqrtPb: amount("e") };
    }
    case "swap":
      return { ...place, kind: "swap", pool, base: amount("a") };
    case "sync": {
      const reserves = { tokenReserve: amount("a"), baseReserve: amount("b") };
      return { ...place, kind: "sync", pool, ...reserves, sqrtPrice: amount("c") };
    }
    case "graduated":
      return { ...place, kind: "graduated", pool };
  }
}
