// A chain file against nodes that do not answer everything: what they leave out is no mistake of the file, and a mistake that they
// do show is still one.
import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainFile, chainFileSchema } from "../../../chains/chain-file.ts";
import { checkChain } from "../../../chains/check/check-chain.ts";
import { lineOf } from "../../../chains/check/findings.ts";
import { NodeUnreachableError } from "../../../chains/check/node.ts";
import { wrappedNativeAbi } from "../../../devnet/artifacts/abis.ts";
import { chainFileOf } from "../../../devnet/chain-file.ts";
import { startTestChain, type TestChain } from "../../devnet/contracts/test-chain.ts";
import {
  startTroubledNode,
  type Trouble,
  type TroubledNode,
  withoutOldStates,
  withoutSimulation,
} from "../../support/troubled-node.ts";

let world: TestChain;
let head: number;
let node: TroubledNode | undefined;
beforeAll(async () => {
  world = await startTestChain();
  head = Number(await world.chain.client.getBlockNumber());
});
afterAll(() => world.stop());
afterEach(async () => {
  await node?.stop();
  node = undefined;
});

const rightFile = (): ChainFile => chainFileSchema.parse(chainFileOf(world.at));
const wrap = (token: `0x${string}`) =>
  world.act({ to: token, abi: wrappedNativeAbi, call: "deposit", from: world.account(2), value: 5n });

async function check(chain: ChainFile, trouble: Trouble) {
  node = await startTroubledNode(String(world.chain.client.transport.url), trouble);
  const findings = await checkChain(chain, node.url);
  const of = (kind: "mistake" | "notice") => findings.filter((one) => one.kind === kind).map(lineOf);
  return { mistakes: of("mistake"), notices: of("notice") };
}

const nothing = { mistakes: [], notices: [] };

describe("a node that answers, in its own way", () => {
  it("is asked again when it is busy", async () => {
    expect(await check(rightFile(), { busyFor: 2 })).toEqual(nothing);
    expect(node?.requests()).toBeGreaterThan(3);
  });

  it("is asked one by one when it takes no batches", async () => {
    expect(await check(rightFile(), { takesNoBatches: true })).toEqual(nothing);
  });

  it("needs no old states for a right file", async () => {
    const chain = rightFile();
    chain.v3!.deployments[0]!.factory.startBlock = 1;
    expect(await check(chain, { refuses: withoutOldStates })).toEqual(nothing);
  });
});

describe("a late start block, without old states", () => {
  it("is named by the contract's first log", async () => {
    const { factory } = world.at.v3.uniswap;
    const [log] = await world.chain.client.getLogs({ address: factory, fromBlock: 0n, toBlock: BigInt(head) });
    const chain = rightFile();
    chain.v3!.deployments[0]!.factory.startBlock = head;
    expect(await check(chain, { refuses: withoutOldStates })).toEqual({
      mistakes: [
        `v3.deployments[0].factory.startBlock: is ${head}, but v3.deployments[0].factory.address has logs from block ${log?.blockNumber} on: write ${log?.blockNumber} or less`,
      ],
      notices: [],
    });
  });

  it("is no mistake of a contract that logged nothing before it", async () => {
    const chain = rightFile();
    chain.v2!.factory.startBlock = head;
    expect(await check(chain, { refuses: withoutOldStates })).toEqual(nothing);
  });

  it("is only said to be unknown where the node gives no old logs either", async () => {
    const chain = rightFile();
    chain.v2!.factory.startBlock = head;
    const range = { code: -32602, message: "query exceeds max block range" };
    const refuses: Trouble["refuses"] = (call) =>
      call.method === "eth_getLogs" ? range : (withoutOldStates(call) ?? undefined);
    expect(await check(chain, { refuses })).toEqual({
      mistakes: [],
      notices: [expect.stringMatching(/^v2\.factory\.startBlock: could not be checked \(the node has no state of old/)],
    });
  });
});

describe("what a node does not answer", () => {
  it("is a notice and no mistake, in few lines", async () => {
    const busy = { code: -32005, message: "too many requests" };
    const refuses: Trouble["refuses"] = ({ method }) => (method === "eth_call" ? busy : undefined);
    const { mistakes, notices } = await check(rightFile(), { refuses });
    expect(mistakes).toEqual([]);
    expect(notices.length).toBeLessThan(6);
    expect(notices.join("\n")).toMatch(/could not be checked \(too many requests\)/);
  });

  it("hides no mistake that the node's other answers show", async () => {
    const chain = rightFile();
    chain.stables[0]!.address = "0x00000000000000000000000000000000000a11ce";
    const busy = { code: -32005, message: "too many requests" };
    const refuses: Trouble["refuses"] = ({ method }) => (method === "eth_call" ? busy : undefined);
    expect((await check(chain, { refuses })).mistakes).toEqual([
      expect.stringMatching(/^stables\[0\]\.address: there is no contract at/),
    ]);
  });

  it("is the whole chain file while the node is syncing", async () => {
    // Imitates a node that is still syncing: eth_syncing answers an object (execution API specification).
    const server = createServer((_, response) => {
      const answers = ["0x7a69", "0x3", { currentBlock: "0x3", highestBlock: "0xff" }];
      response.end(JSON.stringify(answers.map((result, id) => ({ jsonrpc: "2.0", id, result }))));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port: at } = server.address() as { port: number };
    const findings = await checkChain(rightFile(), `http://127.0.0.1:${at}`);
    server.close();
    expect(findings.map(({ kind }) => kind)).toEqual(["notice"]);
    expect(findings.map(lineOf).join()).toMatch(/still syncing, at block 3/);
  });

  it("is an error that names the node where nobody answers", async () => {
    const answered = checkChain(rightFile(), "http://127.0.0.1:1/key-of-mine");
    await expect(answered).rejects.toThrow(NodeUnreachableError);
    await expect(answered).rejects.toThrow(/^the node at http:\/\/127\.0\.0\.1:1 does not answer eth_chainId/);
    await expect(answered).rejects.not.toThrow(/key-of-mine/);
  });
});

describe("wrapping, without a simulation", () => {
  it("is unknown while nobody has wrapped, and known from the logs once somebody has", async () => {
    const { wbera, weth } = world.at.tokens;
    const before = await check(rightFile(), { refuses: withoutSimulation });
    await node?.stop();
    expect(before.mistakes).toEqual([]);
    expect(before.notices).toEqual([
      expect.stringMatching(/^wrappedNative\.flavour: could not be checked/),
      expect.stringMatching(/^otherWrapped\[0\]\.flavour: could not be checked/),
    ]);
    await wrap(wbera);
    await wrap(weth);
    expect(await check(rightFile(), { refuses: withoutSimulation })).toEqual(nothing);
    await node?.stop();
    const chain = rightFile();
    chain.wrappedNative.flavour = "weth9";
    chain.otherWrapped[0]!.flavour = "transfer";
    expect((await check(chain, { refuses: withoutSimulation })).mistakes).toEqual([
      expect.stringMatching(/^wrappedNative\.flavour: is weth9, but .* as transfer/),
      expect.stringMatching(/^otherWrapped\[0\]\.flavour: is transfer, but .* as weth9/),
    ]);
  });

  it("is still refused for a token that wraps nothing", async () => {
    const chain = rightFile();
    chain.otherWrapped = [{ address: world.at.tokens.kdk, symbol: "KDK", flavour: "weth9" }];
    expect((await check(chain, { refuses: withoutSimulation })).mistakes).toEqual([
      expect.stringMatching(/^otherWrapped\[0\]\.address: .* is not a wrapped native/),
    ]);
  });
});
