// A connection whose n-th statement from now fails without reaching the server.
import type { Sql } from "postgres";

export interface FailingSql {
  sql: Sql;
  /** The statement after `statements` more fails with what `fail` throws. */
  failAfter(statements: number, fail: () => Promise<Error>): void;
  /** None fails any more; says whether one would have. */
  disarm(): boolean;
}

/** What stands for a statement that never ran: whatever is done with it fails. */
function failed(fail: () => Promise<Error>) {
  const error = fail();
  const rejected = error.then((thrown) => Promise.reject(thrown));
  rejected.catch(() => {});
  return Object.assign(rejected, {
    async *cursor() {
      yield await rejected;
    },
    writable: () => rejected,
    readable: () => rejected,
  });
}

export function failingSql(sql: Sql): FailingSql {
  let armed: { left: number; fail: () => Promise<Error> } | undefined;
  const next = (): unknown => {
    if (armed === undefined) return undefined;
    armed.left -= 1;
    if (armed.left >= 0) return undefined;
    const { fail } = armed;
    armed = undefined;
    return failed(fail);
  };
  const proxy = new Proxy(sql, {
    apply: (target, self, args) => {
      // a list of names or values is no statement
      const isStatement = Array.isArray(args[0]) && "raw" in args[0];
      return (isStatement ? next() : undefined) ?? Reflect.apply(target as never, self, args);
    },
    get: (target, property, receiver) =>
      property === "unsafe"
        ? (...args: Parameters<Sql["unsafe"]>) => next() ?? target.unsafe(...args)
        : Reflect.get(target, property, receiver),
  });
  return {
    sql: proxy,
    failAfter(left, fail) {
      armed = { left, fail };
    },
    disarm() {
      const wasArmed = armed !== undefined;
      armed = undefined;
      return wasArmed;
    },
  };
}
