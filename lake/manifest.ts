// A lake's manifest: what the lake holds. What it does not name does not exist. It is the same in all lakes of one chain: it has no
// times, no places and nothing of a single index.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CHECKSUMS, checksumsText, MANIFEST } from "../core/lake/paths.ts";
import { readContractsSchema } from "./read-contracts.ts";

const block = z.number().int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const extremes = z.record(z.string(), z.union([z.string(), z.number()]));

const column = z.strictObject({
  name: z.string(),
  type: z.enum(["INTEGER", "VARCHAR"]),
  meaning: z.enum(["integer", "decimal", "hex", "text", "json"]),
});

const file = z.strictObject({
  dataset: z.string(),
  /** Relative to the manifest. */
  path: z.string().regex(/^[a-z0-9_]+\/\d{10}-\d{10}\.parquet$/),
  rows: z.number().int().positive(),
  bytes: z.number().int().positive(),
  sha256,
  /** The smallest and the largest value of each column whose order means something. */
  min: extremes,
  max: extremes,
});

const segment = z.strictObject({
  first: block,
  last: block,
  /** Of block `last`. */
  hash: z.string(),
  /** What wrote the files: another version may write other bytes of the same rows. */
  writer: z.string(),
  files: z.array(file),
});

const manifest = z.strictObject({
  format: z.literal(1),
  chainId: z.number().int().positive(),
  chain: z.string(),
  rule: z.strictObject({ segmentBlocks: z.number().int().positive(), segmentTransfers: z.number().int().positive() }),
  /** Every dataset's columns, in their order; those without a file, too. */
  schema: z.record(z.string(), z.array(column)),
  /**
   * What the rows of blocks from `since` on were read from. Lakes that were begun before this was recorded lack it, or have it only
   * for their later segments.
   */
  sources: z.strictObject({ since: block, read: readContractsSchema }).optional(),
  /** In order, each after the one before it. */
  segments: z.array(segment),
  /** sha-256 of the text of SHA256SUMS. */
  root: sha256,
});

export type Manifest = z.infer<typeof manifest>;
export type SegmentEntry = Manifest["segments"][number];
export type FileEntry = SegmentEntry["files"][number];

/** What the lake's folder holds cannot be relied on; the message says what to do. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

export const filesOf = ({ segments }: Pick<Manifest, "segments">): FileEntry[] =>
  segments.flatMap(({ files }) => files);

export const rootOf = (files: readonly FileEntry[]): string =>
  createHash("sha256").update(checksumsText(files)).digest("hex");

export const manifestText = (content: Manifest): string => `${JSON.stringify(content, null, 1)}\n`;

/** @throws ManifestError when the text is not a whole manifest; `place` is named in it */
function parseManifest(text: string, place: string): Manifest {
  const cure = "move it away, and `npm run lake` writes the lake anew: the same files";
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new ManifestError(`${place} is not JSON: ${cure}`);
  }
  const checked = manifest.safeParse(content);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new ManifestError(`${place}: ${issue?.path.join(".")}: ${issue?.message}; ${cure}`);
  }
  const { data } = checked;
  if (rootOf(filesOf(data)) !== data.root)
    throw new ManifestError(`${place} does not have the root of the files that it names (${CHECKSUMS}): ${cure}`);
  return data;
}

/**
 * Undefined where there is none yet. `folder`: that of the chain, `<lake>/<chain id>`.
 * @throws ManifestError as {@link parseManifest}
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const place = join(folder, MANIFEST);
  try {
    return parseManifest(await readFile(place, "utf8"), place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
