// Runs what wants to know things of a chain until it knows them.
import type { Node } from "./node.ts";
import { Readings } from "./readings.ts";

/** `derive` runs over and over; what it asks for and nobody has read is read together in between. Its last result. */
export async function readAll<T>(node: Node, head: number, derive: (on: Readings) => T): Promise<T> {
  const on = new Readings(head);
  for (;;) {
    const derived = derive(on);
    const { wanted } = on;
    if (wanted.length === 0) return derived;
    on.add(wanted, await node.read(wanted));
  }
}
