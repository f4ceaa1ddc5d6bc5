// What is made once for an object and lives as long as it does, kept on the object itself. A WeakMap says the same, but V8's
// collections of young objects take every value of a table that has grown old for alive: where a value leads back to its
// key, as a loader does to its request, both stay in memory until the next collection of everything.

export interface Carrier {
  readonly carried: Map<symbol, unknown>;
}

/** Gives what `make` made for a carrier the first time. */
export function carriedBy<C extends Carrier, T>(make: (carrier: C) => T): (carrier: C) => T {
  const place = Symbol("carried");
  return (carrier) => {
    const known = carrier.carried.get(place);
    if (known !== undefined) return known as T;
    const made = make(carrier);
    carrier.carried.set(place, made);
    return made;
  };
}
