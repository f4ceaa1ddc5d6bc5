// One randomised world on a real chain, both flavours: at every block the reducer's rows are the chain's storage, and
// every position that leaves is paid what we answer; averages over ranges of blocks are those of every block by itself. More
// worlds: devnet/fuzz/v3.ts.
import { expect, it } from "vitest";
import { playWorld } from "../../../devnet/fuzz/v3.ts";
import { freePort } from "../../../machine/ports.ts";

it("300 random acts leave no difference to the chain", async () => {
  const { blocks, facts, compared, averages, differences, stopped } = await playWorld({
    seed: "tidemark",
    actions: 300,
    port: await freePort(),
  });
  expect(stopped).toEqual([]);
  expect(differences).toEqual([]);
  expect(blocks).toBeGreaterThan(100);
  expect(compared).toBeGreaterThan(5000);
  expect(averages).toBeGreaterThan(20);
  const kinds = ["swap", "mint", "burn", "collect", "flash", "setFeeProtocol", "collectProtocol", "protocolFeesEarned"];
  const managerKinds = ["increaseLiquidity", "decreaseLiquidity", "collectToken", "transferToken"];
  for (const kind of [...kinds, ...managerKinds]) expect(facts[kind], kind).toBeGreaterThan(0);
});
