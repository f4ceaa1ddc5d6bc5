// Swaps that are tried out on a node, whatever the length of their calldata.
import { encodeAbiParameters, type Hex } from "viem";
import { expect, it } from "vitest";
import { withAnvil } from "../../devnet/fuzz/anvil-world.ts";
import { calldata } from "../../gateway/aggregator/answer-fields.ts";
import { simulateSwap } from "../../gateway/aggregator/simulate-swap.ts";
import { freePort } from "../../machine/ports.ts";

/** A precompile that answers what it is sent. */
const ECHO = "0x0000000000000000000000000000000000000004";
const PAYER = "0x00000000000000000000000000000000000000aa";
const PAID = 12_345n;

it("calldata of any length that a provider may send is tried out", async () => {
  const port = await freePort();
  await withAnvil(port, async () => {
    const terms = { tokenIn: ECHO, amountIn: 1n, isNativeIn: false, aggregator: ECHO } as const;
    for (const bytes of [32, 60_000, 66_000, 199_000]) {
      const data: Hex = `${encodeAbiParameters([{ type: "uint256" }], [PAID])}${"ff".repeat(bytes - 32)}`;
      expect(calldata.safeParse(data).success).toBe(true);
      const method = { to: ECHO, calldata: data, value: "0x0" } as const;
      const swap = { rpcUrl: `http://127.0.0.1:${port}`, timeoutMs: 10_000, terms, method, payer: PAYER } as const;
      expect(await simulateSwap(swap), `${bytes} bytes`).toEqual({ status: "passed", amountOut: PAID });
    }
  });
});
