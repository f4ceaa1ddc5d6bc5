// Runs rules that need readings of a chain until everything that they need is read.
import type { Node } from "./node.ts";
import { Readings } from "./readings.ts";

/** The last result of `derive`, which runs over and over; between two runs, all that it asked for and lacks is read together. */
export async function readAll<T>(node: Node, head: number, derive: (on: Readings) => T): Promise<T> {
  const on = new Readings(head);
  for (;;) {
    const derived = derive(on);
    const { wanted } = on;
    if (wanted.length === 0) return derived;
    on.add(wanted, await node.read(wanted));
  }
}
