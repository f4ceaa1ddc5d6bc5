// v2 pairs: liquidity in and out, trades by the router, the protocol fee switched on for a while, donations swept by skim and sync.
import { type Address, maxUint256, zeroAddress } from "viem";
import type { Random } from "./random.ts";
import { onStage } from "./stage.ts";
import { type Act, invoke, ownerOf, providersOf, readView, tradersOf, type World } from "./world.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
const E18 = 10n ** 18n;

interface PairPlan {
  name: string;
  worth: readonly [readonly [Address, bigint], readonly [Address, bigint]];
}

function plans({ at: { tokens } }: World): PairPlan[] {
  return [
    {
      name: "pair bera-honey",
      worth: [
        [tokens.wbera, E18],
        [tokens.honey, 5n * E18],
      ],
    },
    {
      name: "pair yeet-bera",
      worth: [
        [tokens.yeet, 1_000n * E18],
        [tokens.wbera, E18],
      ],
    },
    {
      name: "pair usdc-weth",
      worth: [
        [tokens.usdc, 3_000n * 10n ** 6n],
        [tokens.weth, E18],
      ],
    },
    {
      name: "pair fee-honey",
      worth: [
        [tokens.feeOnTransfer, E18],
        [tokens.honey, 2n * E18],
      ],
    },
  ];
}

/** The router creates the pair with its first liquidity; the pair's first share goes to the zero address. Seals a block. */
async function openPair(world: World, random: Random, step: number): Promise<void> {
  const plan = plans(world)[(step - 76) / 3];
  if (plan === undefined) return;
  addLiquidity(world, { plan, from: random.pick(providersOf(world, plan.worth[0][0])), units: 4_000n });
  await world.chain.seal(5);
  const [[a], [b]] = plan.worth;
  const find = { name: "UniswapV2Factory" as const, to: world.at.v2.factory, call: "getPair", args: [a, b] };
  const address = (await readView<Address>(world, find)).toLowerCase() as Address;
  const [token0, token1] = a < b ? [a, b] : [b, a];
  world.stage.v2.set(plan.name, { address, token0, token1 });
}

function addLiquidity(world: World, { plan, from, units }: { plan: PairPlan; from: Address; units: bigint }): void {
  const to = world.at.v2.router;
  const [[a, unitA], [b, unitB]] = plan.worth;
  world.purse.pay({ from, token: a, amount: units * unitA, spender: to });
  world.purse.pay({ from, token: b, amount: units * unitB, spender: to });
  const args = [a, b, units * unitA, units * unitB, 0n, 0n, from, maxUint256];
  invoke(world, { name: "UniswapV2Router02", to, call: "addLiquidity", args, from });
}

function pickOpen(world: World, random: Random): PairPlan | undefined {
  const open = plans(world).filter(({ name }) => world.stage.v2.has(name));
  return open.length === 0 ? undefined : random.pick(open);
}

function addAtRandom(world: World, random: Random): void {
  const plan = pickOpen(world, random);
  if (plan !== undefined)
    addLiquidity(world, {
      plan,
      from: random.pick(providersOf(world, plan.worth[0][0])),
      units: BigInt(random.between(1, 120)),
    });
}

async function removeAtRandom(world: World, random: Random): Promise<void> {
  const plan = pickOpen(world, random);
  if (plan === undefined) return;
  const { address } = onStage(world.stage.v2, plan.name);
  const from = random.pick(providersOf(world, plan.worth[0][0]));
  const held = await readView<bigint>(world, { name: "UniswapV2Pair", to: address, call: "balanceOf", args: [from] });
  if (held === 0n) return;
  const to = world.at.v2.router;
  world.purse.allow(from, address, to);
  const [[a], [b]] = plan.worth;
  const args = [a, b, (held * BigInt(random.between(10, 100))) / 100n, 0n, 0n, from, maxUint256];
  invoke(world, { name: "UniswapV2Router02", to, call: "removeLiquidity", args, from, reverts: "maybe" });
}

function swapAtRandom(world: World, random: Random): void {
  const plan = pickOpen(world, random);
  if (plan === undefined) return;
  const [[tokenIn, unitIn], [tokenOut, unitOut]] = random.chance(0.5) ? plan.worth : [plan.worth[1], plan.worth[0]];
  const from = random.pick(tradersOf(world, plan.worth[0][0]));
  const to = world.at.v2.router;
  const path = [tokenIn, tokenOut];
  const isTaxed = path.includes(world.at.tokens.feeOnTransfer);
  const amountIn = random.amount(unitIn / 100n, 25n * unitIn);
  const router = { name: "UniswapV2Router02" as const, to, from };
  if (!isTaxed && random.chance(0.25)) {
    world.purse.pay({ from, token: tokenIn, amount: 60n * unitIn, spender: to });
    const args = [random.amount(unitOut / 100n, 10n * unitOut), 60n * unitIn, path, from, maxUint256];
    invoke(world, { ...router, call: "swapTokensForExactTokens", args });
    return;
  }
  world.purse.pay({ from, token: tokenIn, amount: amountIn, spender: to });
  const call = isTaxed ? "swapExactTokensForTokensSupportingFeeOnTransferTokens" : "swapExactTokensForTokens";
  invoke(world, { ...router, call, args: [amountIn, 0n, path, from, maxUint256] });
}

function donate(world: World, random: Random): void {
  const plan = pickOpen(world, random);
  if (plan === undefined) return;
  const { address } = onStage(world.stage.v2, plan.name);
  const [[token, unit]] = plan.worth;
  const from = random.pick(world.actors);
  world.purse.pay({ from, token, amount: unit });
  invoke(world, { name: "MintableToken", to: token, call: "transfer", args: [address, unit], from });
  if (random.chance(0.5)) invoke(world, { name: "UniswapV2Pair", to: address, call: "sync", from });
  else invoke(world, { name: "UniswapV2Pair", to: address, call: "skim", args: [from], from });
}

/** Shares sent to the pair that issued them. */
const sendShareHome = (world: World): Promise<void> => {
  const { address } = onStage(world.stage.v2, "pair bera-honey");
  return sendShares(world, { pair: address, to: address });
};

/** Shares sent to the zero address stay in the supply. */
const sendSharesAway = (world: World): Promise<void> =>
  sendShares(world, { pair: onStage(world.stage.v2, "pair usdc-weth").address, to: zeroAddress });

/** Sends a thousandth of the shares of the first actor that has any. */
async function sendShares(world: World, { pair, to }: { pair: Address; to: Address }): Promise<void> {
  for (const from of world.actors) {
    const share = { name: "UniswapV2Pair" as const, to: pair };
    const held = await readView<bigint>(world, { ...share, call: "balanceOf", args: [from] });
    if (held < 10n ** 6n) continue;
    return invoke(world, { ...share, call: "transfer", args: [to, held / 1_000n], from });
  }
}

function setFeeTo(world: World, _random: Random, step: number): void {
  const owner = ownerOf(world);
  const args = [step === 500 ? owner : zeroAddress];
  invoke(world, { name: "UniswapV2Factory", to: world.at.v2.factory, call: "setFeeTo", args, from: owner });
}

export const v2Acts: readonly Act[] = [
  ...Array.from({ length: 4 }, (_, index): Act => ({ name: `pair ${index}`, first: 76 + 3 * index, run: openPair })),
  { name: "v2 add", first: 95, last: ALWAYS, chance: 0.06, live: 0.04, run: addAtRandom },
  { name: "v2 remove", first: 130, last: ALWAYS, chance: 0.06, run: removeAtRandom },
  { name: "v2 swap", first: 90, last: ALWAYS, chance: 0.25, live: 0.25, run: swapAtRandom },
  { name: "v2 donation", first: 150, last: ALWAYS, chance: 0.01, run: donate },
  { name: "v2 share sent home", first: 640, run: sendShareHome },
  { name: "v2 shares sent away", first: 660, run: sendSharesAway },
  { name: "v2 fee on", first: 500, run: setFeeTo },
  { name: "v2 fee off", first: 1_200, run: setFeeTo },
];
