// A chain file made from a handful of addresses: it has what the chain says, and passes the check.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import { checkChain, readNodeState } from "../../chains/check/check-chain.ts";
import { lineOf } from "../../chains/check/findings.ts";
import { openNode } from "../../chains/check/node.ts";
import { readAll } from "../../chains/check/read-all.ts";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { UsageError } from "../../machine/command-line.ts";
import { draftChain } from "../../scripts/new-chain/draft.ts";
import { readOptions } from "../../scripts/new-chain/options.ts";
import { startTestChain, type TestChain } from "../devnet/contracts/test-chain.ts";

let world: TestChain;
let rpcUrl: string;
beforeAll(async () => {
  world = await startTestChain();
  rpcUrl = String(world.chain.client.transport.url);
});
afterAll(() => world.stop());

async function make(argv: readonly string[]) {
  const node = openNode(rpcUrl);
  const { chainId, head } = await readNodeState(node);
  const options = readOptions(["--name", "made", "--rpc", rpcUrl, ...argv]);
  return readAll(node, head, (on) => draftChain(options, chainId, on));
}

function allOptions(): string[] {
  const { at } = world;
  const v3 = [at.v3.uniswap, at.v3.kodiak].flatMap((one) => [
    "--v3",
    `manager=${one.positionManager},router=${one.swapRouter02},quoter=${one.quoterV2},mixed=${one.mixedRouteQuoterV1}`,
  ]);
  const { tokens } = at;
  const stables = [tokens.honey, tokens.usdc, tokens.usdt].flatMap((address) => ["--stable", address]);
  const others = [tokens.wbtc, tokens.ohm, tokens.ibgt, tokens.kdk, tokens.yeet, tokens.bera];
  return [
    ...["--v2-router", at.v2.router, ...v3, ...stables, "--other-wrapped", tokens.weth],
    ...others.flatMap((address) => ["--token", address]),
    ...["--island-factory", at.islands.factory, "--farm-factory", at.farms.factory],
    ...["--bault-factory", at.vaults.baultFactory, "--infrared", at.infrared.core],
    ...["--launch-factory", at.launch.factory, "--vault", at.vaults.plain, "--vault", at.queuedVault],
    ...["--reward-vault-factory", at.rewardVaults.factory, "--bera-chef", at.rewardVaults.beraChef],
  ];
}

/** Start blocks aside, which the devnet's own file has at 0. */
const fromZero = (chain: ChainFile): unknown =>
  JSON.parse(JSON.stringify(chain).replaceAll(/"startBlock":\d+/g, '"startBlock":0'));

describe("new:chain", () => {
  it("finds the devnet's own chain file from the addresses that nobody else names", async () => {
    const { draft, problems } = await make(allOptions());
    expect(problems).toEqual([]);
    const made = chainFileSchema.parse(draft);
    const devnet = chainFileSchema.parse(chainFileOf(world.at));
    expect(fromZero(made)).toEqual({
      ...(fromZero(devnet) as ChainFile),
      // what no contract says has its default
      ...{ name: "made", ownRouterName: "Made", providers: [{ name: "Made", weight: "1", priority: 0 }] },
      ...{ pollingIntervalMs: 1000, pricedAs: {}, aggregator: null, referralCodes: [], gasTipWei: "0" },
      lake: { segmentBlocks: 10_000, segmentTransfers: 1_000_000 },
      knownTokens: devnet.knownTokens.map((token) => ({ ...token, tags: [] })),
    });
  });

  it("writes the block of each contract's creation, and passes the check", async () => {
    const { draft } = await make(allOptions());
    const made = chainFileSchema.parse(draft);
    expect((await checkChain(made, rpcUrl)).map(lineOf)).toEqual([]);
    for (const source of [made.v2!.factory, made.v3!.deployments[1]!.positionManager, made.launch!.factory]) {
      const { address, startBlock } = source;
      expect(startBlock).toBeGreaterThan(0);
      const codeAt = (block: number) => world.chain.client.getCode({ address, blockNumber: BigInt(block) });
      expect(await codeAt(startBlock - 1)).toBeUndefined();
      expect(await codeAt(startBlock)).not.toBeUndefined();
    }
  });

  it("begins at the oldest contract where only the listed tokens are wanted", async () => {
    const { tokens } = world.at;
    const { draft, problems } = await make(["--wrapped-native", tokens.wbera, "--token", tokens.ohm, "--only-listed"]);
    expect(problems).toEqual([]);
    expect(draft).toMatchObject({ startBlock: 1, nativeSymbol: "BERA", wrappedNative: { flavour: "transfer" } });
    expect(draft.tokens).toEqual([tokens.wbera, tokens.ohm].map((address) => ({ address, startBlock: 1 })));
    expect((await checkChain(chainFileSchema.parse(draft), rpcUrl)).map(lineOf)).toEqual([]);
  });

  it("names what a contract does not say by its option", async () => {
    const { tokens, v2 } = world.at;
    const { problems } = await make([
      "--wrapped-native",
      tokens.wbera,
      "--v2-router",
      v2.factory,
      "--vault",
      tokens.kdk,
    ]);
    expect(problems).toContain(`--v2-router ${v2.factory}, factory(): the contract does not answer it`);
    expect(problems).toContain(
      `--vault ${tokens.kdk}, asset(), want() or stakingToken(): the contract does not answer it`,
    );
  });

  it("says in one line what is missing, and nothing of what would follow from it", async () => {
    const { tokens, v2 } = world.at;
    const nobody = `0x${"12".repeat(20)}`;
    expect((await make(["--stable", tokens.honey])).problems).toEqual([
      "--wrapped-native is missing, and no router names the contract",
    ]);
    expect((await make(["--wrapped-native", nobody])).problems).toEqual([
      `--wrapped-native ${nobody}: no contract is there`,
    ]);
    expect((await make(["--v2-router", nobody])).problems).toEqual([`--v2-router ${nobody}: no contract is there`]);
    expect((await make(["--v2-router", v2.factory])).problems).toEqual(
      ["WETH()", "factory()"].map((view) => `--v2-router ${v2.factory}, ${view}: the contract does not answer it`),
    );
  });

  it.each([
    [["--wrapped-native", `0x${"0".repeat(40)}`], /--wrapped-native: must not be the zero address/],
    [["--wrapped-native", "0x12"], /--wrapped-native: must be a 0x-prefixed address/],
    [["--v3", "manager=0x12"], /--v3 \(manager\): must be a 0x-prefixed address/],
    [["--v3", `manager=0x${"1".repeat(40)},router`], /^--v3 \(router\): is missing$/],
    [["--farm", "0x12"], /--farm/],
  ])("refuses %j, naming the option", (argv, expected) => {
    const read = () => readOptions(["--name", "made", "--rpc", "http://127.0.0.1:1", ...argv]);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(expected);
  });

  it.each(["ftp://node", "http://user:secret@node/"])("refuses %s for a node, without its password", (url) => {
    expect(() => readOptions(["--name", "made", "--rpc", url])).toThrow(/^--rpc: must (?!.*secret)/);
  });

  it("refuses to begin without a name", () => {
    expect(() => readOptions(["--rpc", "http://127.0.0.1:1"])).toThrow("--name is missing");
  });
});
