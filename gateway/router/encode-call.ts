// Calldata of contract calls. A function's selector is a hash of its whole signature: it is worked out once, not per call.
import {
  type Abi,
  type AbiStateMutability,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
  prepareEncodeFunctionData,
} from "viem";

/** The same as viem's `encodeFunctionData`, for an ABI without overloaded functions. */
export function callEncoder<const abi extends Abi>(abi: abi) {
  const prepared = new Map(
    abi.flatMap((item) =>
      item.type === "function"
        ? [[item.name, prepareEncodeFunctionData({ abi, functionName: item.name } as never)]]
        : [],
    ),
  );
  return <name extends ContractFunctionName<abi>>(
    functionName: name,
    args: ContractFunctionArgs<abi, AbiStateMutability, name>,
  ): Hex => encodeFunctionData({ ...(prepared.get(functionName) as object), args } as never);
}
