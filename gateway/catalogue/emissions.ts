// What flows to reward vaults, and which of them it may flow to.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { type AnswerPlace, FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import { type StrideStates, stateAt } from "../cache/stride-states.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { readFacts } from "../history/raw-facts.ts";

/** Blocks whose sums are stored together. */
const CHUNK = 128;

type Sums = ReadonlyMap<string, bigint>;

/** By final chunk: raw units by vault. Reading a whole week again takes long. */
const chunkSums = question<Sums>("emissions", { unusedMs: 600_000 });
const placeOf = (chunk: number): AnswerPlace => ({ at: FINAL, key: `${chunk}` });

interface EmissionRow {
  /** -1 for what belongs to no whole chunk. */
  chunk: number;
  vault: string;
  amount: string;
}

/**
 * `Distributed` to each vault with `after < block <= upTo`, raw units of the reward token. `RewardAdded` is no sum: it
 * holds what was left of the running period. Vaults are sent something in almost every block, so sums of final chunks are
 * stored and only the rest is read.
 */
export async function readEmissions(snapshot: Snapshot, range: BlocksAfter): Promise<Map<string, bigint>> {
  const { chunks, edges } = cutIntoChunks({ ...range, final: snapshot.state.finalized }, CHUNK);
  const { cache } = snapshot;
  const stored = chunks.map((chunk) => cache.get(chunkSums, placeOf(chunk)));
  const missing = chunks.filter((_, i) => stored[i] === undefined);
  const read = await readSpans(snapshot, [
    ...missing.map((chunk) => ({ chunk, ...spanOf(chunk, CHUNK) })),
    ...edges.map((edge) => ({ chunk: -1, ...edge })),
  ]);
  for (const chunk of missing) cache.set(chunkSums, placeOf(chunk), read.get(chunk) ?? new Map());
  const sums = new Map<string, bigint>();
  for (const part of [...stored.flatMap((found) => found ?? []), ...read.values()])
    for (const [vault, amount] of part) sums.set(vault, (sums.get(vault) ?? 0n) + amount);
  return sums;
}

/** By chunk and vault. */
async function readSpans(
  snapshot: Snapshot,
  spans: readonly (BlockSpan & { chunk: number })[],
): Promise<Map<number, Map<string, bigint>>> {
  const sums = new Map<number, Map<string, bigint>>();
  if (spans.length === 0) return sums;
  const found = await readFacts(snapshot, (facts) =>
    facts.prepared<EmissionRow>(
      `select s.chunk, r.vault, sum(r.amount)::text as amount
         from unnest(string_to_array($1, ',')::int4[], string_to_array($2, ',')::int4[], string_to_array($3, ',')::int4[])
                s(chunk, low, high)
         join ${facts.view("reward")} r on r.block >= s.low and r.block <= s.high
        where r.protocol = 'reward-vault' and r.kind = 'distributed'
        group by s.chunk, r.vault`,
      (["chunk", "from", "to"] as const).map((column) => spans.map((span) => span[column]).join(",")),
    ),
  );
  for (const { chunk, vault, amount } of found)
    sums.set(chunk, (sums.get(chunk) ?? new Map<string, bigint>()).set(vault, BigInt(amount)));
  return sums;
}

/** Of each vault that the chef has spoken of, whether it may receive emissions. */
type Whitelist = ReadonlyMap<string, boolean>;

/** Final blocks from one stored whitelist to the next. */
const STRIDE = 128;

/** It lies among all that contracts set and log besides, which may be something in every block: reading that again takes long. */
const whitelists = question<Whitelist>("whitelists", { unusedMs: 600_000 });

/** The vaults that may receive emissions at the end of the block; undefined on a chain where nobody decides that. */
export async function readWhitelisted(
  snapshot: Snapshot,
  { rewardVaults }: ChainFile,
  block: number,
): Promise<Set<string> | undefined> {
  const { beraChef } = rewardVaults ?? {};
  if (!beraChef) return undefined;
  const states: StrideStates<Whitelist> = {
    question: whitelists,
    stride: STRIDE,
    empty: new Map(),
    carryOn: (from, range) => whitelistAfter(snapshot, { chef: beraChef.address, from }, range),
  };
  const whitelist = await stateAt(snapshot.cache, states, { block, finalized: snapshot.state.finalized });
  return new Set([...whitelist].flatMap(([vault, isListed]) => (isListed ? [vault] : [])));
}

/** `from` with what `chef` said in `after < block <= upTo`. */
async function whitelistAfter(
  snapshot: Snapshot,
  { chef, from }: { chef: string; from: Whitelist },
  { after, upTo }: BlocksAfter,
): Promise<Whitelist> {
  if (upTo <= after) return from;
  const found = await readFacts(snapshot, (facts) =>
    facts.prepared<{ vault: string; is_listed: boolean }>(
      `select distinct on (args->>'receiver') args->>'receiver' as vault, args->>'isWhitelisted' = 'true' as is_listed
         from ${facts.view("other_event")}
        where contract = $1 and event = 'VaultWhitelistedStatusUpdated' and block > $2::int4 and block <= $3::int4
        order by args->>'receiver', block desc, log_index desc`,
      [chef, String(after), String(upTo)],
    ),
  );
  return new Map([...from, ...found.map(({ vault, is_listed }) => [vault, is_listed] as const)]);
}

interface CutRange {
  /** Chunk c holds the blocks from c × size up to and including (c + 1) × size − 1. */
  chunks: readonly number[];
  /** What lies around them. */
  edges: readonly BlockSpan[];
}

export const spanOf = (chunk: number, size: number): BlockSpan => ({ from: chunk * size, to: (chunk + 1) * size - 1 });

/** The whole chunks in `after < block <= upTo` that end at or before `final`, and the rest. */
export function cutIntoChunks(range: BlocksAfter & { final: number }, size: number): CutRange {
  const { after, upTo, final } = range;
  const first = Math.ceil((after + 1) / size);
  const end = Math.floor((Math.min(upTo, final) + 1) / size);
  const chunks = Array.from({ length: Math.max(end - first, 0) }, (_, i) => first + i);
  const spans =
    chunks.length === 0
      ? [{ from: after + 1, to: upTo }]
      : [
          { from: after + 1, to: first * size - 1 },
          { from: end * size, to: upTo },
        ];
  return { chunks, edges: spans.filter(({ from, to }) => from <= to) };
}
