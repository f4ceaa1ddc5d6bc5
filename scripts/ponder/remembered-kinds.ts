// Remembers answers to the most frequent call of drizzle-orm, "is this value of that class?": Ponder 0.17.7 makes it dozens of times
// for every value that it writes into its cache, each time walking up the value's classes. The answer depends on the value's prototype alone.
//
// This takes the place of drizzle-orm's own module.
import * as own from "drizzle-orm/entity";

export const { entityKind, hasOwnEntityKind } = own;

type Kind = Parameters<typeof own.is>[1];

/** By prototype and class. */
const answers = new WeakMap<object, Map<Kind, boolean>>();

export function is(value: unknown, kind: Kind): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  const known = prototype === null ? undefined : answers.get(prototype)?.get(kind);
  if (known !== undefined) return known;
  const answer = own.is(value, kind);
  if (prototype !== null) answers.set(prototype, (answers.get(prototype) ?? new Map()).set(kind, answer));
  return answer;
}
