// Tokens that somebody sends to where they do not belong: pairs, v3 pools and the router. Some of it is taken away again, or
// becomes a part of the reserves.
import { type Address, encodeFunctionData, erc20Abi, numberToHex, parseAbi } from "viem";
import type { Pool } from "../../core/router/pool.ts";
import { depthOf, type Market } from "../../verify/quotes/questions.ts";
import { GAS } from "./made-market.ts";
import type { Scene } from "./market-moves.ts";

const pairAbi = parseAbi(["function skim(address to)", "function sync()"]);
/** Gifts are billionths of what a pool holds. */
const PARTS = 10 ** 9;
/** A pair is sent up to this many times what it holds. */
const MOST = 5n;

/** Sends some tokens, in one block. */
export async function strayTokens(scene: Scene, market: Market): Promise<void> {
  const { chain } = scene.made.stage;
  for (const { pool } of market.pools.values()) strayToPool(scene, pool);
  await chain.seal();
  await strayToRouter(scene);
  await chain.seal();
}

function strayToPool(scene: Scene, pool: Pool): void {
  const { random } = scene;
  const isPair = pool.kind === "v2";
  const to = pool.address as Address;
  for (const token of [pool.token0, pool.token1] as Address[]) {
    if (!random.chance(isPair ? 0.5 : 0.1)) continue;
    const part = BigInt(Math.ceil(PARTS ** random.next()));
    send(scene, { token, to, amount: (MOST * depthOf(pool, token) * part) / BigInt(PARTS) + 1n });
  }
  if (isPair && random.chance(0.15)) settlePair(scene, to);
}

/** Sends tokens, and the coin, which arrives without a transaction. */
async function strayToRouter(scene: Scene): Promise<void> {
  const { made, random } = scene;
  for (const { address: token, decimals } of made.tokens)
    if (random.chance(0.5))
      send(scene, { token, to: made.router, amount: BigInt(Math.ceil(10 ** (random.next() * (decimals + 2)))) });
  const coin = random.chance(0.5) ? BigInt(Math.ceil(10 ** (20 * random.next()))) : 0n;
  await made.stage.chain.rpc("anvil_setBalance", [made.router, numberToHex(coin)]);
}

interface Gift {
  token: Address;
  to: Address;
  amount: bigint;
}

function send({ made: { stage }, random }: Scene, { token, to, amount }: Gift): void {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] });
  stage.chain.queue({ from: random.pick(stage.accounts), to: token, data, gas: GAS, reverts: "maybe" });
}

function settlePair({ made: { stage }, random }: Scene, pair: Address): void {
  const from = random.pick(stage.accounts);
  const data = random.chance(0.5)
    ? encodeFunctionData({ abi: pairAbi, functionName: "skim", args: [from] })
    : encodeFunctionData({ abi: pairAbi, functionName: "sync" });
  stage.chain.queue({ from, to: pair, data, gas: GAS, reverts: "maybe" });
}
