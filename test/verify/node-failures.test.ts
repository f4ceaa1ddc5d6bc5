// What counts as a contract's refusal: never that a node does not answer, or that a copy's own node does not.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Address, createPublicClient, type Hex, http, parseAbi } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChainCopy, copyChain, RefusedError } from "../../verify/exit/chain-copy.ts";
import { readAll } from "../../verify/pool-contracts.ts";
import { askQuoters } from "../../verify/quotes/quoters.ts";
import { startAnvil } from "../devnet/contracts/anvil.ts";
import { accountOf } from "../support/reference-ledger.ts";

/** Creates a contract that reverts, whatever it is given. */
const REVERTING: Hex = "0x6460006000fd6000526005601bf3";
/** What nodes say when they, or those behind them, do not answer. */
const FAILURES = [
  { code: -32_005, message: "429 Too Many Requests" },
  { code: -32_603, message: "upstream timeout" },
  { code: -32_000, message: "missing trie node" },
];
const abi = parseAbi(["function balanceOf(address account) view returns (uint256)"]);
const [ANNA, BEN] = [accountOf(1), accountOf(2)] as [Address, Address];

/** Undefined: the node behind answers. */
let failure: { code: number; message: string } | undefined;
let anvil: Awaited<ReturnType<typeof startAnvil>>;
let contract: Address;
let url: string;
let copy: ChainCopy;

/** Passes everything on to anvil, until it fails. */
const node = createServer(async (request, response) => {
  const body = await text(request);
  response.setHeader("content-type", "application/json");
  if (failure === undefined) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(String(anvil.chain.client.transport.url), { method: "POST", headers, body });
    response.end(await answer.text());
    return;
  }
  const question: { id: number } | { id: number }[] = JSON.parse(body);
  const refuse = ({ id }: { id: number }) => ({ jsonrpc: "2.0", id, error: failure });
  response.end(JSON.stringify(Array.isArray(question) ? question.map(refuse) : refuse(question)));
});

beforeAll(async () => {
  anvil = await startAnvil();
  const [sender] = anvil.chain.accounts;
  contract = (await anvil.chain.create(sender as Address, REVERTING)).toLowerCase() as Address;
  const { number: block } = await anvil.chain.seal();
  await once(node.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  copy = await copyChain({ rpcUrl: url, block });
});
afterAll(async () => {
  await copy?.stop();
  node.close();
  await anvil?.stop();
});
beforeEach(() => {
  failure = undefined;
});

const failing = (ask: () => Promise<unknown>, one: (typeof FAILURES)[number]) => {
  failure = one;
  return ask().catch((error: unknown) => error);
};

describe("what a contract refuses", () => {
  const client = () => createPublicClient({ transport: http(url, { retryCount: 0 }) });
  const read = (account: Address) => ({ address: contract, abi, functionName: "balanceOf", args: [account] });
  const quote = () => askQuoters(url, [{ name: "quoteExactInput", to: contract, data: "0x" }], copy.block);
  const transaction = (from: Address) => ({ from, to: contract, abi, call: "balanceOf", args: [from] });

  it("is known of reads, of quotes and of transactions", async () => {
    expect(await readAll(client(), [read(ANNA), read(BEN)], copy.block)).toEqual([undefined, undefined]);
    expect(await quote()).toEqual([{ refused: expect.stringContaining("revert") }]);
    await expect(copy.perform(transaction(ANNA))).rejects.toThrow(RefusedError);
  });

  it.each(FAILURES)("is not known of a read where the node says: $message", async (one) => {
    for (const reads of [[read(ANNA)], [read(ANNA), read(BEN)]]) {
      const error = await failing(() => readAll(client(), reads, copy.block), one);
      expect(String(error)).toContain(`the node cannot answer about block ${copy.block}: `);
    }
  });

  it.each(FAILURES)("is not known of a quote where the node says: $message", async (one) => {
    const error = await failing(quote, one);
    expect(String(error)).toContain(`the node cannot answer about block ${copy.block}: eth_call: ${one.message}`);
  });

  it("is not known of a transaction where the node behind the copy does not answer", async () => {
    const error = await failing(() => copy.perform(transaction(BEN)), { code: -32_000, message: "missing trie node" });
    expect(error).not.toBeInstanceOf(RefusedError);
    expect(String(error)).toContain(`the copy cannot carry out balanceOf of ${contract}: `);
  });
});
