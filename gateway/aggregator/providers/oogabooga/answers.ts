// What Ooga Booga answers. `status` decides what else there is.
import { z } from "zod";
import { address, amount, calldata, gasUnits, label, positiveAmount, sentWei } from "../../answer-fields.ts";
import type { ProviderHop, ProviderPath, ProviderRequest } from "../../provider.ts";

const index = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number);

const step = z.object({
  poolAddress: address,
  poolType: label.optional(),
  liquiditySource: label.optional(),
  /** A fraction of the amount: 0.003. */
  poolFee: z.string().optional(),
  tokenFrom: index,
  tokenTo: index,
  assumedAmountIn: amount,
  assumedAmountOut: amount,
});

const filled = z.object({
  status: z.enum(["Success", "Partial"]),
  /** Of what is sold and bought, in `tokens`. */
  tokenFrom: index.optional().catch(undefined),
  tokenTo: index.optional().catch(undefined),
  tokens: z.array(z.object({ address })).catch([]),
  amountIn: amount,
  assumedAmountOut: positiveAmount,
  gas: gasUnits,
  route: z.array(step).optional().default([]).catch([]),
  tx: z.object({ to: address, data: calldata, value: sentWei }).optional(),
  routerAddr: address.optional(),
});

export const swapped = z.discriminatedUnion("status", [z.object({ status: z.literal("NoWay") }), filled]);

export const refused = z.object({ message: z.string().optional(), summary: z.string().optional() });

const millionths = (fee: string | undefined): number | undefined => {
  const value = fee === undefined ? Number.NaN : Math.round(Number(fee) * 1_000_000);
  return Number.isInteger(value) && value >= 0 && value < 1_000_000 ? value : undefined;
};

type Filled = z.output<typeof filled>;

/** The token that an answer's index means, where it has one. */
export const tokenAt = ({ tokens }: Filled, place: number | undefined) =>
  place === undefined ? undefined : tokens[place]?.address;

const hopOf = (one: Filled["route"][number], answer: Filled): ProviderHop | undefined => {
  const [tokenIn, tokenOut] = [tokenAt(answer, one.tokenFrom), tokenAt(answer, one.tokenTo)];
  if (!tokenIn || !tokenOut) return undefined;
  const exchange = one.liquiditySource ?? one.poolType ?? "pool";
  const fee = millionths(one.poolFee);
  return { exchange, pool: one.poolAddress, tokenIn, tokenOut, fee };
};

/**
 * Its steps as paths where they are pools side by side, or one pool after the other; a mesh of both has no paths, and is
 * not shown.
 */
export function pathsOf(answer: Filled, { tokenIn, tokenOut, amount: given }: ProviderRequest): ProviderPath[] {
  const hops = answer.route.map((one) => hopOf(one, answer));
  const complete = hops.filter((hop) => hop !== undefined);
  if (complete.length === 0 || complete.length !== hops.length) return [];
  if (complete.every((hop) => hop.tokenIn === tokenIn && hop.tokenOut === tokenOut))
    return answer.route.flatMap((one, place) => {
      const hop = complete[place];
      return hop ? [{ hops: [hop], amountIn: one.assumedAmountIn, amountOut: one.assumedAmountOut }] : [];
    });
  const isChain = complete.every((hop, place) => hop.tokenIn === (complete[place - 1]?.tokenOut ?? tokenIn));
  if (!isChain || complete.at(-1)?.tokenOut !== tokenOut) return [];
  return [{ hops: complete, amountIn: given, amountOut: answer.assumedAmountOut }];
}
