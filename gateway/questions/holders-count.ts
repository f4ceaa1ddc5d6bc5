// How many hold a token at a block.

import { type LookedThrough, lookThrough } from "../balances/look-through.ts";
import { totalsAt } from "../balances/shared-parts.ts";
import { question } from "../cache/question.ts";
import type { Operation, OperationContext } from "../context.ts";
import { GatewayError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type HoldingsPoint, holdersAt } from "../history/holdings-at.ts";
import { readTogether } from "../history/shared-statements.ts";
import { requireSoundLedger } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type LocatedToken, locateToken } from "./locate-token.ts";

export interface HoldersCount {
  located: LocatedToken;
  /** Addresses whose own wallet is not empty: contracts too, the zero address not. */
  wallets: number;
  /** Accounts with a total above zero, as `balances` lists them: contracts are replaced by the accounts behind them. */
  holders: number;
}

/** A token at a block, and what stands behind its holders. */
interface OpenedToken {
  located: LocatedToken;
  place: HoldingsPoint;
  through: LookedThrough;
}

async function locateSound(
  context: OperationContext,
  input: { token: Address; block: BlockChoice },
): Promise<LocatedToken> {
  const located = await locateToken(context, input);
  requireSoundLedger(located.token, located.point);
  return located;
}

async function openToken(context: OperationContext, located: LocatedToken): Promise<OpenedToken> {
  const { point, token } = located;
  const { fold } = context.snapshot;
  const place = { fold, assetId: token.assetId, block: point.block };
  const through = await lookThrough(context, { token: token.address, point, place }, { isWhole: false });
  return { located, place, through };
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
  return { located, ...found };
}

/** @throws what locateToken throws; TokenNotStandardError; UnavailableError while an issuer's state is not known yet */
export const holdersCount: Operation<{ token: Address; block: BlockChoice }, HoldersCount> = {
  name: "holdersCount",
  run: async (input, context) => count(context, await openToken(context, await locateSound(context, input))),
};

/** @throws every other error */
const refusal = (error: unknown): GatewayError => {
  if (error instanceof GatewayError && error.status === 409) return error;
  throw error;
};

/**
 * Of each token, in their order, the count, or why its holders are unknown. What stands behind all of them is read
 * together; counts follow each other, as each may be of very many holders.
 * @throws what locateToken throws; UnavailableError while an issuer's state is not known yet
 */
export async function countOfEach(
  context: OperationContext,
  { tokens, block }: { tokens: readonly Address[]; block: BlockChoice },
): Promise<(HoldersCount | GatewayError)[]> {
  const located = await Promise.all(tokens.map((token) => locateSound(context, { token, block }).catch(refusal)));
  const opened = await readTogether(context, located, (one) =>
    one instanceof GatewayError ? Promise.resolve(one) : openToken(context, one).catch(refusal),
  );
  const counted: (HoldersCount | GatewayError)[] = [];
  for (const one of opened) counted.push(one instanceof GatewayError ? one : await count(context, one));
  return counted;
}

/** In the order of the tokens; undefined where a token's holders are unknown. @throws what countOfEach throws */
export const holdersCounts: Operation<
  { tokens: readonly Address[]; block: BlockChoice },
  (HoldersCount | undefined)[]
> = {
  name: "holdersCount",
  async run(input, context) {
    const counted = await countOfEach(context, input);
    return counted.map((one) => (one instanceof GatewayError ? undefined : one));
  },
};
