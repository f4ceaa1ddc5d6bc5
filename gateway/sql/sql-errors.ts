// What can be wrong with a SQL statement, or with what answers it. The process behind POST /sql throws them too.
import { z } from "zod";
import { type ErrorFacts, GatewayError } from "../errors.ts";

/** Where in the statement, both from 1; columns count characters. */
export interface StatementPlace {
  line: number;
  column: number;
}

/** 400 `SQL_INVALID`: the statement cannot be answered as it is; says where. */
export class SqlInvalidError extends GatewayError {
  override name = "SqlInvalidError";

  constructor(problem: string, place?: StatementPlace, details: Record<string, unknown> = {}) {
    const where = place === undefined ? "" : `line ${place.line}, column ${place.column}: `;
    super(`${where}${problem}`, {
      code: "SQL_INVALID",
      status: 400,
      details: { parameter: "query", ...(place ?? {}), ...details },
    });
  }
}

type SqlLimit = "seconds" | "rows" | "bytes" | "memory";

/** 400 `SQL_LIMIT`: the statement needs more than one may have; asking again does not help. */
export class SqlLimitError extends GatewayError {
  override name = "SqlLimitError";

  constructor(limit: SqlLimit, most: number, cure: string) {
    const what = { seconds: "seconds", rows: "rows", bytes: "bytes of an answer", memory: "megabytes of memory" }[
      limit
    ];
    super(`The statement needs more than ${most} ${what}: ${cure}.`, {
      code: "SQL_LIMIT",
      status: 400,
      details: { limit, most },
    });
  }
}

/**
 * 503 `SQL_DAMAGED`: a file of the lake is not the one that its manifest names, or its rows are of other sources than the index has;
 * nothing is answered until that is repaired.
 */
export class SqlDamagedError extends GatewayError {
  override name = "SqlDamagedError";

  /** `cure`: what repairs it; no check writes a manifest. */
  constructor(
    path: string,
    problem: string,
    cure = "`npm run lake -- --check` names all such files and writes them again",
  ) {
    super(`The lake's file ${path} ${problem}, so nothing is answered from the lake. ${cure}.`, {
      code: "SQL_DAMAGED",
      status: 503,
      retryAfterSeconds: 30,
      details: { path },
    });
  }
}

/** 503 `SQL_UNAVAILABLE`: the process that answers statements is not there, or has ended while it worked. */
export class SqlUnavailableError extends GatewayError {
  override name = "SqlUnavailableError";

  constructor(problem: string) {
    super(problem, {
      code: "SQL_UNAVAILABLE",
      status: 503,
      retryAfterSeconds: 2,
    });
  }
}

/**
 * 409 `CHAIN_REPLACED`: rows that the fold closed in blocks of a branch that is gone are read by the questions that name their block,
 * and not by statements, which may name none.
 */
export class SqlChainReplacedError extends GatewayError {
  override name = "SqlChainReplacedError";

  /** `fork`: the last block that both branches share; undefined where they share none. */
  constructor({ block, fork }: { block: number; fork: number | undefined }) {
    const others = fork === undefined ? "" : `The other questions are answered up to block ${fork}. `;
    super(
      `SQL is not answered: the chain has replaced block ${block}, which was final. ${others}SQL is answered again once the index is made anew.`,
      { code: "CHAIN_REPLACED", status: 409, details: { lastSyncedBlock: fork ?? null } },
    );
  }
}

/** 429 `SQL_BUSY`: one statement of a client at a time. */
export class SqlBusyError extends GatewayError {
  override name = "SqlBusyError";

  constructor(message: string) {
    super(message, {
      code: "SQL_BUSY",
      status: 429,
      retryAfterSeconds: 1,
    });
  }
}

/** 404 `SQL_OFF`: the operator has not turned it on. */
export class SqlOffError extends GatewayError {
  override name = "SqlOffError";

  constructor() {
    super("SQL is not turned on here. An operator turns it on with LAKE and SQL=on; see docs/sql.md.", {
      code: "SQL_OFF",
      status: 404,
    });
  }
}

const refusal = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }),
});

const RETRY_SECONDS: Readonly<Record<number, number>> = { 429: 1, 503: 2 };

/** The error that the process answered in place of rows, as it was thrown there; undefined for an answer that is no such error. */
export function publicErrorOf(status: number, body: unknown): GatewayError | undefined {
  const parsed = refusal.safeParse(body);
  if (!parsed.success || status >= 500 !== (status === 503)) return undefined;
  const { code, message, details } = parsed.data.error;
  const retryAfterSeconds = RETRY_SECONDS[status];
  return new GatewayError(message, {
    code,
    status: status as ErrorFacts["status"],
    ...(details ? { details } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
