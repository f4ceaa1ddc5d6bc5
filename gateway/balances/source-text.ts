// What an account has beyond its wallet, as the text that it has in an answer.
import type { Part } from "../../core/lookthrough/attribute.ts";
import { type HeldAs, idNameOf } from "../backing/held-as.ts";
import { toNearestDouble } from "../numbers.ts";
import { sourcesOf } from "./source.ts";

export interface SourceText {
  /** JSON of the entries, joined by commas. */
  sources: string;
  /** `<source>: <value>` items, joined by a comma and a space. */
  expanded: string;
}

export interface Writing {
  /** See `LookedThrough`. */
  heldAs: ReadonlyMap<string, HeldAs>;
  decimals: number;
}

/**
 * In human units: the same digits on both sides of each. `digits`: those of all parts together, where they are known already, as
 * most accounts have one part alone.
 */
export function sourceText(parts: readonly Part[], { heldAs, decimals }: Writing, digits?: string): SourceText {
  const [only] = parts;
  const held = only && parts.length === 1 ? heldAs.get(only.path.at(-1) ?? "") : undefined;
  if (only && held) {
    const value = digits ?? digitsOf(only.amount, decimals);
    return { sources: jsonOf(held, value), expanded: `${held.kind}: ${value}` };
  }
  const sources = sourcesOf(parts, heldAs);
  const values = sources.map(({ amount }) => digitsOf(amount, decimals));
  return {
    sources: sources.map((source, i) => jsonOf(source, values[i] ?? "")).join(","),
    expanded: sources.map(({ kind }, i) => `${kind}: ${values[i]}`).join(", "),
  };
}

const digitsOf = (amount: bigint, decimals: number): string => String(toNearestDouble(amount, decimals));

/** Kinds and ids are plain: letters, digits and dashes need no escapes. */
function jsonOf(held: Pick<HeldAs, "kind" | "id">, value: string): string {
  const name = idNameOf(held);
  const extraData = name === undefined ? "" : `,"extraData":{"${name}":"${held.id}"}`;
  return `{"source":"${held.kind}","value":${value}${extraData}}`;
}
