// What the launcher quotes of a part's log.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lastLineOf } from "../../launcher/process/last-line.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-last-line-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const said = (text: string): string => {
  const file = join(folder, "part.log");
  writeFileSync(file, text);
  return lastLineOf(file);
};

const failed = { level: 40, msg: "Failed database query", error: { message: "no room", stack: "at /srv/x.ts:1" } };

it("the launcher quotes message and error of a log's last line, and not the rest of it", () => {
  expect(said(`${JSON.stringify(failed)}\n`)).toBe("Failed database query: no room");
  expect(said("plain words\n")).toBe("plain words");
});

it("the launcher quotes the same of a line that a full disk has cut off, also where the next one goes on behind it", () => {
  const cut = JSON.stringify(failed).slice(0, -8);
  expect(said(cut)).toBe("Failed database query: no room");
  expect(said(`${cut}{"level":30,"msg":"Connected to database"}\n`)).toBe("Failed database query: no room");
  expect(said('{"level":40,"ti')).toBe('{"level":40,"ti');
});

it("the launcher quotes nothing of what an earlier process has written", () => {
  const file = join(folder, "part.log");
  const earlier = `${JSON.stringify({ level: 60, msg: "no disk" })}\n`;
  writeFileSync(file, `${earlier}${JSON.stringify({ level: 30, msg: "listening" })}\n`);
  expect([lastLineOf(file), lastLineOf(file, earlier.length)]).toEqual(["no disk", "listening"]);
  expect(lastLineOf(file, 1_000)).toBe("");
});
