// The lines of the table, from what was measured.

import { type Moment, momentNames } from "../as-of/sizes.ts";
import { count, type Line, median, megabytes } from "../printed-lines.ts";
import type { ContenderName } from "./contenders.ts";

type Name = ContenderName | "http";

export interface LakeRun {
  moment: Moment;
  name: Name;
  round: number;
  holders: number;
  ms: number;
}

const milliseconds = (value: number): string => `${count(value)} ms`;

/** What is compared: ours divided by the peer's, and the bound of that ratio. */
const comparisons: readonly { ours: Name; peer: Name; bound: string }[] = [
  { ours: "duckdb parquet", peer: "http", bound: "<= 0.35" },
  { ours: "duckdb parquet", peer: "postgres", bound: "" },
  { ours: "duckdb parquet", peer: "duckdb csv", bound: "" },
  { ours: "duckdb parquet", peer: "chdb tables", bound: "" },
  { ours: "chdb parquet", peer: "chdb tables", bound: "" },
  { ours: "chdb tables", peer: "postgres", bound: "" },
];

export function answerLines(runs: readonly LakeRun[]): Line[] {
  return momentNames.flatMap((moment) => {
    const here = runs.filter((run) => run.moment === moment);
    const of = (name: Name) => median(here.filter((run) => run.name === name).map(({ ms }) => ms));
    const holders = count(here[0]?.holders ?? 0);
    return comparisons.map(({ ours, peer, bound }) => ({
      what: `${holders} holders, ${moment} block: ${ours} against ${peer}`,
      ours: milliseconds(of(ours)),
      peer: milliseconds(of(peer)),
      ratio: of(ours) / of(peer),
      bound,
    }));
  });
}

type Bytes = Record<"postgres" | "lake" | "csv" | "chdb tables", number>;

/** Sizes of all tokens' holdings only; the CSV has transfers. */
export function sizeLines(bytes: Bytes, changes: number): Line[] {
  return (["postgres", "chdb tables", "csv"] as const).map((peer) => ({
    what: `${count(changes)} changes: bytes of the lake's holdings (${(bytes.lake / changes).toFixed(1)} a change) against ${peer}`,
    ours: megabytes(bytes.lake),
    peer: megabytes(bytes[peer]),
    ratio: bytes.lake / bytes[peer],
    bound: "",
  }));
}
