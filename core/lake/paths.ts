// Where the files of a lake lie, relative to the folder of its chain.
import type { Segment } from "./segments.ts";

export const MANIFEST = "manifest.json";
export const CHECKSUMS = "SHA256SUMS";
/** What is being written. Nobody else reads it. */
export const ASIDE = ".aside";

/** Where a lake has the files of a chain. */
export const chainFolder = (lake: string, chainId: number): string => `${lake}/${chainId}`;

/** Ten digits hold every block number, and sort like them. */
const digits = (block: number): string => String(block).padStart(10, "0");

export const segmentFile = (dataset: string, { first, last }: Segment): string =>
  `${dataset}/${digits(first)}-${digits(last)}.parquet`;

/** The text of `SHA256SUMS`, which `sha256sum -c` takes: sorted by path. */
export const checksumsText = (files: readonly { path: string; sha256: string }[]): string =>
  [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, sha256 }) => `${sha256}  ${path}\n`)
    .join("");
