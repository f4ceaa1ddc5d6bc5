// What a process of the gateway has once, and every request uses.
import { AnswerCache } from "./cache/answer-cache.ts";
import { LONGEST_REQUEST_MS, type Service } from "./context.ts";
import { BatchedStatements } from "./database/batched-statements.ts";
import { ChainMemory } from "./database/chain-memory.ts";

type Parts = Pick<Service, "chains" | "database"> & Partial<Omit<Service, "memos" | "statements">>;

export function openService(parts: Parts): Service {
  const { database, memory = new ChainMemory(database) } = parts;
  const statements = new BatchedStatements({ database, memory });
  return {
    cache: new AnswerCache(),
    longestRequestMs: LONGEST_REQUEST_MS,
    ...parts,
    memory,
    statements,
    memos: new Map(),
  };
}

/** For callers with many questions in one scope, over a longer time than the chain stands still: each scope is one transaction. */
export const openLastingService = (parts: Parts): Service => ({ ...openService(parts), statements: undefined });
