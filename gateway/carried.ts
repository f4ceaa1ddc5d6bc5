// What is made once for an object and lives as long as it does, stored on the object itself. A WeakMap would do the same, but V8's
// collections of young objects treat every value of a table that has grown old as alive: where a value refers back to its
// key, as a loader does to its request, both stay in memory until the next full collection.

export interface Carrier {
  readonly carried: Map<symbol, unknown>;
}

/** What `make` made for `place` of the carrier the first time. */
export function carry<T>({ carried }: Carrier, place: symbol, make: () => T): T {
  const before = carried.get(place);
  if (before !== undefined) return before as T;
  const made = make();
  carried.set(place, made);
  return made;
}

/** Gives what `make` made for a carrier the first time. */
export function carriedBy<C extends Carrier, T>(make: (carrier: C) => T): (carrier: C) => T {
  const place = Symbol("carried");
  return (carrier) => carry(carrier, place, () => make(carrier));
}
