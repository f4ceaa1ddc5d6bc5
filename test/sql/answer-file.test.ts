// Answers written to a disk that is full, whenever it says so.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPieceFile } from "../../snapshot/piece-file.ts";
import { writeAnswerFile } from "../../sql/answer-file.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-answer-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* slowPieces() {
  yield "a\n";
  await sleep(50);
  yield "b\n";
}

describe("an answer's file", () => {
  it("is there when it is whole", async () => {
    const file = join(folder, "whole.csv");
    await writeAnswerFile(slowPieces(), file);
    expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["a\nb\n", ["whole.csv"]]);
    rmSync(file);
  });

  it("is one answer, whole, where another is written to the same place at the same time", async () => {
    const file = join(folder, "same.csv");
    const long = async function* () {
      yield "first\n".repeat(10_000);
      await sleep(100);
      yield "last\n";
    };
    await Promise.all([writeAnswerFile(long(), file), writeAnswerFile(slowPieces(), file)]);
    expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual([
      `${"first\n".repeat(10_000)}last\n`,
      ["same.csv"],
    ]);
    rmSync(file);
  });

  it.skipIf(!existsSync("/dev/full"))("is not there when the disk was full between two pieces", async () => {
    const file = join(folder, "lost.csv");
    symlinkSync("/dev/full", `${file}.partial`);
    await expect(writeAnswerFile(slowPieces(), file, `${file}.partial`)).rejects.toThrow("ENOSPC");
    expect(readdirSync(folder)).toEqual([]);
  });
});

it.skipIf(!existsSync("/dev/full"))(
  "a snapshot's file says what happened between two pieces with the next one",
  async () => {
    for (const next of ["write", "close"] as const) {
      const file = openPieceFile("/dev/full");
      await file.write("a");
      await sleep(50);
      await expect(next === "write" ? file.write("b") : file.close()).rejects.toThrow("ENOSPC");
    }
  },
);
