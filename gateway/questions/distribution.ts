// Where a token sat at a block: how much all accounts together had in which way, what cannot be attributed to any, and how much
// the largest holders had.
import type { Unattributed } from "../../core/lookthrough/attribute.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import { type HeldAsKind, type HeldThrough, heldWhere } from "../balances/held-where.ts";
import { holdingsPoint, type LookedThrough, lookThrough } from "../balances/look-through.ts";
import { totalsAt } from "../balances/shared-holdings.ts";
import { question } from "../cache/question.ts";
import type { Operation, OperationContext } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { HoldingsPoint } from "../history/holdings-at.ts";
import { readTokens } from "../history/read-tokens.ts";
import { requireTime } from "../history/require-time.ts";
import { readTogether } from "../history/shared-statements.ts";
import { isMetadataPending, requireSoundLedger } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type SpreadInput, spreadRange } from "./locate-range.ts";
import { type LocatedToken, locateSoundToken } from "./locate-token.ts";

/** Contracts named of one kind; a token may be in any number of pools. */
export const MOST_CONTRACTS = 100;
/** Each block of a history is looked through by itself. */
export const MOST_DISTRIBUTIONS = 25;

interface ContractShare extends HeldThrough {
  /** Where the contract is a token itself. */
  symbol: string | undefined;
}

interface KindShare extends Pick<HeldAsKind, "kind" | "amount"> {
  /** The largest {@link MOST_CONTRACTS}; none of `balance`. */
  contracts: readonly ContractShare[];
  contractsCount: number;
}

/** Amounts are raw units. */
export interface Distribution {
  located: LocatedToken;
  supply: bigint;
  /** As holdersCount counts them. */
  holders: number;
  /** What the 10 and the 100 largest totals are together. */
  top10: bigint;
  top100: bigint;
  /** With everything unattributed they sum up to the supply. In the order of answers, those without anything left out. */
  sources: readonly KindShare[];
  unattributed: readonly Unattributed[];
  /** A contract that is a token has not been read yet: later answers about the same block will have its symbol. */
  isNamedLater: boolean;
}

/** @throws what locateToken throws; TokenNotStandardError; UnavailableError while an issuer's state is not known yet */
export const distribution: Operation<{ token: Address; block: BlockChoice }, Distribution> = {
  name: "distribution",
  async run(input, context) {
    return distributionOf(context, await locateSoundToken(context, input));
  },
};

/** Oldest first. `points`: at most {@link MOST_DISTRIBUTIONS}. @throws what distribution and spreadRange throw; RequestTooLongError */
export const distributionHistory: Operation<SpreadInput, Distribution[]> = {
  name: "distributionHistory",
  async run(input, context) {
    const { located, sampled } = await spreadRange(context, input);
    requireSoundLedger(located.token, located.point);
    const entries: Distribution[] = [];
    for (let i = 0; i < sampled.length; i += TOGETHER) {
      requireTime(context);
      const points = sampled.slice(i, i + TOGETHER).map((point) => ({ ...located, point }));
      // what stands behind contracts takes most statements, and the same ones at every block
      await readTogether(context, points, (one) => lookedThrough(context, one));
      for (const one of points) entries.push(await distributionOf(context, one));
    }
    return entries;
  },
};

/** Blocks looked through together: more of them need more room at once. */
const TOGETHER = 6;

const lookedThrough = (context: OperationContext, located: LocatedToken): Promise<LookedThrough> =>
  lookThrough(context, located, { isWhole: true });

/** What a block's state decides. Symbols are not of it: they may be read from a contract later. */
interface Sums extends Omit<Distribution, "located" | "sources" | "isNamedLater"> {
  sources: readonly UnnamedShare[];
}

interface UnnamedShare extends Omit<KindShare, "contracts"> {
  contracts: readonly HeldThrough[];
}

const distributions = question<Sums>("distributions");

async function distributionOf(context: OperationContext, located: LocatedToken): Promise<Distribution> {
  const { cache, state } = context.snapshot;
  const { point, token } = located;
  const at = { at: point.hash, key: token.address, revision: state.revision };
  const sums = await cache.of(distributions, at, () => workOut(context, located));
  return { located, ...sums, ...(await named(context, sums.sources)) };
}

async function workOut(context: OperationContext, located: LocatedToken): Promise<Sums> {
  const { point, token } = located;
  const [supply = 0n] = await ledgerAt(context, point).supplies([token.address]);
  const through = await lookedThrough(context, located);
  const { wallets, ...totals } = await totalsOf(context, holdingsPoint(located, context), through);
  const inWallets = { kind: "balance", amount: wallets, contracts: [], contractsCount: 0 } as const;
  const behindContracts = heldWhere(through).map(({ contracts, ...kind }) => ({
    ...kind,
    contractsCount: contracts.length,
    contracts: contracts.slice(0, MOST_CONTRACTS),
  }));
  const sources = [...(wallets > 0n ? [inWallets] : []), ...behindContracts];
  return { supply, ...totals, sources, unattributed: through.unattributed };
}

/** All in one pass over the holders. */
async function totalsOf({ snapshot }: OperationContext, place: HoldingsPoint, through: LookedThrough) {
  const { text, parameters } = totalsAt(place, through);
  const [row] = await snapshot.rows<{ holders: number; wallets: string; top10: string; top100: string }>(
    `with held as materialized (select amount, own from (${text}) h),
          largest as materialized (select amount from held order by amount desc limit 100)
     select count(*)::int as holders, coalesce(sum(own), 0)::text as wallets,
            (select coalesce(sum(amount), 0)::text from (select amount from largest order by amount desc limit 10) t) as top10,
            (select coalesce(sum(amount), 0)::text from largest) as top100
       from held`,
    parameters,
  );
  return {
    holders: row?.holders ?? 0,
    wallets: BigInt(row?.wallets ?? 0),
    top10: BigInt(row?.top10 ?? 0),
    top100: BigInt(row?.top100 ?? 0),
  };
}

/** With the symbols that are known now. */
async function named(
  context: OperationContext,
  sources: readonly UnnamedShare[],
): Promise<Pick<Distribution, "sources" | "isNamedLater">> {
  const addresses = [...new Set(sources.flatMap(({ contracts }) => contracts.map(({ contract }) => contract)))];
  const tokens = addresses.length === 0 ? [] : await readTokens(context, addresses);
  const symbols = new Map(tokens.map(({ address, metadata }) => [address, metadata?.symbol]));
  return {
    sources: sources.map((source) => ({
      ...source,
      contracts: source.contracts.map((held) => ({ ...held, symbol: symbols.get(held.contract) })),
    })),
    isNamedLater: tokens.some(isMetadataPending),
  };
}
