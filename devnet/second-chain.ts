// The chain of docs/adding-a-chain.md: another id, fewer contracts, a little activity. `node scripts/node22.mjs
// devnet/second-chain.ts [port]` prints its addresses and makes a block every two seconds until it is ended.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { endAnvil, spawnAnvil } from "./anvil.ts";
import { type AnvilChain, connectAnvilChain } from "./anvil-chain.ts";
import type { ContractName } from "./compile/artifacts.ts";
import { callContract } from "./deploy/call-contract.ts";
import { deployContracts } from "./deploy/deploy-contracts.ts";
import { deployV2 } from "./deploy/v2.ts";
import { deployV3 } from "./deploy/v3.ts";
import { deployPlainVault } from "./deploy/vaults.ts";

const CHAIN_ID = 31_338;
const BLOCK_MS = 2000;
const QUIET_BLOCKS = 100;
const ONE = 10n ** 18n;
const PRICE_ONE = 2n ** 96n;
const NEVER = 2n ** 40n;

async function deploy(chain: AnvilChain) {
  const { weth, dai, usdc } = await deployContracts(chain, {
    weth: { name: "WETH9" },
    dai: { name: "MintableToken", args: ["Dai Stablecoin", "DAI", 18] },
    usdc: { name: "MintableToken", args: ["USD Coin", "USDC", 6] },
  });
  const v2 = await deployV2(chain, { wrappedNative: weth });
  const v3 = await deployV3(chain, { flavour: "uniswap", wrappedNative: weth, v2Factory: v2.factory });
  const vault = await deployPlainVault(chain, { asset: dai, name: "Savings DAI", symbol: "sDAI" });
  await chain.seal();
  return { weth, dai, usdc, v2, v3, vault };
}

type Contracts = Awaited<ReturnType<typeof deploy>>;

/** One account wraps, provides liquidity to a pair and a pool, and saves; others are paid. */
async function live(chain: AnvilChain, { weth, dai, usdc, v2, v3, vault }: Contracts): Promise<void> {
  const [, owner, ...others] = chain.accounts as [Address, Address, ...Address[]];
  const act = (name: ContractName, to: Address, [call, ...args]: [string, ...unknown[]]) =>
    callContract(chain, { name, to, call, args, from: owner });
  await chain.send({ from: owner, to: weth, value: 1000n * ONE });
  for (const token of [dai, usdc]) await act("MintableToken", token, ["mint", owner, 10n ** 24n]);
  for (const token of [weth, dai, usdc])
    for (const spender of [v2.router, v3.positionManager, vault])
      await act("MintableToken", token, ["approve", spender, 10n ** 30n]);
  await chain.seal();
  const amounts = [300n * ONE, 300n * ONE, 0, 0];
  await act("UniswapV2Router02", v2.router, ["addLiquidity", dai, weth, ...amounts, owner, NEVER]);
  const [token0, token1] = [dai, weth].sort() as [Address, Address];
  const pool = ["createAndInitializePoolIfNecessary", token0, token1, 3000, PRICE_ONE] as const;
  await act("NonfungiblePositionManager", v3.positionManager, [...pool]);
  await act("NonfungiblePositionManager", v3.positionManager, [
    "mint",
    {
      token0,
      token1,
      fee: 3000,
      tickLower: -60_000,
      tickUpper: 60_000,
      recipient: owner,
      deadline: NEVER,
      amount0Desired: 200n * ONE,
      amount1Desired: 200n * ONE,
      amount0Min: 0,
      amount1Min: 0,
    },
  ]);
  await act("PlainVault", vault, ["deposit", 5000n * ONE, owner]);
  await chain.seal();
  for (const [index, account] of others.slice(0, 10).entries()) {
    await act("MintableToken", dai, ["transfer", account, BigInt(index + 1) * ONE]);
    await act("MintableToken", usdc, ["transfer", account, BigInt(index + 1) * 10n ** 6n]);
    await chain.seal();
  }
  for (let block = 0; block < QUIET_BLOCKS; block++) await chain.seal();
}

const port = Number(process.argv[2] ?? 9545);
const dir = mkdtempSync(join(tmpdir(), "tidemark-second-chain-"));
const anvil = await spawnAnvil({ port, dir, chainId: CHAIN_ID });
let isEnding = false;
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => (isEnding = true));
try {
  const chain = await connectAnvilChain(anvil.rpcUrl);
  const contracts = await deploy(chain);
  await live(chain, contracts);
  const { weth, dai, usdc, v2, v3, vault } = contracts;
  console.log(`a chain with id ${CHAIN_ID} at ${anvil.rpcUrl}
  WETH ${weth}\n  DAI ${dai}\n  USDC ${usdc}\n  v2 router ${v2.router}
  v3 position manager ${v3.positionManager}\n  v3 router ${v3.swapRouter02}\n  v3 quoter ${v3.quoterV2}
  sDAI vault ${vault}`);
  for (; !isEnding; await sleep(BLOCK_MS)) await chain.seal();
} finally {
  await endAnvil(anvil.pid, 0);
  rmSync(dir, { recursive: true, force: true });
}
