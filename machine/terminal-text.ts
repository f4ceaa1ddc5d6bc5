// What strangers wrote (symbols, names, messages) as text that a terminal can only show: nothing in it moves the cursor,
// changes colours, turns the direction of reading, or hides.

/**
 * Control and format characters (ANSI escapes begin with one; bidi marks and zero-width spaces are among them), lone surrogates,
 * unassigned and private ones, line separators, every space but the plain one, and marks that pile up on others.
 */
const UNSHOWABLE = /[\p{C}\p{Zl}\p{Zp}\p{M}]|(?! )\p{Zs}/u;

/** Unicode blocks whose letters run from right to left: a terminal that supports them would reverse the numbers beside them, too. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Two columns wide. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const isPlain = (character: string): boolean => !UNSHOWABLE.test(character) && !RIGHT_TO_LEFT.test(character);

/** The same text with everything that a terminal would not just show written as `\u{…}`; a second time changes nothing. */
export const terminalText = (text: string): string =>
  [...text].map((character) => (isPlain(character) ? character : escaped(character))).join("");

/** How many columns a text made by `terminalText` takes. */
export const columnsOf = (text: string): number =>
  [...text].reduce((columns, character) => columns + (WIDE.test(character) ? 2 : 1), 0);

/** `terminalText` of it in at most this many columns; a longer text ends with `…`. */
export function shortenedText(text: string, columns: number): string {
  const safe = terminalText(text);
  if (columnsOf(safe) <= columns) return safe;
  let short = "";
  let taken = 1;
  for (const character of safe) {
    taken += columnsOf(character);
    if (taken > columns) break;
    short += character;
  }
  return `${short}…`;
}

const jsonEscaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** The same JSON value: such characters are written in its strings as `\uXXXX`, and between its values as spaces. */
export function terminalJson(json: string): string {
  // valid JSON has these three raw between its values only
  const characters = [...json.replace(/[\t\r\n]/g, " ")];
  return characters.map((character) => (isPlain(character) ? character : jsonEscaped(character))).join("");
}
