// Why a contract cannot pay what it owes: a token that refuses to be sent, or of which less arrives. What the contract holds
// belongs to its holders all the same, so the answers are not wrong.
import { type Address, erc20Abi } from "viem";
import { type ChainCopy, RefusedError } from "./chain-copy.ts";
import type { WayOut } from "./way-out.ts";

interface Payment {
  token: Address;
  from: Address;
  to: Address;
}

/** Undefined where all that the contracts on the way hold of `tokens` can be sent on. */
export async function paymentFault(
  copy: ChainCopy,
  { account, way }: { account: Address; way: WayOut },
  tokens: readonly Address[],
): Promise<string | undefined> {
  const paid = [...tokens, ...((await way.alsoPays?.(copy)) ?? [])];
  for (const token of new Set(paid))
    for (const from of way.through)
      for (const to of [account, ...way.through]) {
        const fault = to === from ? undefined : await copy.apart(() => faultOf(copy, { token, from, to }));
        if (fault !== undefined) return fault;
      }
  return undefined;
}

/** All that `from` holds is sent, on a copy that is set back afterwards. */
async function faultOf(copy: ChainCopy, { token, from, to }: Payment): Promise<string | undefined> {
  const held = (account: Address) =>
    copy.client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] });
  const [sent, before] = [await held(from), await held(to)];
  // tokens may refuse to send nothing
  if (sent === 0n) return undefined;
  try {
    await copy.perform({ from, to: token, abi: erc20Abi, call: "transfer", args: [to, sent] });
  } catch (error) {
    if (error instanceof RefusedError) return `${token} refuses to be sent by ${from}`;
    throw error;
  }
  const arrived = (await held(to)) - before;
  return arrived < sent ? `${from} sends ${sent} of ${token}, but only ${arrived} arrive` : undefined;
}
