// What hangs below a token's address, of many at once.
import type { Operation } from "../context.ts";
import { blockNumbered } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import type { TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type BackedAt, backedSharesOver } from "../prices/backed-shares-over.ts";
import type { TokenPrice } from "../prices/price.ts";
import { pricesAt } from "../prices/price-book.ts";
import { pricesOver } from "../prices/prices-over.ts";
import { type HoldersCount, holdersCounts } from "./holders-count.ts";

type TokensInput = { keys: readonly Address[]; point: BlockPoint };

/** In the order of the keys; those never heard of have no metadata. */
export const tokensAmong: Operation<TokensInput, TokenState[]> = {
  name: "tokens",
  run: ({ keys }, context) => readTokens(context, keys),
};

/** In the order of the keys; undefined: unpriced. @throws what pricesAt throws */
export const tokenPricesAt: Operation<TokensInput, (TokenPrice | undefined)[]> = {
  name: "prices",
  async run({ keys, point }, context) {
    const prices = await pricesAt(context, point, keys);
    return keys.map((key) => prices.get(key));
  },
};

/** A token at one of the blocks of a series. */
export interface TokenThen {
  token: Address;
  point: BlockPoint;
}

/** In the order of the keys; undefined: unpriced, as before the token's first event. @throws what pricesOver throws */
export const tokenPricesThen: Operation<{ keys: readonly TokenThen[] }, (TokenPrice | undefined)[]> = {
  name: "prices",
  async run({ keys }, context) {
    const byBlock = new Map(keys.map(({ point }) => [point.block, point]));
    const points = [...byBlock.values()].sort((a, b) => a.block - b.block);
    const tokens = [...new Set(keys.map(({ token }) => token))];
    const last = points.at(-1);
    if (!last) return [];
    const firsts = new Map((await readTokens(context, tokens)).map((token) => [token.address, token.firstBlock]));
    const prices = await pricesOver(context, points, tokens);
    // pools may price a token of which nothing is indexed
    const priceOf = ({ token, point: { block } }: TokenThen) =>
      (firsts.get(token) ?? block) <= block ? prices.get(block)?.get(token) : undefined;
    return keys.map(priceOf);
  },
};

/** What stands behind all of a share, as its contract counts, in the order of the keys; empty: nothing, or unknown. @throws RequestTooLongError */
export const backedThen: Operation<{ keys: readonly TokenThen[] }, BackedAt["parts"][]> = {
  name: "shareHistory",
  async run({ keys }, context) {
    const found = new Map<string, BackedAt["parts"]>();
    for (const share of new Set(keys.map(({ token }) => token))) {
      const points = keys.filter(({ token }) => token === share).map(({ point }) => point);
      const ascending = points.sort((a, b) => a.block - b.block);
      for (const { point, parts } of await backedSharesOver(context, ascending, share))
        found.set(`${share} ${point.block}`, parts);
    }
    return keys.map(({ token, point }) => found.get(`${token} ${point.block}`) ?? []);
  },
};

/** As {@link holdersCounts} has them. */
export const tokenHolders: Operation<TokensInput, (HoldersCount | undefined)[]> = {
  name: "holdersCount",
  run: ({ keys, point }, context) => holdersCounts.run({ tokens: keys, block: blockNumbered(point.block) }, context),
};
