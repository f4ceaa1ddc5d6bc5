// Imitates a node's `eth_call` of viem's deployless multicall, which is a contract's creation: what it takes is its code on the
// way in, what it answers the code that is created, and a node refuses both beyond a length.
import { decodeFunctionData, encodeFunctionResult, type Hex, multicall3Abi, RpcRequestError } from "viem";

const AGGREGATE = "82ad56cb";
/** EIP-3860, EIP-170 */
const [LONGEST_CALL, LONGEST_ANSWER] = [49_152, 24_576];

const bytesOf = (data: string): number => (data.length - 2) / 2;

export interface AggregatedCall {
  target: Hex;
  callData: Hex;
}

/** What a node says when it answers none of it. */
export const refused = (message: string): RpcRequestError =>
  new RpcRequestError({ body: {}, error: { code: -32000, message }, url: "http://node" });

export function callsIn(data: string): readonly AggregatedCall[] {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data: `0x${data.slice(data.lastIndexOf(AGGREGATE))}` });
  return (args as unknown as [AggregatedCall[]])[0];
}

/** `answerOf`: what a contract answers; undefined: it reverts. @throws RpcRequestError where a node would refuse the whole */
export function answerAggregated(data: string, answerOf: (call: AggregatedCall) => Hex | undefined): Hex {
  if (bytesOf(data) > LONGEST_CALL) throw refused("max initcode size exceeded");
  const result = callsIn(data).map((call) => {
    const answer = answerOf(call);
    return { success: answer !== undefined, returnData: answer ?? ("0x" as Hex) };
  });
  const answer = encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result });
  if (bytesOf(answer) > LONGEST_ANSWER) throw refused("max code size exceeded");
  return answer;
}
