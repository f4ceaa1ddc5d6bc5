// What all benchmarks print: lines that compare with a peer, figures with their bounds, and the numbers in them.
export interface Line {
  what: string;
  ours: string;
  peer: string;
  /** The peer's name, where it is not the peer of the other lines. */
  peerName?: string;
  ratio: number;
  /** e.g. `>= 2`; empty for figures without a bound. */
  bound: string;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
export const count = (value: number): string => Math.round(value).toLocaleString("en-US");
export const seconds = (value: number): string => `${value.toFixed(1)} s`;

export interface Figure {
  what: string;
  value: string;
  bound: string;
  isMet: boolean | undefined;
}

/** Whether a line keeps its bound; undefined when it has none. */
export function keepsBound({ ratio, bound }: Line): boolean | undefined {
  const [, sign, value] = /^(>=|<=) ([\d.]+)$/.exec(bound) ?? [];
  if (sign === undefined) return undefined;
  return sign === ">=" ? ratio >= Number(value) : ratio <= Number(value);
}

/** A Markdown table; `peer` heads the other figure. */
export function table(lines: readonly Line[], peer = "bare ponder"): string {
  const rows = lines.map((entry) => {
    const verdict = { true: "kept", false: "MISSED", undefined: "" }[
      String(keepsBound(entry)) as "true" | "false" | "undefined"
    ];
    return [entry.what, entry.ours, entry.peer, entry.ratio.toFixed(2), entry.bound, verdict];
  });
  const head = ["measured", "tidemark", peer, "ratio", "bound", ""];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const format = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  return [format(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(format)].join("\n");
}

/** A Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, bound, isMet }) => {
    return [what, value, bound, isMet === undefined ? "" : isMet ? "kept" : "MISSED"];
  });
  const head = ["measured", "figure", "bound", ""];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n");
}
