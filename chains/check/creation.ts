// When a contract was created: found by its code where the node has old states, else by its first log.
import { z } from "zod";
import { type Address, quantity, type Reading, type Readings } from "./readings.ts";

export interface Creation {
  /** The block of its creation or, found by logs, of its first log: the contract may be older then. */
  block: number;
  by: "code" | "log";
}

/**
 * The first block, up to `last`, that has code at `address`. `absent`: there is no code up to `last`, or, where the node has no
 * old states, no log.
 */
export function readCreation(on: Readings, address: Address, last: number): Reading<Creation> {
  const there = hasCode(on, address, last);
  if (there.kind === "unknown") return there.why === undefined ? there : firstLog(on, address, last);
  if (there.kind !== "value" || !there.value) return { kind: "absent" };
  let [before, after] = [-1, last];
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2);
    const at = hasCode(on, address, middle);
    if (at.kind !== "value") return at.kind === "unknown" && at.why === undefined ? at : firstLog(on, address, last);
    if (at.value) after = middle;
    else before = middle;
  }
  return { kind: "value", value: { block: after, by: "code" } };
}

function hasCode(on: Readings, address: Address, block: number): Reading<boolean> {
  const code = on.code(address, block);
  return code.kind === "value" ? { kind: "value", value: code.value !== "0x" } : code;
}

const logsSchema = z.array(z.object({ blockNumber: z.string() }));
/** Nodes refuse long ranges and many logs. A refused range is halved; this many ranges are asked for in all. */
const MOST_RANGES = 12;

function firstLog(on: Readings, address: Address, last: number): Reading<Creation> {
  const open: [number, number][] = [[0, last]];
  for (let ranges = 0; ranges < MOST_RANGES; ranges++) {
    const range = open.pop();
    if (range === undefined) return { kind: "absent" };
    const [from, to] = range;
    const reading = on.ask("eth_getLogs", [{ address, fromBlock: quantity(from), toBlock: quantity(to) }]);
    if (reading.kind === "unknown" && reading.why === undefined) return reading;
    const logs = reading.kind === "value" ? logsSchema.safeParse(reading.value).data : undefined;
    if (logs?.[0] !== undefined) return { kind: "value", value: { block: Number(logs[0].blockNumber), by: "log" } };
    if (logs !== undefined) continue;
    if (to <= from) break;
    const middle = Math.floor((from + to) / 2);
    // The earlier half comes first.
    open.push([middle + 1, to], [from, middle]);
  }
  return { kind: "unknown", why: "the node has no state of old blocks, and does not give the logs of all of them" };
}
