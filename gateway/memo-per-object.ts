// What is made once for an object and lives as long as it does, stored on the object itself. A WeakMap would do the same, but V8's
// collections of young objects treat every value of a table that has grown old as alive: where a value refers back to its
// key, as a loader does to its request, both stay in memory until the next full collection.

export interface WithMemos {
  readonly memos: Map<symbol, unknown>;
}

/** Gives what `make` made for an object the first time; each call of this has values of its own. */
export function memoPerObject<C extends WithMemos, T>(make: (object: C) => T): (object: C) => T {
  const key = Symbol("memo");
  return (object) => {
    const before = object.memos.get(key);
    if (before !== undefined) return before as T;
    const made = make(object);
    object.memos.set(key, made);
    return made;
  };
}
