// The order of test files: group by group, and in each group the longest first, so that no long file runs alone at the end.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const GROUPS = ["unit", "seeded", "e2e"];

/** The files that take longest: used while no times of an earlier run are known. */
const LONG = [
  "fold/reorgs",
  "lake/walked-lakes",
  "gateway/try-it",
  "gateway/warm-answers",
  "gateway/averages-ledger",
  "gateway/list-pages",
  "seeded/pruned-history",
  "seeded/pages",
  "seeded/clickhouse",
  "seeded/lake",
  "seeded/plan",
  "seeded/averages",
  "seeded/sql-as-of",
  "bench/smallest.e2e",
  "trials/faults",
  "lake/reorged-lake.e2e",
  "lake/lake-process.e2e",
  "sql/sql-process.e2e",
  "readiness/fold.e2e",
  "facts/live.e2e",
  "facts/refusing-node.e2e",
  "lake/lake-life.e2e",
  "readiness/hanging-database.e2e",
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number =>
      LONG.findIndex((name) => moduleId.endsWith(name)) + 1 || LONG.length + 1;
    const group = ({ project }: TestSpecification): number => GROUPS.indexOf(project.name);
    return sorted.sort((a, b) => group(a) - group(b) || place(a) - place(b));
  }
}
