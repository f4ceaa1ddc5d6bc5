// What a process of the gateway has once, and every request uses.
import { AnswerCache } from "./cache/answer-cache.ts";
import type { Service } from "./context.ts";
import { LiveSchemaCache } from "./ledger/live-schemas.ts";

type Parts = Pick<Service, "chains" | "database"> & Partial<Omit<Service, "carried">>;

export const openService = (parts: Parts): Service => ({
  live: new LiveSchemaCache(parts.database),
  cache: new AnswerCache(),
  ...parts,
  carried: new Map(),
});
