// Peer: what somebody who only has an archive node can do. viem's multicall of `balanceOf` at an old block, on a local
// anvil without any network in between; the accounts must be known beforehand.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Abi, createPublicClient, encodeDeployData, encodeFunctionData, type Hex, http } from "viem";
import { endAnvil, spawnAnvil } from "../../devnet/anvil.ts";
import { mintableTokenAbi } from "../../devnet/artifacts/abis.ts";
import { postBatch } from "../../devnet/json-rpc.ts";
import { freePort } from "../../machine/ports.ts";
import { projectRoot } from "../../machine/project-root.ts";

export interface MulticallRun {
  accounts: number;
  /** Bytes of calls per request, as viem counts them. */
  batchBytes: number;
  ms: number;
}

/** viem's default, and one that makes few large requests. */
const BATCH_BYTES = [1_024, 100_000];
const BLOCKS_BACK = 100;

/** viem carries Multicall3's code for its deployless mode; the package does not export it. */
function multicallCode(): Hex {
  const resolve = createRequire(import.meta.url);
  const file = join(dirname(resolve.resolve("viem")), "constants/contracts.js");
  return (resolve(file) as { multicall3Bytecode: Hex }).multicall3Bytecode;
}

const tokenCode = (): Hex =>
  (JSON.parse(readFileSync(join(projectRoot, "devnet/artifacts/MintableToken.json"), "utf8")) as { bytecode: Hex })
    .bytecode;

export async function measureMulticall(accounts: readonly Hex[], rounds: number): Promise<MulticallRun[]> {
  const dir = join(projectRoot, ".tidemark/bench");
  mkdirSync(dir, { recursive: true });
  const anvil = await spawnAnvil({ port: await freePort(), dir });
  const kill = () => process.kill(anvil.pid, "SIGKILL");
  process.once("exit", kill);
  try {
    return await askNode(anvil.rpcUrl, accounts, rounds);
  } finally {
    process.off("exit", kill);
    await endAnvil(anvil.pid);
  }
}

async function askNode(url: string, accounts: readonly Hex[], rounds: number): Promise<MulticallRun[]> {
  const client = createPublicClient({ transport: http(url) });
  const [sender] = (await client.request({ method: "eth_accounts" as never })) as Hex[];
  const send = async (transactions: readonly { to?: Hex; data: Hex }[]): Promise<Hex[]> => {
    const requests = transactions.map((transaction) => ({
      method: "eth_sendTransaction",
      params: [{ from: sender, gas: "0x1312d00", ...transaction }],
    }));
    const hashes = await postBatch(url, requests);
    for (const hash of hashes) if (hash instanceof Error) throw hash;
    await postBatch(url, [{ method: "evm_mine", params: [] }]);
    return hashes as Hex[];
  };
  const args = ["Made up", "MADE", 18] as const;
  const deployed = await send([
    { data: encodeDeployData({ abi: mintableTokenAbi as Abi, bytecode: tokenCode(), args: [...args] }) },
    { data: multicallCode() },
  ]);
  const [token, multicallAddress] = await Promise.all(
    deployed.map(async (hash) => (await client.getTransactionReceipt({ hash })).contractAddress as Hex),
  );
  if (!token || !multicallAddress) throw new Error("the contracts were not deployed");
  const amountOf = (i: number) => 10n ** 18n + BigInt(i);
  for (let at = 0; at < accounts.length; at += 50)
    await send(
      accounts.slice(at, at + 50).map((account, i) => ({
        to: token,
        data: encodeFunctionData({
          abi: mintableTokenAbi as Abi,
          functionName: "mint",
          args: [account, amountOf(at + i)],
        }),
      })),
    );
  const blockNumber = await client.getBlockNumber();
  await postBatch(url, [{ method: "anvil_mine", params: [`0x${BLOCKS_BACK.toString(16)}`] }]);
  const expected = accounts.reduce((sum, _, i) => sum + amountOf(i), 0n);
  const contracts = accounts.map((account) => ({
    address: token,
    abi: mintableTokenAbi as Abi,
    functionName: "balanceOf",
    args: [account],
  }));
  const runs: MulticallRun[] = [];
  for (let round = 0; round <= rounds; round++)
    for (const batchBytes of BATCH_BYTES) {
      const started = performance.now();
      const balances = await client.multicall({
        contracts,
        multicallAddress,
        blockNumber,
        batchSize: batchBytes,
        allowFailure: false,
      });
      const ms = performance.now() - started;
      const sum = (balances as bigint[]).reduce((total, balance) => total + balance, 0n);
      if (sum !== expected) throw new Error(`multicall sums up to ${sum}, not ${expected}`);
      if (round > 0) runs.push({ accounts: accounts.length, batchBytes, ms });
    }
  return runs;
}
