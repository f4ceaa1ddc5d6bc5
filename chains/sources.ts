// The part of a chain file that an index is made of. It stays with the index, as the file may be changed while gateways still
// read the index that was made before: they answer by what that one holds.
import type { z } from "zod";
import { type ChainFile, chainFileSchema } from "./chain-file.ts";
import { type Indexing, indexingOf } from "./indexing.ts";

const sourcesSchema = chainFileSchema.pick({
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

/** Of a {@link sourcesText}; undefined where there is none, and where it is of a version whose chain files were others. */
export const readSources = (text: string | undefined): Sources | undefined =>
  text === undefined ? undefined : sourcesSchema.safeParse(JSON.parse(text)).data;

/** What Ponder is given, which is nothing else of a chain file. */
export const indexingOfSources = (sources: Sources, chainId: number): Indexing =>
  indexingOf({ ...sources, chainId } as ChainFile);

/**
 * `chain` as an index has it that was made of the sources in `text`: with the contracts and blocks that are in it, and what else the
 * chain file says now. `chain` itself where both index the same, and where nobody knows.
 */
export function withSources(chain: ChainFile, text: string | undefined): ChainFile {
  const sources = readSources(text);
  if (sources === undefined) return chain;
  const indexed = indexingOfSources(sources, chain.chainId);
  return JSON.stringify(indexed) === JSON.stringify(indexingOf(chain)) ? chain : { ...chain, ...sources };
}
