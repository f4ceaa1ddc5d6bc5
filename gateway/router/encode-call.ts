// Calldata of contract calls. A function's selector is a hash of its whole signature: it is worked out once, not per call.
import {
  type Abi,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  prepareEncodeFunctionData,
} from "viem";

type Prepared = { abi: Abi; functionName: Hex };

const prepared = new WeakMap<Abi, Map<string, Prepared>>();

function prepare(abi: Abi, functionName: string): Prepared {
  const known = prepared.get(abi) ?? new Map<string, Prepared>();
  prepared.set(abi, known);
  const found = known.get(functionName) ?? (prepareEncodeFunctionData({ abi, functionName }) as Prepared);
  known.set(functionName, found);
  return found;
}

/** The same as viem's `encodeFunctionData`, for ABIs without overloaded functions. */
export function encodeCall<const abi extends Abi, name extends ContractFunctionName<abi>>(
  parameters: EncodeFunctionDataParameters<abi, name>,
): Hex {
  const { abi, functionName, args } = parameters as { abi: Abi; functionName: string; args?: readonly unknown[] };
  return encodeFunctionData({ ...prepare(abi, functionName), args } as never);
}
