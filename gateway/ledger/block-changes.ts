// What each block above the watermark changed in all ledgers, kept: the block's hash decides it. With a new block only its
// own facts have to be read.
import type { FactsScope } from "./facts-scope.ts";
import { keepAnswers } from "./kept-answers.ts";
import { readManyPrepared } from "./many-rows.ts";
import { changesIn } from "./overlay.ts";

/** `key` is a token's or contract's address; `0x` for all that a kind lists. */
export interface LedgerAsset {
  kind: string;
  key: string;
}

export const nameOf = ({ kind, key }: LedgerAsset): string => `${kind} ${key}`;

export interface Change extends LedgerAsset {
  account: string;
  /** Raw units; zero where a block's facts cancel each other out. */
  delta: bigint;
}

interface Blocks {
  /** Exclusive. */
  after: number;
  /** Inclusive. */
  upTo: number;
}

/** Where more blocks than this lie above the watermark, they are read all at once and none is kept. */
const MOST_TOLD_APART = 2_000;

const kept = keepAnswers<readonly Change[]>({ most: 100_000, weigh: ({ length }) => 1 + length });

const ABOUT = "changes of the block";

/** The net changes of every block, one block after the other. */
export async function changesOfBlocks(facts: FactsScope, blocks: Blocks): Promise<Change[]> {
  const { after, upTo } = blocks;
  if (upTo - after > MOST_TOLD_APART) return [...(await readChanges(facts, blocks)).values()].flat();
  const hashes = await readHashes(facts, blocks);
  const placeOf = (block: number) => {
    const hash = hashes.get(block);
    return hash === undefined ? undefined : { index: facts.index, point: { block, hash }, about: ABOUT };
  };
  const found: (readonly Change[])[] = [];
  for (let block = after + 1; block <= upTo; block++) {
    const place = placeOf(block);
    const known = place && kept.known(place);
    if (!known) break;
    found.push(known);
  }
  const readAfter = after + found.length;
  const read = readAfter < upTo ? await readChanges(facts, { after: readAfter, upTo }) : new Map<number, Change[]>();
  for (let block = readAfter + 1; block <= upTo; block++) {
    const changes = read.get(block) ?? [];
    const place = placeOf(block);
    if (place) kept.keep(place, changes);
    found.push(changes);
  }
  return found.flat();
}

async function readHashes({ prepared, schemas }: FactsScope, { after, upTo }: Blocks): Promise<Map<number, string>> {
  const rows = await prepared<{ number: number; hash: string }>(
    `select number, hash from ${schemas.ponder}.block where number > $1::int4 and number <= $2::int4`,
    [String(after), String(upTo)],
  );
  return new Map(rows.map(({ number, hash }) => [number, hash]));
}

const COLUMNS = ["block", "kind", "key", "account", "delta"];

/** By block, in order; a block without changes is left out. */
async function readChanges(facts: FactsScope, { after, upTo }: Blocks): Promise<Map<number, Change[]>> {
  const text = `
    select block, kind, key, account, sum(delta) as delta
      from (${changesIn(facts.schemas.ponder, { after: "$1::int4", upTo: "$2::int4" })}) d
     group by block, kind, key, account order by block`;
  const many = await readManyPrepared(facts, { text, parameters: [String(after), String(upTo)] }, COLUMNS);
  const changes = new Map<number, Change[]>();
  for (let i = 0; i < many.length; i += COLUMNS.length) {
    const [block, kind = "", key = "", account = "", delta = "0"] = many.slice(i, i + COLUMNS.length);
    const ofBlock = changes.get(Number(block)) ?? [];
    changes.set(Number(block), ofBlock);
    ofBlock.push({ kind, key, account, delta: BigInt(delta) });
  }
  return changes;
}
