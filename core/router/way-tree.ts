// The ways that a search has gone so far, each a node of the tree that it grows: columns of numbers, because there are thousands.

const FIRST_ROOM = 1_024;

export interface Way {
  readonly token: number;
  readonly amount: number;
  /** −1 for the first. */
  readonly parent: number;
  readonly edge: number;
  /** Bits of the kinds of pools passed, and the last one's. */
  readonly kinds: number;
  readonly lastKind: number;
  /** Units of gas, ticks included. */
  readonly gas: number;
  /** What the outlook promises it, less gas. */
  readonly promise: number;
}

/** Columns of {@link Way}, by a way's number. */
export class WayTree {
  token = new Int32Array(FIRST_ROOM);
  parent = new Int32Array(FIRST_ROOM);
  edge = new Int32Array(FIRST_ROOM);
  kinds = new Uint8Array(FIRST_ROOM);
  lastKind = new Uint8Array(FIRST_ROOM);
  amount = new Float64Array(FIRST_ROOM);
  gas = new Float64Array(FIRST_ROOM);
  promise = new Float64Array(FIRST_ROOM);
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  /** Returns the way's number. */
  add(way: Way): number {
    if (this.#count === this.token.length) this.#makeRoom();
    this.put(this.#count, way);
    return this.#count++;
  }

  /** Puts a way in the place of another one, which no way continues. */
  put(at: number, { token, amount, parent, edge, kinds, lastKind, gas, promise }: Way): void {
    this.token[at] = token;
    this.amount[at] = amount;
    this.parent[at] = parent;
    this.edge[at] = edge;
    this.kinds[at] = kinds;
    this.lastKind[at] = lastKind;
    this.gas[at] = gas;
    this.promise[at] = promise;
  }

  hasPassed(way: number, token: number): boolean {
    for (let at = way; at >= 0; at = this.parent[at] as number) {
      if (this.token[at] === token) return true;
    }
    return false;
  }

  /** The way's edges, from the first on. */
  edgesOf(way: number): number[] {
    const edges: number[] = [];
    for (let at = way; (this.parent[at] as number) >= 0; at = this.parent[at] as number) {
      edges.push(this.edge[at] as number);
    }
    return edges.reverse();
  }

  #makeRoom(): void {
    const larger = <T extends Int32Array | Uint8Array | Float64Array>(column: T, empty: T): T => {
      empty.set(column);
      return empty;
    };
    const room = 2 * this.token.length;
    this.token = larger(this.token, new Int32Array(room));
    this.parent = larger(this.parent, new Int32Array(room));
    this.edge = larger(this.edge, new Int32Array(room));
    this.kinds = larger(this.kinds, new Uint8Array(room));
    this.lastKind = larger(this.lastKind, new Uint8Array(room));
    this.amount = larger(this.amount, new Float64Array(room));
    this.gas = larger(this.gas, new Float64Array(room));
    this.promise = larger(this.promise, new Float64Array(room));
  }
}
