// The order of test files: group by group, and in each group the longest first, so that no long file runs alone at the end.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const GROUPS = ["unit", "seeded", "e2e"];

/**
 * The files that take longest: used while no times of an earlier run are known. Of those that start products, the benchmarks keep
 * every processor busy: those that mostly wait go beside them, and not beside one another.
 */
const LONG = [
  "fold/reorgs",
  "gateway/try-it",
  "lake/walked-lakes",
  "gateway/warm-answers",
  "lake/clickhouse-load",
  "gateway/waiting-islands",
  "sql/terminal",
  "sql/answer-rows",
  "seeded/pruned-history",
  "seeded/pages",
  "seeded/clickhouse",
  "seeded/plan",
  "seeded/pruned-node",
  "seeded/lake",
  "seeded/conservation",
  "seeded/averages",
  "bench/smallest.e2e",
  "sql/sql-process.e2e",
  "readiness/fold.e2e",
  "facts/refusing-node.e2e",
  "readiness/hanging-database.e2e",
  "lake/lake-life.e2e",
  "readiness/ponder.e2e",
  "trials/faults",
  "lake/reorged-lake.e2e",
  "lake/lake-process.e2e",
  "facts/live.e2e",
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
