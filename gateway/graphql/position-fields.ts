// A v3 position's amounts in whole tokens and its worth in USD: looked up for all positions of an answer at once.

import type { RequestScope } from "../context.ts";
import { decimalOf, toExactDecimal } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import { USD_DECIMALS, usdValue } from "../prices/price.ts";
import { loadersOf } from "../questions/loaders.ts";
import type { Context } from "./arguments.ts";
import type { positionView } from "./v3-views.ts";

type Node = ReturnType<typeof positionView>;

const decimalsOf = async ({ place }: Node, token: Address, scope: RequestScope): Promise<number | undefined> =>
  (await loadersOf(scope).token(place).load(token)).metadata?.decimals;

const decimalField =
  (amount: "principal0" | "principal1" | "fees0" | "fees1", token: "token0" | "token1") =>
  async (node: Node, _: unknown, { scope }: Context): Promise<string | null> => {
    const raw = node[amount];
    if (raw === null) return null;
    return decimalOf(raw, await decimalsOf(node, node[token], scope));
  };

/** USD × 10^36 of one side; undefined without price or decimals. */
async function usdOf(node: Node, side: 0 | 1, scope: RequestScope): Promise<bigint | undefined> {
  const [token, principal, fees] = [node[`token${side}`], node[`principal${side}`], node[`fees${side}`]];
  const price = await loadersOf(scope).price(node.place).load(token);
  const decimals = await decimalsOf(node, token, scope);
  if (price === undefined || decimals === undefined || principal === null || fees === null) return undefined;
  return usdValue(price, principal + fees, decimals);
}

export const positionFields = {
  principal0Decimal: decimalField("principal0", "token0"),
  principal1Decimal: decimalField("principal1", "token1"),
  fees0Decimal: decimalField("fees0", "token0"),
  fees1Decimal: decimalField("fees1", "token1"),
  async worthUSD(node: Node, _: unknown, { scope }: Context): Promise<string | null> {
    const [value0, value1] = await Promise.all([usdOf(node, 0, scope), usdOf(node, 1, scope)]);
    return value0 === undefined || value1 === undefined ? null : toExactDecimal(value0 + value1, USD_DECIMALS);
  },
};
