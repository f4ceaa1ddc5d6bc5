// What several blocks ask at the same time is one statement, and each gets its own rows, in their order.
import { describe, expect, it } from "vitest";
import type { Snapshot } from "../../gateway/database/snapshot.ts";
import { RequestTooLongError } from "../../gateway/history/require-time.ts";
import { readRows, readShared, readTogether } from "../../gateway/history/shared-statements.ts";

interface Sent {
  text: string;
  parameters: readonly string[];
}

/** Answers `n` with the rows n.0, n.1, …, as the database would, one set of parameters after the other. */
function snapshotOf(rowsOf: (n: number) => number): { snapshot: Snapshot; sent: Sent[] } {
  const sent: Sent[] = [];
  const namesOf = (n: number) => Array.from({ length: rowsOf(n) }, (_, i) => ({ name: `${n}.${i}` }));
  const prepared = async (text: string, parameters: string[]) => {
    sent.push({ text, parameters });
    if (text.includes("fails")) throw new Error(`failed for ${parameters[0]}`);
    if (!text.includes("set_place")) return namesOf(Number(parameters[0]));
    const sets = JSON.parse(parameters[0] ?? "[]") as { set_place: number; "0": string }[];
    return sets.flatMap(({ set_place, ...set }) => namesOf(Number(set["0"])).map((row) => ({ set_place, ...row })));
  };
  const rows = async (text: string) => {
    sent.push({ text, parameters: [] });
    return [];
  };
  return { snapshot: { prepared, rows, memos: new Map() } as unknown as Snapshot, sent };
}

const TEXT = "select name from named where n = $1::int4 order by name";

describe("statements of several blocks", () => {
  it("are one for all that ask the same, whatever each has asked before", async () => {
    const { snapshot, sent } = snapshotOf((n) => n);
    const read = async (n: number) => {
      // the first step differs, and takes longer for one
      await readRows(snapshot, `select ${n}`);
      if (n === 2) await readRows(snapshot, "select another");
      return (await readShared<{ name: string }>(snapshot, TEXT, [String(n)])).map(({ name }) => name);
    };
    expect(await readTogether({ snapshot }, [2, 0, 3], read)).toEqual([["2.0", "2.1"], [], ["3.0", "3.1", "3.2"]]);
    const shared = sent.filter(({ text }) => text.includes("named"));
    expect(shared).toHaveLength(1);
    expect(shared[0]?.text).toContain('where n = sets."0"::int4 order by name offset 0');
  });

  it("stay what they are where one block is asked about, and outside", async () => {
    const { snapshot, sent } = snapshotOf(() => 1);
    const read = (n: number) => readShared(snapshot, TEXT, [String(n)]);
    expect(await readTogether({ snapshot }, [7], read)).toEqual([[{ name: "7.0" }]]);
    expect(await read(8)).toEqual([{ name: "8.0" }]);
    expect(sent).toEqual([
      { text: TEXT, parameters: ["7"] },
      { text: TEXT, parameters: ["8"] },
    ]);
  });

  it("end for all when one fails, with its error, and nothing is under way any more", async () => {
    const { snapshot, sent } = snapshotOf(() => 1);
    let ended = 0;
    const read = async (n: number) => {
      try {
        return await readShared(snapshot, n === 1 ? "select fails where $1" : TEXT, [String(n)]);
      } finally {
        ended += 1;
      }
    };
    await expect(readTogether({ snapshot }, [0, 1, 2], read)).rejects.toThrow("failed for 1");
    expect(ended).toBe(3);
    expect(sent).toHaveLength(2);
  });

  it("are not begun when the request has taken its time", async () => {
    const { snapshot, sent } = snapshotOf(() => 1);
    const read = (n: number) => readShared(snapshot, TEXT, [String(n)]);
    const late = readTogether({ snapshot, until: performance.now() - 1 }, [1, 2], read);
    await expect(late).rejects.toBeInstanceOf(RequestTooLongError);
    expect(sent).toEqual([]);
  });
});
