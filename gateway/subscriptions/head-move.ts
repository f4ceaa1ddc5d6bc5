// The fold's head has moved: which blocks are new or other than announced, and what they did to what is watched. Read once
// for all subscribers, in one transaction.
import { quoted, recentSchema } from "../../fold/tables.ts";
import type { Operation, OperationContext } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { GatewayError } from "../errors.ts";
import { blockNumbered, ChainReplacedError } from "../history/block-choice.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { ledgerProblem, type TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { headOf } from "./polled-head.ts";
import { MOST_REMEMBERED, type NewBlocks, type SeenBlock, SentBlocks } from "./sent-blocks.ts";
import { BlocksSkippedError } from "./subscription-ended.ts";
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
const MOST_AT_ONCE = 500;

export interface Watched {
  wallets: readonly Wallet[];
  pools: readonly Address[];
}

export interface HeadMove extends NewBlocks {
  /** By {@link walletKey}, the changes of each wallet in order of blocks. */
  deltas: ReadonlyMap<string, readonly WalletDelta[]>;
  /** Of watched wallets that changed, or whose change in a replaced block was announced: at the end of the last fresh block. */
  amounts: ReadonlyMap<string, bigint>;
  /** By pool, in order. */
  poolEvents: ReadonlyMap<string, readonly PoolEvent[]>;
  /** Those that are watched, by address: what is not known of one now may be with the next block. */
  tokens: ReadonlyMap<Address, TokenState>;
  /** Of watched tokens whose balances are no longer known; nothing else is announced about these. */
  broken: ReadonlyMap<Address, GatewayError>;
}

/** What came since the blocks announced, up to `head` ({@link headOf}); or why nothing more can be announced. */
type MoveRead = { move: HeadMove; head: string } | { over: GatewayError };

const NOTHING: HeadMove = {
  fresh: [],
  replaced: [],
  last: undefined,
  deltas: new Map(),
  amounts: new Map(),
  poolEvents: new Map(),
  tokens: new Map(),
  broken: new Map(),
};

function blocksIn(snapshot: Snapshot, { from, to }: { from: number; to: number }): Promise<SeenBlock[]> {
  const copies = quoted(recentSchema(snapshot.state.live?.fold ?? ""));
  return snapshot.prepared<SeenBlock>(
    `select b.number, b.hash, b.timestamp, c.by_table as facts
       from ${snapshot.fold}.block b left join ${copies}.fact_count c on c.block = b.number
      where b.number >= $1::int4 and b.number <= $2::int4 order by b.number`,
    [String(from), String(to)],
  );
}

/** What is there already counts as announced. @throws ChainReplacedError: nothing more will come */
export const sentAtFirst: Operation<Record<string, never>, SentBlocks> = {
  name: "sentAtFirst",
  run: (_, { snapshot }) =>
    snapshot.read(async () => {
      const { lastSynced, stop } = snapshot.state;
      if (stop) throw new ChainReplacedError({ kind: "latest" }, stop);
      if (lastSynced === undefined) return new SentBlocks([]);
      const from = Math.max(0, lastSynced - MOST_REMEMBERED + 1);
      return new SentBlocks(await blocksIn(snapshot, { from, to: lastSynced }));
    }),
};

interface MoveInput {
  sent: SentBlocks;
  watched: Watched;
  /** Wallets of which something was sent with blocks above `number`, which may be replaced now. */
  sentSince(number: number): readonly Wallet[];
}

/** @throws what opening a snapshot throws; nothing is announced then */
export const headMove: Operation<MoveInput, MoveRead> = {
  name: "headMove",
  async run(input, context) {
    // the head has just moved: the state that other requests have found is out of date
    await context.snapshot.open();
    return readMove(input, context);
  },
};

async function readMove(input: MoveInput, context: OperationContext): Promise<MoveRead> {
  const { snapshot } = context;
  const { lastSynced, stop } = snapshot.state;
  // what was sent of final blocks cannot be taken back one by one, and no block of the other branch comes
  if (stop) return { over: new ChainReplacedError({ kind: "latest" }, stop) };
  const head = headOf(snapshot.state);
  if (lastSynced === undefined) return { move: NOTHING, head };
  const { highest, lowest } = input.sent;
  if (highest !== undefined && lastSynced - highest > MOST_AT_ONCE)
    return { over: new BlocksSkippedError({ announced: highest, lastSynced }) };
  const blocks = input.sent.compare(await blocksIn(snapshot, { from: lowest, to: lastSynced }));
  return { move: await moveOf(input, context, blocks), head };
}

async function moveOf(
  { watched, sentSince }: MoveInput,
  context: OperationContext,
  blocks: NewBlocks,
): Promise<HeadMove> {
  const { snapshot } = context;
  const [first, last] = [blocks.fresh[0], blocks.fresh.at(-1)];
  if (!first || !last) return { ...NOTHING, ...blocks };
  const span = { after: first.number - 1, upTo: last.number };
  const choice = blockNumbered(last.number);
  const point = await pointOf(context, choice);
  const tokens = await watchedTokens(context, watched.wallets);
  const broken = ledgerProblems([...tokens.values()], point);
  const isSound = ({ token }: Wallet) => !broken.has(token);
  const deltas = await walletDeltas(snapshot, span, watched.wallets.filter(isSound));
  const events = await poolEvents(snapshot, span, watched.pools);
  const changed: Wallet[] = [...deltas.values()].flatMap((ofOne) => ofOne.slice(0, 1));
  const wallets = blocks.replaced.length > 0 ? [...changed, ...sentSince(span.after).filter(isSound)] : changed;
  const amounts = await amountsAt(context, point, wallets);
  return { ...blocks, deltas, amounts, poolEvents: events, tokens, broken };
}

async function watchedTokens(
  context: OperationContext,
  wallets: readonly Wallet[],
): Promise<ReadonlyMap<Address, TokenState>> {
  const addresses = [...new Set(wallets.map(({ token }) => token))];
  const states = addresses.length === 0 ? [] : await readTokens(context, addresses);
  return new Map(states.map((token) => [token.address, token]));
}

/** The fold deletes what it has of a token whose ledger has gone out of range: nobody has a balance any more. */
function ledgerProblems(tokens: readonly TokenState[], point: BlockPoint): ReadonlyMap<Address, GatewayError> {
  return new Map(
    tokens.flatMap((token) => {
      const problem = ledgerProblem(token, point);
      return problem ? [[token.address, problem] as const] : [];
    }),
  );
}

/** By {@link walletKey}. */
async function amountsAt(
  context: OperationContext,
  point: BlockPoint,
  wallets: readonly Wallet[],
): Promise<ReadonlyMap<string, bigint>> {
  const distinct = new Map(wallets.map(({ token, account }) => [walletKey({ token, account }), { token, account }]));
  return walletsAt(context, point, [...distinct.values()]);
}
