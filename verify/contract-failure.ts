// Whose fault it is that a call gave nothing: the contract's, or the node's.
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type Hex,
  type PublicClient,
} from "viem";

/** What nodes say when the contract, not they, failed. */
const CONTRACT_FAILED = /revert|out ?of ?gas|invalid ?(fe)? ?opcode|EVM error|stack (under|over)flow|invalid jump/i;

const saidBy = (error: unknown): string => {
  if (error instanceof BaseError) return `${error.shortMessage} ${error.details}`;
  return error instanceof Error ? error.message : String(error);
};

/** Whether a node's answer to a bare `eth_call` says that the contract failed. */
export const saysContractFailed = (error: unknown): boolean => CONTRACT_FAILED.test(saidBy(error));

/** `block`: its number or hash. */
export const cannotTell = (block: number | Hex, error: unknown): Error =>
  new Error(`the node cannot answer about block ${block}: ${saidBy(error).split("\n")[0]}`);

/** Whether a contract that viem read reverted, or gave nothing back; false when it was the node that did not answer. */
export function isContractFailure(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => cause instanceof ContractFunctionZeroDataError)) return true;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  // viem takes a node's own internal error for a revert
  return (
    reverted instanceof ContractFunctionRevertedError &&
    (reverted.raw?.startsWith("0x") === true || CONTRACT_FAILED.test(reverted.details))
  );
}

/**
 * What a contract gives back; undefined where it fails, or has no code.
 * @throws Error when the node cannot answer, e.g. because it keeps no state of that block
 */
export async function callContract(
  client: PublicClient,
  { to, data }: { to: Address; data: Hex },
  block: number,
): Promise<Hex | undefined> {
  try {
    return (await client.call({ to, data, blockNumber: BigInt(block) })).data;
  } catch (error) {
    if (saysContractFailed(error)) return undefined;
    throw cannotTell(block, error);
  }
}
