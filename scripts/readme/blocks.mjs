// The commands that README.md shows, in order, each with the answer that it shows below it.

/** @typedef {{ line: number, text: string, answer: string | undefined }} Block */

/** README.md cannot be checked; the message names the line and what to write there. */
export class ReadmeError extends Error {
  name = "ReadmeError";
}

export const START = "npm start";
export const TEST = "npm test";

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

/**
 * All `sh` blocks. The block of another language that follows one, with nothing but an empty line between, is its answer.
 * @param {string} markdown
 * @returns {Block[]}
 * @throws {ReadmeError} where a question has no answer: nobody could see whether the command still does what it should
 */
export function readBlocks(markdown) {
  const fences = [...markdown.matchAll(FENCE)].map(({ index, 0: whole, 1: language, 2: text }) => ({
    index,
    language,
    text: String(text).trimEnd(),
    end: index + whole.length,
    line: markdown.slice(0, index).split("\n").length + 1,
  }));
  const blocks = fences.flatMap(({ language, text, line, end }, at) => {
    if (language !== "sh") return [];
    const next = fences[at + 1];
    const isAnswered = next !== undefined && next.language !== "sh" && markdown.slice(end, next.index).trim() === "";
    return [{ line, text, answer: isAnswered ? next.text : undefined }];
  });
  if (!blocks.some(({ text }) => text === START)) throw new ReadmeError(`README.md has no sh block "${START}"`);
  const mute = blocks.find(({ text, answer }) => ![START, TEST].includes(text) && answer === undefined);
  if (mute)
    throw new ReadmeError(`README.md, line ${mute.line}: show in a block of its own below what "${mute.text}" prints`);
  return blocks;
}

/**
 * What a command prints, without the two lines by which npm names the script.
 * @param {string} output
 */
export const printed = (output) => output.replace(/^\n> [^\n]*\n> [^\n]*\n\n/, "").trimEnd();
