// Launches written fact by fact: a token that is its own pool and graduates in the block of its last buy, a pool over a token
// that was there before, and many that nobody trades.
import { chainFixture } from "./gateway-fixture.ts";
import { accountOf, tokenOf } from "./reference-ledger.ts";
import { SCRIPT_CHAIN_ID, Script } from "./scripted-index.ts";

export const E = 10n ** 18n;
/** What buys: a stable, and a token that nothing prices. */
export const [HONEY, ODD] = [tokenOf(1), tokenOf(2)] as const;
/** Its own pool; an older token; the pool over it; the pair of the first. */
export const [OWN, OLD, POOL, PAIR] = [tokenOf(11), tokenOf(12), tokenOf(13), tokenOf(14)] as const;
export const [ALICE, BOB, DEPLOYER, TREASURY] = [1, 2, 3, 4].map(accountOf) as [string, string, string, string];
export const QUIET = Array.from({ length: 25 }, (_, i) => tokenOf(100 + i));
const FACTORY = accountOf(90);

export const AT = { own: 2, bought: 3, old: 4, quiet: 6, sold: 7, graduated: 9, head: 11 } as const;
/** Launches and the first trades are folded, the rest is not. */
export const FINALIZED = 5;

const place = (address: string) => ({ address, startBlock: 0 });
export const launchChain = chainFixture({
  chainId: SCRIPT_CHAIN_ID,
  startBlock: 0,
  v2: { factory: place(accountOf(91)), router: accountOf(92) },
  launch: { factory: place(FACTORY) },
  stables: [{ address: HONEY, priceUsd: "1" }],
});

interface Launch {
  pool: string;
  token: string;
  base: string;
}

/** A contract logs its first Sync and PoolInitialized before its factory's PandaDeployed. */
export function launch(script: Script, { pool, token, base }: Launch): void {
  sync(script, pool, [900n * E, 0n, E]);
  const range = { sqrt_pa: `${E}`, sqrt_pb: `${3n * E}`, vesting_period: "0", data: "0x" };
  script.tell("launch_pool", { pool, kind: "initialized", token, base_token: base, deployer: DEPLOYER, ...range });
  script.tell("launch_pool", { pool, kind: "deployed", factory: FACTORY, implementation: FACTORY });
}

function sync(script: Script, pool: string, [token, base, sqrtPrice]: readonly [bigint, bigint, bigint]): void {
  script.tell("launch_sync", { pool, token_reserve: `${token}`, base_reserve: `${base}`, sqrt_price: `${sqrtPrice}` });
}

function swap(
  script: Script,
  pool: string,
  amounts: Record<"tokenIn" | "baseIn" | "tokenOut" | "baseOut", bigint>,
): void {
  const { tokenIn, baseIn, tokenOut, baseOut } = amounts;
  const reported = { token_in: `${tokenIn}`, base_in: `${baseIn}`, token_out: `${tokenOut}`, base_out: `${baseOut}` };
  script.tell("launch_swap", { pool, sender: ALICE, to: ALICE, ...reported });
}

const NONE = { tokenIn: 0n, baseIn: 0n, tokenOut: 0n, baseOut: 0n };

const acts: Partial<Record<number, (script: Script) => void>> = {
  1(script) {
    for (const token of [HONEY, ODD]) script.mint(token, ALICE, 10_000n * E);
    script.mint(OLD, DEPLOYER, 1_000n * E);
  },
  [AT.own](script) {
    script.mint(OWN, OWN, 1_000n * E);
    launch(script, { pool: OWN, token: OWN, base: HONEY });
  },
  [AT.bought](script) {
    script.move(HONEY, { from: ALICE, to: OWN, amount: 10n * E });
    script.move(OWN, { from: OWN, to: ALICE, amount: 9n * E });
    swap(script, OWN, { ...NONE, baseIn: 10n * E, tokenOut: 9n * E });
    sync(script, OWN, [891n * E, 10n * E, (11n * E) / 10n]);
  },
  [AT.old](script) {
    script.move(OLD, { from: DEPLOYER, to: POOL, amount: 1_000n * E });
    launch(script, { pool: POOL, token: OLD, base: ODD });
    script.move(ODD, { from: ALICE, to: POOL, amount: 5n * E });
    script.move(OLD, { from: POOL, to: BOB, amount: 5n * E });
    swap(script, POOL, { ...NONE, baseIn: 5n * E, tokenOut: 5n * E });
    sync(script, POOL, [895n * E, 5n * E, (11n * E) / 10n]);
  },
  [AT.quiet](script) {
    for (const token of QUIET) {
      script.mint(token, token, 1_000n * E);
      launch(script, { pool: token, token, base: HONEY });
    }
  },
  [AT.sold](script) {
    script.move(OWN, { from: ALICE, to: OWN, amount: 4n * E });
    script.move(HONEY, { from: OWN, to: ALICE, amount: 3n * E });
    swap(script, OWN, { ...NONE, tokenIn: 4n * E, baseOut: 3n * E });
    sync(script, OWN, [895n * E, 7n * E, (21n * E) / 20n]);
    script.move(OWN, { from: ALICE, to: BOB, amount: E });
  },
  [AT.graduated](script) {
    script.move(HONEY, { from: ALICE, to: OWN, amount: 2_700n * E });
    script.move(OWN, { from: OWN, to: BOB, amount: 893n * E });
    swap(script, OWN, { ...NONE, baseIn: 2_700n * E, tokenOut: 893n * E });
    sync(script, OWN, [2n * E, 2_690n * E, 3n * E]);
    const [token0, token1] = [HONEY, OWN].sort() as [string, string];
    script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0, token1, ordinal: 1 });
    script.move(OWN, { from: OWN, to: PAIR, amount: 100n * E });
    script.move(HONEY, { from: OWN, to: PAIR, amount: 2_500n * E });
    script.mint(PAIR, DEPLOYER, 500n * E);
    script.tell("v2_sync", { pair: PAIR, reserve0: `${2_500n * E}`, reserve1: `${100n * E}` });
    script.move(HONEY, { from: OWN, to: TREASURY, amount: 207n * E });
    script.move(OWN, { from: OWN, to: TREASURY, amount: 2n * E });
    script.tell("launch_pool", {
      pool: OWN,
      kind: "graduated",
      token_amount: `${100n * E}`,
      base_amount: `${2_500n * E}`,
    });
    sync(script, OWN, [0n, 0n, 3n * E]);
  },
};

export function launchScript(): Script {
  const script = new Script();
  acts[1]?.(script);
  while (script.block < AT.head) acts[script.nextBlock()]?.(script);
  return script;
}
