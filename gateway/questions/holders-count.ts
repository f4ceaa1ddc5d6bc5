// How many hold a token at a block.

import { holdingsPoint, type LookedThrough, lookThrough } from "../balances/look-through.ts";
import { totalsAt } from "../balances/shared-holdings.ts";
import { question } from "../cache/question.ts";
import type { Operation, OperationContext } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type HoldingsPoint, holdersAt } from "../history/holdings-at.ts";
import { readTogether } from "../history/shared-statements.ts";
import { TokenNotStandardError } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type LocatedToken, locateSoundToken } from "./locate-token.ts";

export interface HoldersCount {
  located: LocatedToken;
  /** Addresses whose own wallet is not empty: contracts too, the zero address not. */
  wallets: number;
  /** Accounts with a total above zero, as `balances` lists them: contracts are replaced by the accounts behind them. */
  holders: number;
  /** Contracts whose holding of the token cannot be attributed to accounts: who has a part of that alone is not counted. */
  incomplete: readonly Address[];
}

/** A token at a block, and what stands behind its holders. */
interface OpenedToken {
  located: LocatedToken;
  place: HoldingsPoint;
  through: LookedThrough;
}

async function openToken(context: OperationContext, located: LocatedToken): Promise<OpenedToken> {
  const through = await lookThrough(context, located, { isWhole: false });
  return { located, place: holdingsPoint(located, context), through };
}

type Counts = Pick<HoldersCount, "wallets" | "holders">;

const counts = question<Counts>("holders-count");

async function count({ snapshot }: OperationContext, { located, place, through }: OpenedToken): Promise<HoldersCount> {
  const { point, token } = located;
  const stored = { at: point.hash, key: token.address, revision: snapshot.state.revision };
  const found = await snapshot.cache.of(counts, stored, async () => {
    // its first parameters are the wallets' too
    const holders = totalsAt(place, through);
    const [row] = await snapshot.rows<Counts>(
      `select (select count(*)::int from (${holdersAt(place).text}) w) as wallets,
              (select count(*)::int from (${holders.text}) h) as holders`,
      holders.parameters,
    );
    return { wallets: row?.wallets ?? 0, holders: row?.holders ?? 0 };
  });
  return { located, ...found, incomplete: through.incomplete };
}

/** @throws what locateToken throws; TokenNotStandardError; UnavailableError while an issuer's state is not known yet */
export const holdersCount: Operation<{ token: Address; block: BlockChoice }, HoldersCount> = {
  name: "holdersCount",
  run: async (input, context) => count(context, await openToken(context, await locateSoundToken(context, input))),
};

/** @throws every other error */
function unlessBroken(error: unknown): undefined {
  if (!(error instanceof TokenNotStandardError)) throw error;
  return undefined;
}

/**
 * In the order of the tokens; undefined: the token's ledger has broken, so that its holders are unknown. What stands behind all of
 * them is read together; counts follow each other, as each may be of very many holders.
 * @throws whatever else holdersCount throws of any of them
 */
export const holdersCounts: Operation<
  { tokens: readonly Address[]; block: BlockChoice },
  (HoldersCount | undefined)[]
> = {
  name: "holdersCount",
  async run({ tokens, block }, context) {
    const located = await Promise.all(
      tokens.map((token) => locateSoundToken(context, { token, block }).catch(unlessBroken)),
    );
    const opened = await readTogether(
      context,
      located,
      async (one) => one && openToken(context, one).catch(unlessBroken),
    );
    const counted: (HoldersCount | undefined)[] = [];
    for (const one of opened) counted.push(one && (await count(context, one)));
    return counted;
  },
};
