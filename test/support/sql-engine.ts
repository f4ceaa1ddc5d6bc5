// The engine behind POST /sql over an index of a test's database and its lake, in the test's own process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Service } from "../../gateway/context.ts";
import type { AnswerFormat } from "../../gateway/rest/answer-format.ts";
import { Engine } from "../../sql/engine.ts";
import { IndexReader } from "../../sql/index-reader.ts";
import type { StatementLimits } from "../../sql/limits.ts";
import { runStatement, type StatementRunner } from "../../sql/run-statement.ts";

export interface TestSql {
  engine: Engine;
  runner: StatementRunner;
  /** The whole answer as text. */
  text(query: string, format?: AnswerFormat): Promise<string>;
  bytes(query: string, format: AnswerFormat): Promise<Buffer>;
  /** The JSON of the answer. */
  ask(query: string): Promise<TestAnswer>;
  rows(query: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface TestAnswer {
  block: number;
  blockHash: string;
  columns: { name: string; type: string }[];
  rows: Record<string, unknown>[];
  rowCount: number;
}

interface Place {
  databaseUrl: string;
  chainId: number;
  /** That of the chain. */
  lakeFolder: string;
  service: Service;
  limits?: Partial<StatementLimits>;
}

export async function openTestSql({ databaseUrl, chainId, lakeFolder, service, limits }: Place): Promise<TestSql> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-sql-"));
  const workFolder = join(folder, "work");
  const engine = await Engine.open(
    { lakeFolder, workFolder, recordPath: join(folder, "verified.json"), memoryMegabytes: 512, threads: 1 },
    new IndexReader(databaseUrl, chainId),
  );
  const runner: StatementRunner = {
    ...{ engine, service, memoryMegabytes: 512, folders: [lakeFolder, workFolder] },
    limits: { seconds: 30, rows: 1_000_000, bytes: 100_000_000, ...limits },
    onStuck: () => {},
  };
  const bytes = async (query: string, format: AnswerFormat) => {
    const { pieces } = await runStatement(runner, { query, format });
    const all: Buffer[] = [];
    for await (const piece of pieces) all.push(Buffer.from(piece));
    return Buffer.concat(all);
  };
  const text = async (query: string, format: AnswerFormat = "json") => (await bytes(query, format)).toString();
  const ask = async (query: string) => JSON.parse(await text(query)) as TestAnswer;
  return {
    ...{ engine, runner, bytes, text, ask },
    rows: async (query) => (await ask(query)).rows,
    async close() {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
