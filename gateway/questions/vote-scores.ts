// How many votes accounts have by what they held of a token at a block.
import { z } from "zod";
import { type SourceKind, sourceKinds } from "../backing/held-as.ts";
import type { Operation } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { requireDecimals } from "../history/token-state.ts";
import { type Address, MOST_LISTED, wholeNumber } from "../parameters.ts";
import { balancesPage } from "./balances.ts";
import type { LocatedToken } from "./locate-token.ts";

const KINDS = sourceKinds.join(", ");

/** Kinds of what an account itself holds; at least one. */
export const countedSources = z
  .array(
    z.enum(sourceKinds as [SourceKind, ...SourceKind[]], `must be some of ${KINDS}`),
    `must be a list of some of ${KINDS}`,
  )
  .min(1, "must name at least one kind, or be left out");

/** No limit in practice: a supply of 256 bits has at most 78 digits. */
export const scoreDecimals = wholeNumber(0, 77);

interface VoteScoresInput {
  token: Address;
  block: BlockChoice;
  /** Distinct, lower case. */
  users: readonly Address[];
  /** Without it all count. */
  sources?: readonly SourceKind[] | undefined;
  /** Places after the point of scores. */
  decimals: number;
}

interface VoteScores {
  located: LocatedToken;
  /** Of each of `users` in their order: whole tokens × 10^decimals, rounded down. Contracts that hold for others have none. */
  scores: bigint[];
  /** Contracts whose holding of the token cannot be attributed to accounts: votes by it are missing. None where wallets alone count. */
  incomplete: readonly Address[];
}

/** @throws what locateToken throws; TokenNotStandardError, of tokens without decimals too */
export const voteScores: Operation<VoteScoresInput, VoteScores> = {
  name: "voteScores",
  async run({ token, block, users, sources, decimals }, context) {
    const page = { token, block, users, first: MOST_LISTED, isWhole: false };
    const { located, entries, incomplete } = await balancesPage.run(page, context);
    const places = located.isSilent ? decimals : requireDecimals(located.token);
    const counted = sources && new Set(sources);
    const scores = entries.map((entry) => {
      if (!counted) return scaled(entry.amount, places, decimals);
      const amount = entry.sources.reduce((sum, { kind, amount: own }) => (counted.has(kind) ? sum + own : sum), 0n);
      return scaled(amount, places, decimals);
    });
    const isOfWallets = sources?.every((kind) => kind === "balance") ?? false;
    return { located, scores, incomplete: isOfWallets ? [] : incomplete };
  },
};

const scaled = (amount: bigint, from: number, to: number): bigint =>
  to >= from ? amount * 10n ** BigInt(to - from) : amount / 10n ** BigInt(from - to);
