// Events that are recorded as they are: rare ones that no table of their own is worth.
import type { Context } from "ponder:registry";
import { otherEvent } from "ponder:schema";
import { type LogEvent, placeOf } from "./fact-place.ts";

interface Occurrence {
  event: LogEvent & { log: { address: `0x${string}` }; args?: object };
  context: Context;
}

/** A handler that records its event under `name`. */
export function recordAs(name: string) {
  return async ({ event, context }: Occurrence) => {
    await context.db.insert(otherEvent).values({
      ...placeOf(event),
      contract: event.log.address,
      event: name,
      args: namedArguments(event.args ?? {}),
    });
  };
}

/** Arguments as JSON: 256-bit integers as decimal text, addresses in lower case, text without what PostgreSQL refuses. */
function namedArguments(args: object): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (typeof value === "bigint") return [name, value.toString()];
      if (typeof value !== "string") return [name, value];
      return [name, /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value.replaceAll("\0", "")];
    }),
  );
}
