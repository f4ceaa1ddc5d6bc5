// Whether an existing lake can be continued: it is compared with the index that is read.
import type { Sql } from "postgres";
import type { ChainFile } from "../chains/chain-file.ts";
import { everyDataset } from "./make-segment.ts";
import { type Manifest, ManifestError, rootOf } from "./manifest.ts";
import { changesUpTo, type ReadContracts } from "./read-contracts.ts";
import { type FinalIndex, readBlockHash, readFactColumns } from "./read-index.ts";

/** The way out of a {@link sourcesProblem}. */
export const SOURCES_CURE =
  "write the chain file as it was, or move the lake's folder of this chain away, and `npm run lake` writes it anew";

/** A lake, and what it is compared with. */
export interface Continuing {
  /** The lake's folder of the chain. */
  folder: string;
  chain: Pick<ChainFile, "chainId" | "name" | "lake">;
  /** What the chain file's own index reads; undefined: gateways read that index. */
  own: ReadContracts | undefined;
  facts: Sql;
}

export interface Continued {
  /** The manifest as it is, or that of an empty lake; with the sources of what will be written next. */
  manifest: Manifest;
  waitsFor: string | undefined;
}

const ANOTHER_INDEX = "the index of the chain file: the one that is read now was made from another";
const UNTOLD_INDEX = "an index that says what it was made from: the one that is read now is of an older version";
const OWN_CURE = "give LAKE another folder, or move this one away";

/** @throws ManifestError where the lake is of another chain, was cut by another rule, or has rows of other sources */
export async function continueLake(
  { folder, chain, own, facts }: Continuing,
  index: FinalIndex,
  found: Manifest | undefined,
): Promise<Continued> {
  const columns = await readFactColumns(facts, index);
  const schema = Object.fromEntries(everyDataset(columns).map((dataset) => [dataset.name, [...dataset.columns]]));
  if (found === undefined) {
    const { chainId, name, lake: rule } = chain;
    const empty = { segments: [], root: rootOf([]) };
    const { contracts } = index;
    const since = contracts && { sources: { since: index.firstBlock, read: contracts } };
    const manifest: Manifest = { format: 1, chainId, chain: name, rule, schema, ...since, ...empty };
    return { manifest, waitsFor: isOfAnotherFile(index, own) ? ANOTHER_INDEX : undefined };
  }
  await requireSameChain({ folder, facts }, index, found);
  if (JSON.stringify(found.rule) !== JSON.stringify(chain.lake))
    throw new ManifestError(
      `${folder} is cut by ${JSON.stringify(found.rule)}, the chain file says ${JSON.stringify(chain.lake)}: write that into its \`lake\`, or ${OWN_CURE}`,
    );
  if (JSON.stringify(found.schema) !== JSON.stringify(schema))
    throw new ManifestError(`${folder} has other columns than this version writes: ${OWN_CURE}; it is written anew`);
  const problem = sourcesProblem(found, index);
  if (problem !== undefined) throw new ManifestError(`${folder} ${problem}: ${SOURCES_CURE}`);
  return namingSources(found, index);
}

/** A lake that began with such an index could not be continued once the chain file's own index is complete. */
const isOfAnotherFile = ({ contracts }: FinalIndex, own: ReadContracts | undefined): boolean =>
  contracts !== undefined &&
  own !== undefined &&
  changesUpTo(Number.POSITIVE_INFINITY, { before: contracts, now: own }).length > 0;

async function requireSameChain(
  { folder, facts }: Pick<Continuing, "folder" | "facts">,
  index: FinalIndex,
  { segments }: Manifest,
): Promise<void> {
  const last = segments.at(-1);
  const hash = last && (await readBlockHash(facts, index, last.last));
  if (last && index.lastWritable >= last.last && hash !== last.hash)
    throw new ManifestError(
      `${folder} is a lake of another chain, or of a branch that this one has replaced: its block ${last.last} is ${last.hash}, here it is ${hash ?? "missing"}; ${OWN_CURE}`,
    );
}

/** How the rows that a lake has differ from those of an index that has read `contracts`; for people. Undefined: no difference is known. */
export function sourcesProblem(
  { segments, sources: written }: Pick<Manifest, "segments" | "sources">,
  { firstBlock, contracts }: Pick<FinalIndex, "firstBlock" | "contracts">,
): string | undefined {
  const [first, last] = [segments[0]?.first ?? firstBlock, segments.at(-1)?.last ?? -1];
  if (first !== firstBlock) return `begins with block ${first}, and the index with block ${firstBlock}`;
  const changes = written && contracts ? changesUpTo(last, { before: written.read, now: contracts }) : [];
  if (changes.length === 0) return undefined;
  return `was written up to block ${last} with other sources than the index has (${changes.join("; ")})`;
}

/** Where it is unknown what an index has read, nothing is added to a lake that names its sources. */
function namingSources(found: Manifest, { contracts }: FinalIndex): Continued {
  const { segments, root, sources: written, ...rest } = found;
  if (contracts === undefined) return { manifest: found, waitsFor: written && UNTOLD_INDEX };
  const since = written?.since ?? (segments.at(-1)?.last ?? -1) + 1;
  return { manifest: { ...rest, sources: { since, read: contracts }, segments, root }, waitsFor: undefined };
}

/** The last block whose rows do not say what they were read from; undefined: all do. */
export function lastWithoutSources({ segments, sources }: Pick<Manifest, "segments" | "sources">): number | undefined {
  const [first, last] = [segments[0]?.first, segments.at(-1)?.last];
  if (first === undefined || last === undefined || sources?.since === first) return undefined;
  return sources === undefined ? last : sources.since - 1;
}
