// Tokens launched on a curve: one that never sells out, ones that graduate, and a pool for a token that lived before it.
import { type Address, encodeDeployData, maxUint256 } from "viem";
import { readArtifact } from "../compile/artifacts.ts";
import type { Random } from "./random.ts";
import { ALWAYS, partOf, sendShares, sharesOf } from "./shares.ts";
import { onStage } from "./stage.ts";
import { transfer } from "./tokens.ts";
import { type Act, accountAt, invoke, ownerOf, readView, type World } from "./world.ts";

const E18 = 10n ** 18n;

interface LaunchPlan {
  name: string;
  symbol: string;
  /** The step after which it trades in a v2 pair. */
  graduates: number;
  opens: number;
  base: "wbera" | "honey";
  /** Square root of the first price times 1e18; the last price is nine times the first. */
  sqrtPa: bigint;
  /** The deployer's own purchase in the same transaction. */
  buys?: bigint;
  /** A pool for an existing token of this name on stage. */
  over?: string;
}

const WIDE = 10n ** 15n; // the whole range brings in some 2,270 of the base token
const SMALL = 10n ** 14n; // some 22.7

const cub: LaunchPlan = { name: "Cub", symbol: "CUB", opens: 130, graduates: ALWAYS, base: "wbera", sqrtPa: WIDE };
const blink: LaunchPlan = { name: "Blink", symbol: "BLINK", opens: 400, graduates: 560, base: "wbera", sqrtPa: SMALL };
const own: LaunchPlan = {
  name: "Own",
  symbol: "OWN",
  opens: 650,
  graduates: ALWAYS,
  base: "wbera",
  sqrtPa: WIDE,
  buys: 3n * E18,
};
const old: LaunchPlan = {
  name: "Old",
  symbol: "OLD",
  opens: 700,
  graduates: 1_200,
  base: "honey",
  sqrtPa: WIDE,
  over: "elder",
};
const late: LaunchPlan = { name: "Late", symbol: "LATE", opens: 1_575, graduates: ALWAYS, base: "honey", sqrtPa: WIDE };
const plans = [cub, blink, own, old, late];

const traders = (world: World): readonly Address[] => world.actors.slice(92, 106);
const poolOf = (world: World, { name }: LaunchPlan): Address => onStage(world.stage.named, `launch ${name}`);
const tokenOf = (world: World, plan: LaunchPlan): Address =>
  plan.over === undefined ? poolOf(world, plan) : onStage(world.stage.named, plan.over);

/** A token that exists on its own, and is launched only much later. */
async function bearElder(world: World): Promise<void> {
  const { abi, bytecode } = readArtifact("MintableToken");
  const code = encodeDeployData({ abi, bytecode, args: ["Elder", "ELDER", 18] });
  world.stage.named.set("elder", (await world.chain.create(ownerOf(world), code)).toLowerCase() as Address);
}

function passElder(world: World, random: Random): void {
  const [from, to] = random.sample(traders(world), 2);
  if (from === undefined || to === undefined) return;
  transfer(world, { token: onStage(world.stage.named, "elder"), from, to, amount: random.amount(1n, 10n ** 22n) });
}

function open(plan: LaunchPlan): Act["run"] {
  return async (world) => {
    const { factory: to, tokenImplementation, poolImplementation } = world.at.launch;
    const from = accountAt(traders(world), 0);
    const params = {
      baseToken: world.at.tokens[plan.base],
      sqrtPa: plan.sqrtPa,
      sqrtPb: 3n * plan.sqrtPa,
      vestingPeriod: 0n,
    };
    const factory = { name: "LaunchFactory" as const, to, from };
    if (plan.over !== undefined) {
      const [token, supply] = [tokenOf(world, plan), 10n ** 27n];
      world.purse.pay({ from, token, amount: supply, spender: to });
      invoke(world, { ...factory, call: "deployPandaPool", args: [params, poolImplementation, token, supply] });
    } else if (plan.buys !== undefined) {
      const args = [params, tokenImplementation, plan.name, plan.symbol, 0n];
      invoke(world, { ...factory, call: "deployPandaTokenWithBera", args, value: plan.buys });
    } else {
      const args = [params, tokenImplementation, plan.name, plan.symbol];
      invoke(world, { ...factory, call: "deployPandaToken", args });
    }
    await world.chain.seal(3);
    const count = await readView<bigint>(world, { name: "LaunchFactory", to, call: "allPoolsLength" });
    const pool = await readView<Address>(world, { name: "LaunchFactory", to, call: "allPools", args: [count - 1n] });
    world.stage.named.set(`launch ${plan.name}`, pool.toLowerCase() as Address);
  };
}

interface Purchase {
  from: Address;
  amount: bigint;
  reverts?: boolean | "maybe";
}

/** With the base token, for the buyer's own account. */
function buy(world: World, plan: LaunchPlan, { from, amount, reverts = false }: Purchase): void {
  const to = poolOf(world, plan);
  world.purse.pay({ from, token: world.at.tokens[plan.base], amount, spender: to });
  invoke(world, { name: "LaunchPool", to, call: "buyTokens", args: [amount, 0n, from], from, reverts });
}

function buyWithCoin(world: World, plan: LaunchPlan, { from, amount, reverts = false }: Purchase): void {
  const to = poolOf(world, plan);
  invoke(world, { name: "LaunchPool", to, call: "buyTokensWithBera", args: [0n, from], from, value: amount, reverts });
}

function pickOpen(random: Random, step: number): LaunchPlan | undefined {
  const open = plans.filter(({ opens, graduates }) => step > opens && step < graduates);
  return open.length === 0 ? undefined : random.pick(open);
}

/** Purchases so small that none of them sells a range out. */
function buyAtRandom(world: World, random: Random, step: number): void {
  const plan = pickOpen(random, step);
  if (plan === undefined) return;
  const most = plan.sqrtPa === WIDE ? 6n * E18 : E18 / 4n;
  const purchase = {
    from: random.pick(traders(world)),
    amount: random.amount(10n ** 12n, most),
    reverts: "maybe" as const,
  };
  if (plan.base === "wbera" && random.chance(0.6)) buyWithCoin(world, plan, purchase);
  else buy(world, plan, purchase);
}

async function sellAtRandom(world: World, random: Random, step: number): Promise<void> {
  const plan = pickOpen(random, step);
  if (plan === undefined) return;
  const [to, token, from] = [poolOf(world, plan), tokenOf(world, plan), random.pick(traders(world))];
  const amount = partOf(random, await sharesOf(world, token, from), plan.over === undefined ? [10, 90] : [0, 1]);
  if (amount === 0n) return;
  if (plan.over !== undefined) world.purse.pay({ from, token, amount, spender: to });
  const args = [amount, 0n, random.chance(0.9) ? from : random.pick(world.actors)];
  invoke(world, { name: "LaunchPool", to, call: "sellTokens", args, from, reverts: "maybe" });
}

async function passLaunched(world: World, random: Random, step: number): Promise<void> {
  const born = plans.filter(({ opens, over }) => step > opens && over === undefined);
  if (born.length === 0) return;
  const [token, from] = [tokenOf(world, random.pick(born)), random.pick(traders(world))];
  const amount = partOf(random, await sharesOf(world, token, from), [0, 40]);
  sendShares(world, { token, from, to: random.pick(random.chance(0.5) ? traders(world) : world.actors), amount });
}

/** Others buy in the same block before the purchase that sells the range out; purchases after it are too late. */
function sellOut(world: World): void {
  const buyers = traders(world);
  for (const index of [1, 2, 3]) buyWithCoin(world, blink, { from: accountAt(buyers, index), amount: E18 });
  buyWithCoin(world, blink, { from: accountAt(buyers, 4), amount: 90n * E18 });
  buyWithCoin(world, blink, { from: accountAt(buyers, 5), amount: E18, reverts: true });
}

function sellOldOut(world: World): void {
  buy(world, old, { from: accountAt(traders(world), 6), amount: 9_000n * E18 });
}

/** The purchase that sells out graduates the token by itself: asking for graduation earlier, or again, is refused. */
function askTooSoon(world: World): void {
  for (const plan of [cub, blink]) {
    const from = accountAt(traders(world), 7);
    invoke(world, { name: "LaunchPool", to: poolOf(world, plan), call: "moveLiquidity", from, reverts: true });
  }
}

function changeFees(world: World): void {
  const { factory: to } = world.at.launch;
  invoke(world, {
    name: "LaunchFactory",
    to,
    call: "setPandaPoolFees",
    args: [50, 150, 400, 2_500],
    from: ownerOf(world),
  });
}

/** After graduation the token trades in its pair like any other. */
function tradeGraduated(world: World, random: Random, step: number): void {
  const graduated = plans.filter(({ graduates }) => step > graduates);
  const plan = random.pick(graduated);
  const [to, base, from] = [world.at.v2.router, world.at.tokens[plan.base], random.pick(traders(world))];
  const amount = random.amount(E18 / 100n, E18);
  world.purse.pay({ from, token: base, amount, spender: to });
  const args = [amount, 0n, [base, tokenOf(world, plan)], from, maxUint256];
  invoke(world, { name: "UniswapV2Router02", to, call: "swapExactTokensForTokens", args, from });
}

export const launchActs: readonly Act[] = [
  { name: "elder is born", first: 205, run: bearElder },
  { name: "elder passes", first: 206, last: ALWAYS, chance: 0.04, live: 0.03, run: passElder },
  { name: "launch fees", first: 640, run: changeFees },
  ...plans.map((plan): Act => ({ name: `launch of ${plan.name}`, first: plan.opens, run: open(plan) })),
  { name: "launch buy", first: 131, last: ALWAYS, chance: 0.1, live: 0.12, run: buyAtRandom },
  { name: "launch sale", first: 150, last: ALWAYS, chance: 0.05, live: 0.05, run: sellAtRandom },
  { name: "launched token passes", first: 160, last: ALWAYS, chance: 0.03, live: 0.03, run: passLaunched },
  { name: "launch sells out", first: 560, run: sellOut },
  { name: "launch asked too soon", first: 900, run: askTooSoon },
  { name: "old launch sells out", first: 1_200, run: sellOldOut },
  { name: "graduated token trades", first: 562, last: ALWAYS, chance: 0.03, live: 0.04, run: tradeGraduated },
];
