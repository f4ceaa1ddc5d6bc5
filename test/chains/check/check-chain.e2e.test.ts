// A chain file against a chain of real contracts: the right one gives no line, every wrong one is named by its field, and
// nothing is started by it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainFile, chainFileSchema } from "../../../chains/chain-file.ts";
import { checkChain } from "../../../chains/check/check-chain.ts";
import { ChainCheckError, lineOf } from "../../../chains/check/findings.ts";
import { chainFileOf } from "../../../devnet/chain-file.ts";
import { deployV2 } from "../../../devnet/deploy/v2.ts";
import { startChain } from "../../../launcher/chain/served-chain.ts";
import type { LauncherEnvironment } from "../../../launcher/environment.ts";
import { createShutdown } from "../../../launcher/process/shutdown.ts";
import { startTestChain, type TestChain } from "../../devnet/contracts/test-chain.ts";
import type { Ground } from "./wrong-file.ts";
import { wrongFiles } from "./wrong-files.ts";

let world: TestChain;
let ground: Ground;
let rpcUrl: string;

beforeAll(async () => {
  world = await startTestChain();
  const { chain, at } = world;
  rpcUrl = String(chain.client.transport.url);
  const otherV2 = await deployV2(chain, { wrappedNative: at.tokens.wbera });
  const head = Number(await chain.client.getBlockNumber());
  const createdIn = new Map<string, number>();
  for (let number = 0; number <= head; number++) {
    const { transactions } = await chain.client.getBlock({ blockNumber: BigInt(number) });
    for (const hash of transactions) {
      const { contractAddress } = await chain.client.getTransactionReceipt({ hash });
      if (contractAddress) createdIn.set(contractAddress.toLowerCase(), number);
    }
  }
  ground = { at, otherV2, createdIn, head };
});
afterAll(() => world.stop());

const rightFile = (): ChainFile => chainFileSchema.parse(chainFileOf(ground.at));

/** Whether anything was started, and how the start ended. */
async function start(chain: ChainFile): Promise<{ started: string[]; error: unknown }> {
  const started: string[] = [];
  const shutdown = createShutdown();
  const add = (part: string) => {
    started.push(part);
    return () => {};
  };
  const never = new Promise<never>(() => {});
  const around = {
    environment: { chains: [], dataDir: "/nonexistent" } as unknown as LauncherEnvironment,
    programs: { devnet: [], fold: [], gateway: [], lake: [], ponder: [], sql: [] },
    shutdown: { ...shutdown, add },
    view: { show: () => {}, say: () => {}, finish: () => {} },
    note: () => {},
    fail: () => {},
    aside: new Map<number, string>(),
  };
  const served = { chain, name: "made.json", rpcUrl, ponderPort: 1 };
  // The database is never there: a start that waits for it has passed the check.
  const passed = new Promise<undefined>((resolve) => setTimeout(resolve, 5000, undefined));
  const error = await Promise.race([startChain(served, never, around).catch((thrown: unknown) => thrown), passed]);
  return { started, error };
}

describe("the right chain file", () => {
  it("gives no line", async () => {
    const began = performance.now();
    expect((await checkChain(rightFile(), rpcUrl)).map(lineOf)).toEqual([]);
    console.log(`checked in ${(performance.now() - began).toFixed(0)} ms`);
  });

  it("gives no line with every source's start at its creation", async () => {
    const text = JSON.stringify(rightFile()).replaceAll(
      /"address":"(0x[0-9a-f]{40})","startBlock":0/g,
      (_, address: string) => `"address":"${address}","startBlock":${ground.createdIn.get(address)}`,
    );
    expect(text).not.toContain('"startBlock":undefined');
    expect((await checkChain(chainFileSchema.parse(JSON.parse(text)), rpcUrl)).map(lineOf)).toEqual([]);
  });

  it("gives no line with protocols left out", async () => {
    const { v2, v3, islands, rewardVaults, farms, baults, infrared, launch, aggregator, ...rest } = rightFile();
    expect((await checkChain(chainFileSchema.parse(rest), rpcUrl)).map(lineOf)).toEqual([]);
  });
});

describe("a wrong chain file", () => {
  it.each(wrongFiles.map((file) => [file.title, file] as const))(
    "with %s is refused by name before anything is started",
    async (_, file) => {
      const chain = rightFile();
      file.spoil(chain, ground);
      const expected = file.lines(ground);
      const findings = await checkChain(chain, rpcUrl);
      const lines = findings.filter(({ kind }) => kind === "mistake").map(lineOf);
      expect(lines.map((line, index) => line.slice(0, expected[index]?.length))).toEqual(expected);
      for (const line of lines) expect(line).not.toContain("\n");

      const { started, error } = await start(chain);
      expect(started).toEqual([]);
      if (chain.chainId !== 31337) return expect(String(error)).toContain("80094");
      expect(error).toBeInstanceOf(ChainCheckError);
      for (const line of lines) expect((error as ChainCheckError).message).toContain(line);
    },
  );
});

describe("what may be intended", () => {
  it("is a notice: another name for a token, a default fee changed since, a fee switch", async () => {
    const chain = rightFile();
    chain.knownTokens[3]!.symbol = "USDC";
    chain.v3!.deployments[1]!.defaultFeeProtocol = 1000;
    chain.v2!.takesProtocolFee = true;
    const findings = await checkChain(chain, rpcUrl);
    expect(findings.map(({ kind }) => kind)).toEqual(["notice", "notice", "notice"]);
    expect(findings.map(lineOf)).toEqual([
      expect.stringMatching(/^knownTokens\[3\]\.symbol: is "USDC", but symbol\(\) of 0x\w+ is "USDC\.e"/),
      "v2.takesProtocolFee: is true, but the factory's feeTo() is not set today",
      "v3.deployments[1].defaultFeeProtocol: is 1000, but the factory gives new pools 229379500 today",
    ]);
  });
});
