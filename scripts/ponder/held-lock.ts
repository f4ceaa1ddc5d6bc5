// A Ponder 0.17.7 that ends takes the lock off its schema even when another one holds it: a second one that gave up waiting
// opens the schema to a third, which takes rows back that the first has just written. So none takes a lock off: it goes
// stale 25 seconds after the last sign of life, and the launcher frees it before a start when nobody is connected.
import { rewriteStatements } from "./statements.ts";

const UNLOCK = "jsonb_set(value, '{is_locked}', to_jsonb(0))";

export function keepLock(): void {
  rewriteStatements((text) => text.replaceAll(UNLOCK, "value"));
}
