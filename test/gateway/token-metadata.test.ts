// What is stored of a contract's name, symbol and decimals, and what is said about answers that are odd.
import type { PublicClient } from "viem";
import { describe, expect, it } from "vitest";
import { readMetadata } from "../../fold/contracts/token-metadata.ts";

interface Answers {
  name?: string;
  symbol?: string;
  decimals?: bigint;
  /** Answered as bytes32, padded with zeros. */
  nameBytes?: string;
}

const bytes32 = (text: string) => `0x${Buffer.from(text).toString("hex").padEnd(64, "0")}`;

/** A node that gives one contract's answers, calls failing where there is none. */
function nodeOf({ name, symbol, decimals, nameBytes }: Answers): PublicClient {
  const answers = [name, symbol, nameBytes && bytes32(nameBytes), undefined, decimals];
  const calls = ["name", "symbol", "name", "symbol", "decimals"];
  const isBytes = (abi: readonly { outputs: readonly { type: string }[] }[]) => abi[0]?.outputs[0]?.type === "bytes32";
  const multicall = ({ contracts }: { contracts: { functionName: string; abi: never }[] }) =>
    Promise.resolve(
      contracts.map(({ functionName, abi }) => {
        const at = calls.findIndex((call, i) => call === functionName && (i === 2 || i === 3) === isBytes(abi));
        return answers[at] === undefined ? { error: new Error("reverted") } : { result: answers[at] };
      }),
    );
  return { multicall, getBlockNumber: () => Promise.resolve(7n) } as unknown as PublicClient;
}

const read = async (answers: Answers) =>
  (await readMetadata(nodeOf(answers), { tokens: [{ token: "0xaa", failures: 0 }], block: 7n }))[0];

describe("token metadata", () => {
  it("is taken as it is when nothing is odd", async () => {
    expect(await read({ name: " Gold ", symbol: "GLD", decimals: 18n })).toEqual({
      name: "Gold",
      symbol: "GLD",
      decimals: 18,
      problem: undefined,
    });
  });

  it("is cleaned of NUL and control characters, and says so", async () => {
    expect(await read({ name: "Nul\0Token\n", symbol: "N\0L", decimals: 6n })).toEqual({
      name: "NulToken",
      symbol: "NL",
      decimals: 6,
      problem:
        "name() holds control characters, shown without them; symbol() holds control characters, shown without them",
    });
  });

  it("does not mistake the filling of a bytes32 for part of the name", async () => {
    expect(await read({ nameBytes: "Maker", symbol: "MKR", decimals: 18n })).toMatchObject({
      name: "Maker",
      problem: undefined,
    });
  });

  it("has no decimals outside 0-77", async () => {
    expect(await read({ name: "Odd\0", symbol: "ODD", decimals: 255n })).toMatchObject({
      decimals: undefined,
      problem: "decimals() is 255, outside 0-77; name() holds control characters, shown without them",
    });
  });
});
