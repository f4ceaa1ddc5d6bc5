// When Ponder 0.17.7 ends, it takes the lock off its schema even if another Ponder holds it: a second one that gave up waiting
// opens the schema to a third, which takes back rows that the first has just written. So no Ponder takes a lock off here: a lock
// goes stale 25 seconds after the last sign of life, and the launcher frees it before a start when nobody is connected.
import { rewriteStatements } from "./statements.ts";

const UNLOCK = "jsonb_set(value, '{is_locked}', to_jsonb(0))";

export function keepLock(): void {
  rewriteStatements((text) => text.replaceAll(UNLOCK, "value"));
}
