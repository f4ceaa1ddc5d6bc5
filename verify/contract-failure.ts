// Whose fault it is that a call gave nothing.
import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError } from "viem";

/** Whether the contract reverted, or gave nothing back; false when it was the node that did not answer. */
export const isContractFailure = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk(
    (cause) => cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError,
  ) !== null;
