// What the facts above the watermark say of tokens as a whole. Everybody who asks about the newest block needs it, so it is
// worked out once for each: the watermark and the block's hash decide all of it.
import type { Address } from "../parameters.ts";
import type { FactsScope } from "./facts-scope.ts";
import { keepAnswers } from "./kept-answers.ts";
import { changesIn, tokensBrokenAbove } from "./overlay.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";

interface Place {
  snapshot: Snapshot;
  point: BlockPoint;
}

const NONE: ReadonlySet<Address> = new Set();

const kept = keepAnswers<ReadonlySet<Address>>({ most: 100_000, weigh: ({ size }) => 1 + size });

/** Tokens whose ledger goes out of range between the watermark and the block, see tokensBrokenAbove. */
export async function brokenAbove(facts: FactsScope, { snapshot, point }: Place): Promise<ReadonlySet<Address>> {
  const { block, watermark } = point;
  if (block <= watermark) return NONE;
  return kept.of({ snapshot, point, about: aboutBroken(point) }, () => tokensBrokenAbove(facts, block));
}

const aboutBroken = ({ watermark }: BlockPoint): string => `broken ${watermark}`;
const aboutMoved = ({ watermark }: BlockPoint): string => `moved ${watermark}`;

/** {@link brokenAbove}, where it is known already. */
export const knownBroken = (index: string, point: BlockPoint): ReadonlySet<Address> | undefined =>
  point.block <= point.watermark ? NONE : kept.known({ index, point, about: aboutBroken(point) });

/** Both, where they are known already. */
export function knownAbove({ snapshot: { index }, point }: Place) {
  if (point.block <= point.watermark) return { broken: NONE, moved: NONE };
  const broken = kept.known({ index, point, about: aboutBroken(point) });
  const moved = kept.known({ index, point, about: aboutMoved(point) });
  return broken && moved && { broken, moved };
}

/** Tokens with an event between the watermark and the block. */
export async function movedAbove(facts: FactsScope, { snapshot, point }: Place): Promise<ReadonlySet<Address>> {
  const { block, watermark } = point;
  if (block <= watermark) return NONE;
  return kept.of({ snapshot, point, about: aboutMoved(point) }, async () => {
    const rows = await facts.rows<{ key: Address }>(`
      select distinct key from (${changesIn(facts.schemas.ponder, { after: watermark, upTo: block })}) d
       where kind = 'erc20'`);
    return new Set(rows.map(({ key }) => key));
  });
}
