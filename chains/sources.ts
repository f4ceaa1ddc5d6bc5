// The part of a chain file that an index is made of. It stays with the index, as the file may be changed while gateways still
// read the index that was made before: they answer by what that one holds.
import { type ChainFile, chainFileSchema } from "./chain-file.ts";
import { indexingOf } from "./indexing.ts";

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
const fields = Object.keys(sourcesSchema.shape) as readonly (keyof typeof sourcesSchema.shape)[];

/** The first block, the tokens and the contracts of `chain`, as JSON. */
export const sourcesOf = (chain: ChainFile): string =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, chain[field]])));

/**
 * `chain` as an index has it that was made of `sources`, the JSON of {@link sourcesOf}: with the contracts and blocks that are
 * in it, and what else the chain file says now. `chain` itself where both index the same, and where `sources` cannot be read.
 */
export function withSources(chain: ChainFile, sources: string | undefined): ChainFile {
  const parsed = sources === undefined ? undefined : sourcesSchema.safeParse(JSON.parse(sources));
  if (!parsed?.success) return chain;
  const indexed = { ...chain, ...parsed.data };
  return JSON.stringify(indexingOf(indexed)) === JSON.stringify(indexingOf(chain)) ? chain : indexed;
}
