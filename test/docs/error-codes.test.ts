// Every code that an error may have is explained where people look for it, and no other.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const sources = readdirSync(join(root, "gateway"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(join(root, "gateway", path), "utf8"));

const CODE = "[A-Z]+(?:_[A-Z]+)*";

/** Codes as errors are given them, in this house's three ways: as a field, as the first argument, and by state. */
function thrownCodes(): Set<string> {
  const ways = [
    new RegExp(`\\bcode: "(${CODE})"`, "g"),
    new RegExp(`\\b(?:UnavailableError|super)\\(\\s*"(${CODE})"`, "g"),
    new RegExp(`^  (?:starting|backfilling|folding|failing|unknown|stalled|incomplete|stopped): "(${CODE})"`, "gm"),
  ];
  const found = sources.flatMap((text) => ways.flatMap((way) => [...text.matchAll(way)].map(([, code]) => code ?? "")));
  return new Set(found);
}

const text = readFileSync(join(root, "docs/querying.md"), "utf8");
const table = text.slice(text.indexOf("### Errors"), text.indexOf("## GraphQL\n"));
const rows = table.split("\n").filter((line) => /^\| [\d, ]+ \|/.test(line));
const documented = rows.flatMap((row) =>
  [...(row.split("|")[2] ?? "").matchAll(/`(\w+)`/g)].map(([, code]) => code ?? ""),
);

it("the table of errors names every code of the gateway, and no other", () => {
  const thrown = thrownCodes();
  expect(thrown.size).toBeGreaterThan(25);
  expect([...thrown].filter((code) => !documented.includes(code))).toEqual([]);
  expect(documented.filter((code) => !thrown.has(code))).toEqual([]);
});

it("every code has a meaning and a way out, once", () => {
  for (const row of rows)
    expect(
      row
        .split("|")
        .map((cell) => cell.trim())
        .filter((cell) => cell !== ""),
      row,
    ).toHaveLength(4);
  expect(documented.filter((code, i) => documented.indexOf(code) !== i)).toEqual([]);
});

it("an error that stays says neither to retry nor when", () => {
  // a call ends before the next blank line
  const constructors = sources.flatMap((source) => source.match(/super\((?:(?!\n\n)[\s\S])*?\n {4}\}?\);/g) ?? []);
  const staying = constructors.filter((one) => /status: 4(?:00|01|04|05|09|13)\b/.test(one));
  expect(staying.length).toBeGreaterThan(10);
  expect(staying.filter((one) => /retry|again in|retryAfterSeconds/i.test(one))).toEqual([]);
});
