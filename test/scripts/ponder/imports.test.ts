// What stands in the place of modules that Ponder imports: the same answers, for less work.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as own from "drizzle-orm/entity";
import * as viem from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { bloomOf } from "../../../scripts/ponder/block-logs.ts";
import { replaceImports } from "../../../scripts/ponder/imports.ts";
import * as columns from "../../../scripts/ponder/read-columns.ts";
import { hexToBytes, hexToNumber, keccak256 } from "../../../scripts/ponder/remembered-hashes.ts";
import { is } from "../../../scripts/ponder/remembered-kinds.ts";

const PONDER = "../../../node_modules/ponder/dist/esm/";

beforeAll(replaceImports);

it("a replacement is given to four of Ponder's modules and to all of drizzle-orm's, and to no other", () => {
  const loader = new URL("given-modules.ts", import.meta.url).pathname;
  const printed = execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", loader], {
    encoding: "utf8",
  });
  const given = Object.entries(JSON.parse(printed) as Record<string, string>);
  const ofKinds = given.filter(([, ours]) => ours === "remembered-kinds.ts").map(([importer]) => importer);
  expect(ofKinds).toEqual(expect.arrayContaining(["index.js", "utils.js", "pg-core/dialect.js", "sql/sql.js"]));
  expect(Object.fromEntries(given.filter(([importer]) => !ofKinds.includes(importer)))).toEqual({
    "build/config.js": "read-columns.ts",
    "internal/logger.js": "outliving-log.ts",
    "runtime/historical.js": "queued-once.ts",
    "sync-realtime/bloom.js": "remembered-hashes.ts",
  });
});

describe("remembered kinds", () => {
  it("are drizzle-orm's own, the first time and again", async () => {
    const { Column, Param, SQL, sql, Table } = await import("drizzle-orm");
    const { integer, pgTable } = await import("drizzle-orm/pg-core");
    const table = pgTable("fact", { block: integer() });
    const values = [
      table,
      table.block,
      sql`1`,
      new Param(1),
      {},
      [],
      "text",
      1n,
      null,
      undefined,
      Object.create(table),
    ];
    const kinds = [Table, Column, SQL, Param];
    const answers = (ask: typeof is) => kinds.map((kind) => values.map((value) => ask(value, kind)));
    expect(answers(own.is).map((ofKind) => ofKind.filter(Boolean).length)).toEqual([2, 1, 1, 1]);
    expect([answers(is), answers(is)]).toEqual([answers(own.is), answers(own.is)]);
    expect(() => is(Object.create(null), Table)).toThrow(TypeError);
    expect(() => is({}, Map as never)).toThrow("doesn't look like a Drizzle entity");
  });
});

describe("remembered hashes", () => {
  const address = (n: number): viem.Hex => viem.numberToHex(n + 1, { size: 20 });

  it("give Ponder the same result for a bloom, the first time and again", async () => {
    const { isInBloom } = (await import(`${PONDER}sync-realtime/bloom.js`)) as {
      isInBloom(bloom: viem.Hex, value: viem.Hex): boolean;
    };
    const logs = Array.from({ length: 20 }, (_, n) => ({ address: address(n), topics: [] }));
    const blooms = [logs, logs.slice(1), []].map((some) => viem.bytesToHex(bloomOf(some)));
    const answers = () => blooms.map((bloom) => [0, 1, 2, 1_000].map((n) => isInBloom(bloom, address(n))));
    const right = [
      [true, true, true, false],
      [false, true, true, false],
      [false, false, false, false],
    ];
    expect([answers(), answers()]).toEqual([right, right]);
  });

  it("are viem's own", () => {
    const [bloom, another] = [address(7), address(8)].map((one) =>
      viem.bytesToHex(bloomOf([{ address: one, topics: [] }])),
    ) as [viem.Hex, viem.Hex];
    for (const hex of [address(1), address(2), address(1), bloom, another, bloom, another]) {
      expect(keccak256(hex)).toBe(viem.keccak256(hex));
      expect(hexToBytes(hex)).toEqual(viem.hexToBytes(hex));
    }
    expect(hexToNumber("0x1f")).toBe(31);
  });
});

describe("columns that Ponder reads of its cache to begin with", () => {
  it("are all that handlers read of blocks, and of transactions they read nothing", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const text = files.map((file) => readFileSync(join("src", file), "utf8")).join("\n");
    const readOf = (what: "block" | "transaction") => [
      ...new Set([...text.matchAll(new RegExp(`event\\.${what}\\.(\\w+)`, "g"))].map(([, name]) => `${what}.${name}`)),
    ];
    expect([readOf("block").length, readOf("transaction").length]).toEqual([4, 0]);
    expect(text).not.toMatch(/[{,]\s*transaction\s*[:,}]/);
    expect(columns.defaultBlockFilterInclude).toEqual(expect.arrayContaining(readOf("block")));
    expect(columns.defaultLogFilterInclude).toEqual(
      expect.arrayContaining(["block.number", "block.timestamp", "block.hash"]),
    );
  });

  it("are few: no calldata, no blooms", async () => {
    const own = (await import(`${PONDER}runtime/filter.js`)) as Record<string, string[]>;
    expect(own.defaultLogFilterInclude).toEqual(expect.arrayContaining(["transaction.input", "block.logsBloom"]));
    expect(columns.defaultLogFilterInclude).not.toEqual(expect.arrayContaining(["transaction.input"]));
    expect(columns.defaultBlockFilterInclude).not.toEqual(expect.arrayContaining(["block.logsBloom"]));
    expect(columns.defaultLogFilterInclude).toEqual(own.requiredLogFilterInclude);
  });
});
