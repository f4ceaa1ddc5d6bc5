// What a run claims: one line for each thing that was measured, as it is printed, recorded and shown in docs/benchmarks.md.
import { type Figure, keepsBound, type Line } from "./printed-lines.ts";

export interface Claim {
  what: string;
  /** With its unit. */
  figure: string;
  /** The figure of somebody else for the same, and who that is. */
  peer?: { name: string; figure: string; ratio: number };
  /** The bound for the figure, or where there is a peer, for the ratio. */
  bar?: string;
  isMet?: boolean;
}

const withBar = (bar: string, isMet: boolean | undefined): Pick<Claim, "bar" | "isMet"> => ({
  ...(bar === "" ? {} : { bar }),
  ...(isMet === undefined ? {} : { isMet }),
});

/** The peer of lines that each name their own in what they claim. */
export const NAMED_BY_CLAIM = "peer";

/** `peer`: with whom lines are compared unless they say otherwise. */
export const claimsOfLines = (lines: readonly Line[], peer: string): Claim[] =>
  lines.map((line) => ({
    what: line.what,
    figure: line.ours,
    peer: { name: line.peerName ?? peer, figure: line.peer, ratio: Number(line.ratio.toFixed(3)) },
    ...withBar(line.bound, keepsBound(line)),
  }));

export const claimsOfFigures = (figures: readonly Figure[]): Claim[] =>
  figures.map(({ what, value, bound, isMet }) => ({ what, figure: value, ...withBar(bound, isMet) }));
