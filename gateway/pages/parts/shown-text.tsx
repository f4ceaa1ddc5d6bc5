// Texts that strangers have written into contracts: shown as text, whatever is in them.

/** Much longer ones are cut to it, and say how long they are. */
const LONGEST = 48;
/** What is only a little longer is left whole: saying that it was cut would take as much room. */
const SLACK = 16;

/**
 * Controls, marks that turn the direction of writing, and what takes no room or is blank: none of it can be seen, so it is named.
 * Behind a pictograph U+FE0F only says that it has colours.
 */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028-\u202e\u2800\ufff9-\ufffb]|[\ud800-\udfff]/gu;

const named = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** The text as it can be read by anybody, unseen characters by their numbers, cut to `most` characters where it is much longer. */
export function readable(text: string, most = LONGEST): string {
  const characters = [...text.slice(0, 2 * (most + SLACK + 1))];
  const isCut = characters.length > most + SLACK;
  const shown = (isCut ? characters.slice(0, most) : characters).join("").replace(UNSEEN, named);
  return isCut ? `${shown}… (${[...text].length.toLocaleString("en")} characters)` : shown;
}

/** A stranger's text, kept apart from what stands around it. `fallback`: what is shown for an empty one. */
export function ShownText({ text, most, fallback }: { text: string | undefined; most?: number; fallback?: string }) {
  if (text === undefined || text.trim() === "") return <span class="quiet">{fallback ?? "no name"}</span>;
  return <bdi>{readable(text, most)}</bdi>;
}
