// One look at the chain for all subscribers: which blocks are new or other than announced, and what they did to what is
// watched. All of it from one snapshot.
import type { Operation } from "../context.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import { type BlockPoint, fixBlock } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import { KnownBlocks, MOST_REMEMBERED, type News, type SeenBlock } from "./known-blocks.ts";
import {
  type PoolEvent,
  poolEvents,
  type Wallet,
  type WalletDelta,
  walletDeltas,
  walletKey,
  walletsAt,
} from "./watched-changes.ts";

/** More new blocks than this are not announced one by one. */
export const MOST_AT_ONCE = 500;

export interface Watched {
  wallets: readonly Wallet[];
  pools: readonly Address[];
}

export interface Look extends News {
  deltas: readonly WalletDelta[];
  /** Of watched wallets that changed, or of which a replaced block had told something: at the end of the last fresh block. */
  amounts: ReadonlyMap<string, bigint>;
  poolEvents: readonly PoolEvent[];
}

/** Blocks since the last look; or too many of them, with the last one. */
export type Seen = { look: Look } | { skippedTo: number };

const NOTHING: Look = { fresh: [], replaced: [], deltas: [], amounts: new Map(), poolEvents: [] };

async function blocksFrom({ schemas, rows }: FactsScope, lowest: number): Promise<SeenBlock[]> {
  return rows<SeenBlock>(
    `select number, hash, timestamp from ${schemas.ponder}.block where number >= ${lowest} order by number`,
  );
}

/** What is there already counts as announced. */
export const firstLook: Operation<Record<string, never>, KnownBlocks> = {
  name: "firstLook",
  run: (_, { snapshot }) =>
    snapshot.withFacts(async (facts) => {
      const { lastSynced } = facts.state;
      return new KnownBlocks(
        lastSynced === undefined ? [] : await blocksFrom(facts, Math.max(0, lastSynced - MOST_REMEMBERED + 1)),
      );
    }),
};

interface LookInput {
  known: KnownBlocks;
  watched: Watched;
  /** Wallets of which blocks above `number` have told, which may be replaced now. */
  toldSince(number: number): readonly Wallet[];
}

/** @throws FoldBehindError, and what opening a snapshot throws; nothing is announced then */
export const nextLook: Operation<LookInput, Seen> = {
  name: "nextLook",
  async run({ known, watched, toldSince }, context) {
    const { chain, snapshot } = context;
    const read = await snapshot.withFacts(async (facts) => {
      const { lastSynced } = facts.state;
      if (lastSynced === undefined) return { seen: { look: NOTHING } };
      const { highest } = known;
      if (highest !== undefined && lastSynced - highest > MOST_AT_ONCE) return { seen: { skippedTo: lastSynced } };
      const news = known.compare(await blocksFrom(facts, known.lowest));
      const [first, last] = [news.fresh[0], news.fresh.at(-1)];
      if (!first || !last) return { seen: { look: NOTHING } };
      const span = { after: first.number - 1, upTo: last.number };
      const deltas = await walletDeltas(facts, span, watched.wallets);
      const events = await poolEvents(facts, span, watched.pools);
      const choice = { kind: "number", number: last.number, parameter: "block", beyondHead: "refuse" } as const;
      const point = deltas.length > 0 || news.replaced.length > 0 ? await fixBlock(facts, chain, choice) : undefined;
      return { news, deltas, events, point, from: first.number };
    });
    if (read.seen) return read.seen;
    const { news, deltas, events, point, from } = read;
    const wallets = news.replaced.length > 0 ? [...deltas, ...toldSince(from - 1)] : deltas;
    const amounts = point ? await amountsOf(context, point, wallets) : new Map<string, bigint>();
    return { look: { ...news, deltas, amounts, poolEvents: events } };
  },
};

function amountsOf(
  context: Parameters<typeof walletsAt>[0],
  point: BlockPoint,
  wallets: readonly Wallet[],
): Promise<Map<string, bigint>> {
  const distinct = new Map(wallets.map(({ token, account }) => [walletKey({ token, account }), { token, account }]));
  return walletsAt(context, point, [...distinct.values()]);
}
