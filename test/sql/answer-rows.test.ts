// What DuckDB gives at once becomes rows a few at a time: meanwhile the process looks at its clock and at its memory.
import { tmpdir } from "node:os";
import type { DuckDBConnection } from "@duckdb/node-api";
import { DuckDBTimestampTZValue } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckdb } from "../../sql/duckdb.ts";
import { writeAnswer } from "../../sql/write-answer.ts";

const SETTINGS = { folders: [tmpdir()], memoryMegabytes: 512, threads: 1 };

async function* piecesOf(connection: DuckDBConnection, query: string) {
  const result = await connection.stream(query);
  const about = { result, head: { block: 1, hash: "0x" }, onRows: () => {}, requireWhole: async () => {} };
  yield* writeAnswer("ndjson", about);
}

async function answer(connection: DuckDBConnection, query: string): Promise<string> {
  let text = "";
  for await (const piece of piecesOf(connection, query)) text += piece;
  return text;
}

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await openDuckdb(SETTINGS)).connect();
});
afterAll(() => connection?.closeSync());

describe("an answer", () => {
  it("lets everything else go on between the rows of one chunk, and has them all", async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    let pieces = 0;
    let rows = 0;
    for await (const piece of piecesOf(connection, "select range(1000) as x from range(2000)")) {
      pieces += 1;
      rows += String(piece).split("\n").length - 1;
    }
    clearImmediate(timer);
    expect(rows).toBe(2_000);
    expect(pieces).toBeGreaterThan(3);
    expect(turns).toBeGreaterThanOrEqual(pieces - 1);
  });

  it("has values of lists, structs and nulls in any depth, and none with more elements than are made at once", async () => {
    const rows = await answer(
      connection,
      `select case when range % 2 = 0 then [range, null] end as l, case when range > 0 then {'a': [[range::INTEGER], null]} end as s
         from range(3)`,
    );
    expect(rows).toBe(
      '{"l":["0",null],"s":null}\n{"l":null,"s":{"a":[[1],null]}}\n{"l":["2",null],"s":{"a":[[2],null]}}\n',
    );
    const kinds =
      "select map(['a'], [[range]]) as m, [range, 1]::BIGINT[2] as a, union_value(k := [range]) as u from range(1)";
    expect(await answer(connection, kinds)).toBe(
      '{"m":[{"key":"a","value":["0"]}],"a":["0","1"],"u":{"tag":"k","value":["0"]}}\n',
    );
    const large = [
      ...[
        "range(1100000)",
        "[range(600000), range(600000)]",
        "{'a': range(1100000)}",
        "union_value(k := range(1100000))",
      ],
      ...["map(range(400000), range(400000)), range(700000)", "range(400000), range(400000), range(400000)"],
      "list_transform(range(400000), lambda x: [x, x]::BIGINT[2])",
    ];
    for (const values of large) {
      const outcome = await answer(connection, `select ${values}`).then(({ length }) => length, String);
      expect([values, outcome]).toEqual([
        values,
        "SqlInvalidError: a row has lists of more than 1000000 elements together; unnest() makes rows of them",
      ]);
    }
    await expect(answer(connection, "select range(3)::VARIANT as v")).rejects.toThrow(
      "VARIANT is no type of an answer",
    );
    expect(await answer(connection, "select len(range(1100000)) as n")).toBe('{"n":1100000}\n');
  });

  it("has days and times of UTC, in whatever zone the machine is", async () => {
    const [zone, offset] = [process.env.TZ, DuckDBTimestampTZValue.timezoneOffsetInMinutes];
    process.env.TZ = "America/New_York";
    DuckDBTimestampTZValue.timezoneOffsetInMinutes = -300;
    try {
      const there = await (await openDuckdb(SETTINGS)).connect();
      expect(
        await answer(there, "select to_timestamp(1700010000) as t, to_timestamp(1700010000)::DATE as day, 1 as n"),
      ).toBe('{"t":"2023-11-15 01:00:00+00","day":"2023-11-15","n":1}\n');
      there.closeSync();
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
      DuckDBTimestampTZValue.timezoneOffsetInMinutes = offset;
    }
  });
});
