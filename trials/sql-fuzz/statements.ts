// Statements drawn from a seed: hostile ones by grammars, torn ones, and questions whose answers are known.
import { disguised } from "./disguises.ts";

/** Numbers from 0 on, below `below`. */
export type Random = (below: number) => number;

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export interface Ground {
  /** A folder with a secret, which nothing may read, or write to. */
  canaryFolder: string;
  /** The lake's folder of the chain. */
  lakeFolder: string;
  /** Questions that are answered the same at any head. */
  known: readonly string[];
}

export interface FuzzStatement {
  kind: string;
  query: string;
  isKnown: boolean;
}

type Grammar = (pick: <T>(list: readonly T[]) => T, ground: Ground, random: Random) => string;

const READERS = [
  ...[
    "read_text",
    "read_blob",
    "read_csv",
    "read_csv_auto",
    "read_json",
    "read_json_auto",
    "read_ndjson",
    "read_parquet",
  ],
  ...[
    "parquet_scan",
    "parquet_metadata",
    "parquet_schema",
    "parquet_file_metadata",
    "glob",
    "sniff_csv",
    "read_duckdb",
    "arrow_scan",
  ],
];

const pathOf: Grammar = (pick, { canaryFolder, lakeFolder }, random) =>
  pick([
    `${canaryFolder}/secret.csv`,
    `${lakeFolder}/../../..${canaryFolder}/secret.csv`,
    `${lakeFolder}/manifest.json`,
    `${lakeFolder}/linked/secret.csv`,
    `file://${canaryFolder}/secret.csv`,
    ...["/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/dev/zero", "*", "/**", "~/.ssh/*", ".env", "../.env"],
    ...[
      "https://example.com/x.parquet",
      "s3://bucket/x.parquet",
      "hf://datasets/x/y.csv",
      "\\\\host\\share",
      "/dev/stdin",
    ],
    `${canaryFolder}/${"../".repeat(random(30))}etc/passwd`,
  ]);

const files: Grammar = (pick, ground, random) => {
  const path = pathOf(pick, ground, random);
  const reader = pick(READERS);
  return pick([
    `select * from ${reader}('${path}')`,
    `select * from '${path}'`,
    `from "${path}"`,
    `select * from ${reader}(['${path}', '${path}'])`,
    `select (select count(*) from ${reader}('${path}'))`,
    `with x as (from ${reader}('${path}')) select * from x`,
    `select 1 where exists (from ${reader}('${path}'))`,
    `select * from range(1) r, lateral (select * from ${reader}('${path}')) l`,
    `select * from main.${reader}('${path}')`,
    `select * from query('from ${reader}(''${path}'')')`,
    `select * from query_table('${path}')`,
    `select * from holders('${path}', 1)`,
    `describe select * from '${path}'`,
    `summarize '${path}'`,
    `explain analyze select * from ${reader}('${path}')`,
  ]);
};

const writes: Grammar = (pick, { canaryFolder, lakeFolder }, random) => {
  const path = `${pick([canaryFolder, lakeFolder, "/tmp"])}/fuzz-${random(1e6)}`;
  return pick([
    `copy (select 1) to '${path}.csv'`,
    `copy holdings to '${path}.parquet' (format parquet)`,
    `export database '${path}'`,
    `import database '${path}'`,
    `attach '${path}.db' as other`,
    `attach ':memory:' as other`,
    "detach memory",
    `create table t as select 1`,
    `create or replace view holdings as select 1`,
    "create macro holders(a, b) as table select 1",
    "create temp table t (i int)",
    "create secret (type s3, key_id 'x', secret 'y')",
    "drop view holdings",
    "drop schema inside cascade",
    "insert into inside.head values (1)",
    "update inside.head set block = 1",
    "delete from tail.holding_ended",
    "truncate near.holding_rows",
    "alter view holdings rename to h",
    "with d as (delete from inside.head returning *) from d",
    "merge into inside.head using (select 1) on true when matched then delete",
    "begin; drop view holdings; commit",
    "checkpoint",
    "vacuum full",
  ]);
};

const settings: Grammar = (pick, ground) => {
  const name = pick([
    ...[
      "enable_external_access",
      "allowed_directories",
      "memory_limit",
      "threads",
      "temp_directory",
      "lock_configuration",
    ],
    ...[
      "home_directory",
      "extension_directory",
      "autoload_known_extensions",
      "log_query_path",
      "profiling_output",
      "custom_user_agent",
    ],
  ]);
  return pick([
    `set ${name} = true`,
    `set global ${name} = '${ground.canaryFolder}'`,
    `set session ${name} to default`,
    `reset ${name}`,
    `pragma ${name}`,
    `pragma ${name} = 1`,
    `select current_setting('${name}')`,
    `set variable x = (select 1)`,
    "select getvariable('holding_open')",
    "select getenv('DATABASE_URL')",
    `install ${pick(["httpfs", "postgres", "sqlite", "shellfs from community"])}`,
    `force install httpfs from '${ground.canaryFolder}'`,
    `load ${pick(["httpfs", "postgres_scanner", `'${ground.canaryFolder}/x.duckdb_extension'`])}`,
    `call ${pick(["pragma_version()", "duckdb_settings()", "enable_logging()", "force_checkpoint()"])}`,
    ...["prepare p as select 1", "execute p(1)", "deallocate p", "use memory", "kill 1", "listen x"],
  ]);
};

const catalogs: Grammar = (pick) =>
  `select * from ${pick([
    ...[
      "duckdb_settings()",
      "duckdb_secrets()",
      "duckdb_views()",
      "duckdb_functions()",
      "duckdb_databases()",
      "duckdb_variables()",
    ],
    ...[
      "duckdb_logs()",
      "duckdb_temporary_files()",
      "pragma_database_list()",
      "pragma_table_info('holdings')",
      "which_secret('a','b')",
    ],
    ...[
      "sqlite_master",
      "pg_catalog.pg_class",
      "information_schema.schemata",
      "information_schema.tables",
      "inside.head",
      "tail.block",
    ],
    ...[
      "memory.inside.head",
      "system.main.duckdb_views",
      "temp.t",
      '"inside"."looked_through"',
      "near.holding_rows",
      "duckdb_memory()",
    ],
  ])}`;

const deep: Grammar = (pick, _ground, random) => {
  const n = 1 + random(8_000);
  return pick([
    `select ${"(".repeat(n)}1${")".repeat(n)}`,
    `select ${"- ".repeat(n)}1`,
    `select 1${" + 1".repeat(n)}`,
    `select ${"case when true then ".repeat(Math.min(n, 1_500))}1${" end".repeat(Math.min(n, 1_500))}`,
    `${"select * from (".repeat(Math.min(n, 2_000))}select 1${")".repeat(Math.min(n, 2_000))}`,
    `select ${"[".repeat(Math.min(n, 3_000))}1${"]".repeat(Math.min(n, 3_000))}`,
    `select ${"not ".repeat(n)}true`,
    `select 1 ${"union all select 1 ".repeat(Math.min(n, 2_500))}`,
    `with ${Array.from({ length: Math.min(n, 300) }, (_, i) => `c${i} as (select * from ${i === 0 ? "range(2)" : `c${i - 1}, range(2)`})`).join(", ")} select 1`,
    `select * from range(1) ${"cross join range(1) ".repeat(Math.min(n, 60))}`,
  ]);
};

const bombs: Grammar = (pick, _ground, random) => {
  const large = pick(["1000000000", "100000000000", "9223372036854775807"]);
  return pick([
    "with recursive r(i) as (select 1 union all select i + 1 from r) select count(*) from r",
    "with recursive r(t) as (select 'x' union all select t || t from r) select max(length(t)) from r",
    `select count(*) from range(${large}) a, range(${large}) b where a.range * b.range % 7 = 3`,
    "select * from holdings a, holdings b, holdings c, transfers d order by random()",
    `select sum(a.range) from range(${large}) a`,
    `select length(repeat('x', ${pick(["500000000", "1000000000"])}))`,
    `select length(repeat(repeat('x', 10000), ${large}))`,
    `select list(range) from range(${large})`,
    `select string_agg(range::VARCHAR, 'aaaaaaaaaaaaaaaaaaaaaa') from range(${large})`,
    `select range(${large})`,
    `select unnest(range(${large}))`,
    `select count(distinct range || repeat('y', 500)) from range(${large})`,
    `select * from range(${large}) order by range desc`,
    `select lpad('', ${large}, 'x')`,
    `select len(list_transform(range(300000000), x -> repeat('z', 50)))`,
    `select regexp_matches(repeat('a', 30000) || 'b', '(a+)+$')`,
    `select factorial(${random(5_000)})`,
    `select md5(repeat('x', ${100_000_000 + random(100_000_000)}))`,
    "select json_group_array(repeat('x', 100000)) from range(100000)",
    `select * from (select range, repeat('w', 1000) from range(${large})) pivot (count(*) for range in (1, 2, 3))`,
  ]);
};

const torn: Grammar = (pick, { known }, random) => {
  const text = pick(known);
  const at = random(text.length);
  return pick([
    text.slice(0, at),
    text.slice(at),
    `${text.slice(0, at)}${pick(["'", '"', "--", "/*", ";", "\\", "$$", "\u202e", "é", "(", "[", "\u0000", "%", "::"])}${text.slice(at)}`,
    text.replace(/\d+/g, () => pick(["-1", "99999999999999999999", "1e400", "0x10", "null", "'1'"])),
    `${text} union all ${text.slice(at)}`,
    `${text}; ${text}`,
  ]);
};

const known: Grammar = (pick, ground) => pick(ground.known);

/** Shares are out of a thousand. */
const grammars: readonly { kind: string; share: number; grammar: Grammar }[] = [
  { kind: "files", share: 230, grammar: files },
  { kind: "writes", share: 180, grammar: writes },
  { kind: "settings", share: 150, grammar: settings },
  { kind: "catalogs", share: 80, grammar: catalogs },
  { kind: "deep", share: 60, grammar: deep },
  { kind: "bombs", share: 20, grammar: bombs },
  { kind: "torn", share: 120, grammar: torn },
  { kind: "known", share: 160, grammar: known },
];

export function nextStatement(random: Random, ground: Ground): FuzzStatement {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  let left = random(grammars.reduce((sum, { share }) => sum + share, 0));
  const chosen = grammars.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  const { kind, grammar } = chosen ?? { kind: "known", grammar: known };
  const query = grammar(pick, ground, random);
  const isKnown = kind === "known";
  return {
    kind,
    isKnown,
    query: isKnown || random(3) > 0 ? query : disguised(query, random),
  };
}
