// The last message in a part's log, for people.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { withoutKeys } from "../../core/without-keys.ts";

const MOST_BYTES = 20_000;
const MOST_LINES = 20;
const MOST_CHARACTERS = 600;

/**
 * The log's last error if it has any near its end, else its last line; at most 600 characters. The first `from` bytes are ignored:
 * an earlier process may have died of something else. Empty where there is nothing.
 */
export function lastLineOf(file: string, from = 0): string {
  try {
    const lines = endOf(file, from).trim().split("\n").slice(-MOST_LINES);
    const error = lines.findLast((line) => /"level":[56]0/.test(line));
    return withoutKeys(readable(error ?? lines.at(-1) ?? "")).slice(0, MOST_CHARACTERS);
  } catch {
    return "";
  }
}

function endOf(file: string, from: number): string {
  const log = openSync(file, "r");
  try {
    const { size } = fstatSync(log);
    const begin = Math.max(from, size - MOST_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - begin));
    return bytes.toString("utf8", 0, readSync(log, bytes, 0, bytes.length, begin));
  } finally {
    closeSync(log);
  }
}

/** Logs are JSON lines: their message and error. */
function readable(line: string): string {
  try {
    const { msg, error } = JSON.parse(line) as { msg?: string; error?: string | { message?: string } };
    const cause = typeof error === "string" ? error : error?.message;
    return [msg, cause].filter((part) => part !== undefined && part !== "").join(": ") || line;
  } catch {
    return readableOfCut(line);
  }
}

/** For a line that a full disk cut off: what is left of message and error. The next line may begin in the middle of it. */
function readableOfCut(line: string): string {
  const texts = [...line.matchAll(/"(?:msg|message|error)":"((?:[^"\\]|\\.)+)"/g)].map(([, text]) => text);
  return texts.length === 0 ? line : texts.slice(0, 2).join(": ");
}
