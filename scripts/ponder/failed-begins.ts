// A transaction that cannot begin keeps its connection: the drizzle-orm of Ponder 0.17.7 gives connections back only when one has
// begun. Ponder has two connections for the rows it writes and two for its cache; after two failures, each when a server ends a
// connection at just that moment, it waits for one for ever.
import { textOf, wrapQueries } from "./statements.ts";

/** Gives back a connection that a pool has lent; true: it is not lent again. */
interface Lent {
  release?(isBroken: boolean): void;
}

export function giveBackFailedBegins(): void {
  wrapQueries(
    (query) =>
      function (...given) {
        const answer = query.apply(this, given);
        if (textOf(given[0])?.startsWith("begin") && answer instanceof Promise)
          answer.catch(() => (this as Lent).release?.(true));
        return answer;
      },
  );
}
