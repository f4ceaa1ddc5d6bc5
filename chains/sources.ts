// The part of a chain file from which an index is made. It is stored with the index: the file may be changed while gateways
// still read the older index, and then they answer by what is stored with that one.
import type { z } from "zod";
import { type ChainFile, chainFileFields } from "./chain-file.ts";
import { type Indexing, indexingOf } from "./indexing.ts";

const sourcesSchema = chainFileFields.pick({
  startBlock: true,
  wrappedNative: true,
  otherWrapped: true,
  tokens: true,
  v2: true,
  v3: true,
  islands: true,
  rewardVaults: true,
  farms: true,
  baults: true,
  infrared: true,
  externalVaults: true,
  launch: true,
});
const fields = Object.keys(sourcesSchema.shape) as readonly (keyof Sources)[];

/** The first block, the tokens and the contracts of a chain file. */
export type Sources = z.infer<typeof sourcesSchema>;

export const sourcesText = (chain: Sources): string =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, chain[field]])));

/** Reads a {@link sourcesText}; undefined where there is none, and where an older version with other chain files wrote it. */
export const readSources = (text: string | undefined): Sources | undefined =>
  text === undefined ? undefined : sourcesSchema.safeParse(JSON.parse(text)).data;

/** The only part of a chain file that Ponder is given. */
export const indexingOfSources = (sources: Sources, chainId: number): Indexing =>
  indexingOf({ ...sources, chainId } as ChainFile);

/**
 * `chain` as it is for an index that was made from the sources in `text`: its contracts and blocks are those of the index,
 * everything else is as the chain file says now. `chain` itself where both index the same, and where the sources are not known.
 */
export function withSources(chain: ChainFile, text: string | undefined): ChainFile {
  const sources = readSources(text);
  if (sources === undefined) return chain;
  const indexed = indexingOfSources(sources, chain.chainId);
  return JSON.stringify(indexed) === JSON.stringify(indexingOf(chain)) ? chain : { ...chain, ...sources };
}
