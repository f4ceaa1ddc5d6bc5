// A quote's transaction, carried out on a copy of the chain: what it took from its sender, and what its recipient got.
import { type Address, decodeFunctionData, erc20Abi } from "viem";
import type { RouterQuote } from "../../gateway/router/quote.ts";
import { swapRouterAbi } from "../../gateway/router/swap-router-abi.ts";
import type { SwapTransaction } from "../../gateway/router/swap-transaction.ts";
import type { ChainCopy, Receipt } from "../exit/chain-copy.ts";
import { transfersIn } from "../exit/way-out.ts";

/** An address that nobody else uses. */
export const TRADER: Address = "0x000000000000000000000000000000000007ade0";
export const RECIPIENT: Address = "0x000000000000000000000000000000000007ade1";

export interface Outcome {
  /** Raw units that the pools of the route took. */
  taken: bigint;
  /** Raw units that the recipient got. */
  received: bigint;
}

const EVERYTHING = 2n ** 256n - 1n;

/** Gives the trader all that the holder has of the token, and lets the routers take it. @throws RefusedError */
export async function endow(
  copy: ChainCopy,
  { token, holder, amount, routers }: { token: Address; holder: Address; amount: bigint; routers: readonly Address[] },
): Promise<void> {
  const transfer = { from: holder, to: token, abi: erc20Abi, call: "transfer", args: [TRADER, amount] };
  await copy.perform(transfer);
  for (const router of routers)
    await copy.perform({ from: TRADER, to: token, abi: erc20Abi, call: "approve", args: [router, EVERYTHING] });
}

/** Afterwards the copy is as it was before. `isCleared`: all that lies in the router is taken away first. @throws RefusedError */
export function carryOut(
  copy: ChainCopy,
  { quote, transaction, isCleared = false }: { quote: RouterQuote; transaction: SwapTransaction; isCleared?: boolean },
): Promise<Outcome> {
  return copy.apart(async () => {
    if (isCleared) await clearRouter(copy, quote, transaction.to);
    const before = await recipientHas(copy, quote);
    const receipt = await send(copy, transaction);
    const received = (await recipientHas(copy, quote)) - before;
    return { taken: takenIn(receipt, quote, transaction), received };
  });
}

/** Takes what lies in the router: neither trader nor recipient. */
const FINDER: Address = "0x000000000000000000000000000000000007ade2";

/** Anybody may take what lies in the router: tokens of the quote, and the native coin. */
async function clearRouter(copy: ChainCopy, { tokenIn, tokenOut, legs }: RouterQuote, to: Address): Promise<void> {
  const passed = legs.flatMap(({ hops }) => hops.map((hop) => hop.tokenOut as Address));
  const router = { from: FINDER, to, abi: swapRouterAbi };
  for (const token of new Set([tokenIn.address, tokenOut.address, ...passed]))
    await copy.perform({ ...router, call: "sweepToken", args: [token, 0n, FINDER] });
  await copy.perform({ ...router, call: "refundETH", args: [] });
}

function send(copy: ChainCopy, { calldata, to, value }: SwapTransaction): Promise<Receipt> {
  const { functionName, args } = decodeFunctionData({ abi: swapRouterAbi, data: calldata });
  return copy.perform({
    from: TRADER,
    to,
    abi: swapRouterAbi,
    call: functionName,
    args: args ?? [],
    value: BigInt(value),
  });
}

async function recipientHas({ client }: ChainCopy, { tokenOut }: RouterQuote): Promise<bigint> {
  if (tokenOut.isNative) return client.getBalance({ address: RECIPIENT });
  const call = { address: tokenOut.address, abi: erc20Abi, functionName: "balanceOf", args: [RECIPIENT] } as const;
  return client.readContract(call);
}

/** The sum of the input's Transfers to the first pools: from the trader, or for the native coin from the router. */
function takenIn(receipt: Receipt, { tokenIn, legs }: RouterQuote, { to }: SwapTransaction): bigint {
  const payer = tokenIn.isNative ? to : TRADER;
  if (legs.length === 0) return 0n;
  const pools = new Set(legs.flatMap(({ hops }) => hops.slice(0, 1).map(({ pool }) => pool.address)));
  return transfersIn([receipt])
    .filter((one) => one.token === tokenIn.address && one.from === payer.toLowerCase() && pools.has(one.to))
    .reduce((sum, { amount }) => sum + amount, 0n);
}
