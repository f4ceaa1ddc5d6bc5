// What strangers wrote reaches a terminal as plain text only.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tableLines } from "../../ask/table.ts";
import { columnsOf, shortenedText, terminalJson, terminalText } from "../../machine/terminal-text.ts";

/** Whatever a terminal acts upon, and letters that turn what stands beside them around. */
const ACTED_UPON = /[\p{Cc}\p{Cf}\u2028\u2029\u0590-\u08ff]/u;

const hostile = [
  ["a colour", "HO\u001b[31mNEY", "HO\\u{1b}[31mNEY"],
  ["a one-byte escape", "\u009b2JHONEY", "\\u{9b}2JHONEY"],
  ["a window title", "\u001b]0;owned\u0007", "\\u{1b}]0;owned\\u{7}"],
  ["NUL, backspace, carriage return, line feed, tab", "\0\b\r\n\t", "\\u{0}\\u{8}\\u{d}\\u{a}\\u{9}"],
  ["bidi marks and isolates", "\u202eYENOH\u2066\u2069\u200f", "\\u{202e}YENOH\\u{2066}\\u{2069}\\u{200f}"],
  ["letters from right to left", "\u05d0\u0627", "\\u{5d0}\\u{627}"],
  ["zero-width characters", "HO\u200bNEY\ufeff", "HO\\u{200b}NEY\\u{feff}"],
  ["tags that nobody sees", "A\u{e0041}", "A\\u{e0041}"],
  ["half of a pair", "\ud83d", "\\u{d83d}"],
  ["marks piled up", "a\u0300\u0301", "a\\u{300}\\u{301}"],
  ["spaces of other widths", "a\u00a0\u3000b", "a\\u{a0}\\u{3000}b"],
] as const;

describe("terminal text", () => {
  test.each(hostile)("shows %s as text", (_, text, shown) => {
    expect(terminalText(text)).toBe(shown);
  });

  test("leaves what people read as it is", () => {
    const text = "USD₮0 Ünïcode 蜂蜜 🍯 <b>HONEY</b>";
    expect(terminalText(text)).toBe(text);
  });

  test("has nothing a terminal acts upon, and stays as it is when made twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const shown = terminalText(text);
        expect(shown).not.toMatch(ACTED_UPON);
        expect(terminalText(shown)).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("JSON for a terminal", () => {
  test("is the same value without anything a terminal acts upon", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (json) => {
        const shown = terminalJson(json);
        expect(shown).not.toMatch(ACTED_UPON);
        expect(JSON.parse(shown)).toEqual(JSON.parse(json));
      }),
      { numRuns: 2_000 },
    );
  });

  test("keeps its value where a proxy has laid it out over lines", () => {
    expect(JSON.parse(terminalJson('{\r\n\t"a": "\u202e"\r\n}'))).toEqual({ a: "\u202e" });
  });
});

describe("tables", () => {
  test("align numbers right and texts left, whatever a symbol is made of", () => {
    const columns = [{ title: "symbol", atMost: 12 }, { title: "amount", align: "right" }, { title: "why" }] as const;
    const rows = [
      ["HONEY", "1.5", "x"],
      ["\u001b[2J", "1000000", ""],
      ["蜂蜜", "20", "y"],
      ["x".repeat(10_000), "3", "z"],
    ];
    expect(tableLines(columns, rows)).toEqual([
      "symbol         amount  why",
      "HONEY             1.5  x",
      "\\u{1b}[2J     1000000",
      "蜂蜜               20  y",
      "xxxxxxxxxxx…        3  z",
    ]);
  });

  test("are as wide in every line, with any symbols", () => {
    const cell = fc.string({ unit: "binary", maxLength: 30 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (symbols) => {
        const columns = [{ title: "symbol", atMost: 24 }, { title: "end" }];
        const lines = tableLines(
          columns,
          symbols.map((symbol) => [symbol, "|"]),
        );
        expect(new Set(lines.slice(1).map(columnsOf)).size).toBe(1);
      }),
    );
  });

  test("cut a text to the columns it may take, a wide character counting two", () => {
    expect(shortenedText("蜂蜜蜂蜜", 8)).toBe("蜂蜜蜂蜜");
    expect(shortenedText("蜂蜜蜂蜜", 6)).toBe("蜂蜜…");
  });
});
