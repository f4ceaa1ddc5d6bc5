// What is encoded for SwapRouter02 is what its published ABI has, argument for argument.
import { type AbiFunction, toFunctionSignature } from "viem";
import { expect, test } from "vitest";
import { readArtifact } from "../../devnet/compile/artifacts.ts";
import { swapRouterAbi } from "../../gateway/router/swap-router-abi.ts";

const shapeOf = (item: AbiFunction) => ({
  signature: toFunctionSignature(item),
  stateMutability: item.stateMutability,
  inputs: item.inputs.map((input) => ("components" in input ? input.components.map(({ name }) => name) : input.name)),
  outputs: item.outputs.map(({ type }) => type),
});

test("every function encoded is in the published ABI of SwapRouter02", () => {
  const published = readArtifact("SwapRouter02").abi.filter((item): item is AbiFunction => item.type === "function");
  const shapes = published.map(shapeOf);
  for (const item of swapRouterAbi) expect(shapes).toContainEqual(shapeOf(item));
  expect(swapRouterAbi.length).toBe(12);
});
