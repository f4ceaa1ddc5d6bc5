// v2 pairs, vaults of every kind with their stakes and rewards, and launch pools.
import { accountOf, tokenOf } from "../../support/reference-ledger.ts";
import type { BlockScribe } from "./block-scribe.ts";
import { POOL_TOKENS, pay, someAccount, type TokenLife } from "./token-life.ts";

export interface VaultLife {
  pairs: number;
  vaults: { vault: string; kind: string }[];
  /** By vault and account. */
  stakes: Map<string, bigint>;
  launches: { pool: string; hasGraduated: boolean }[];
}

export const newVaultLife = (): VaultLife => ({ pairs: 0, vaults: [], stakes: new Map(), launches: [] });

const KINDS = ["reward-vault", "farm", "infrared", "bault"];
const FACTORY = accountOf(93);
const pairOf = (n: number): string => accountOf(300 + n);

type Act = (life: VaultLife, scribe: BlockScribe, tokens: TokenLife) => void;

const createPair: Act = (life, scribe) => {
  if (life.pairs >= 8) return;
  life.pairs += 1;
  const [token0, token1] = scribe.random.sample([...POOL_TOKENS, tokenOf(5), tokenOf(6)], 2).sort() as [string, string];
  scribe.tell("v2_pair_created", { factory: FACTORY, pair: pairOf(life.pairs), token0, token1, ordinal: life.pairs });
};

const syncPair: Act = (life, scribe) => {
  if (life.pairs === 0) return;
  const pair = pairOf(scribe.random.between(1, life.pairs));
  const amounts = { amount0_in: "5", amount1_in: "0", amount0_out: "0", amount1_out: "4" };
  if (scribe.random.chance(0.5))
    scribe.tell("v2_swap", { pair, sender: someAccount(scribe), to: someAccount(scribe), ...amounts });
  const [reserve0, reserve1] = [scribe.random.between(0, 1_000_000), scribe.random.between(0, 1_000_000)];
  scribe.tell("v2_sync", { pair, reserve0, reserve1 });
};

const createVault: Act = (life, scribe) => {
  if (life.vaults.length >= 10) return;
  const [vault, kind] = [accountOf(400 + life.vaults.length), scribe.random.pick(KINDS)];
  life.vaults.push({ vault, kind });
  const asset = kind === "farm" ? null : scribe.random.pick(POOL_TOKENS);
  scribe.tell("vault_created", { factory: FACTORY, vault, kind, asset });
};

/** A farm's stake comes after the transfer that pays for it. */
const stake: Act = (life, scribe, tokens) => {
  if (life.vaults.length === 0) return;
  const { vault, kind } = scribe.random.pick(life.vaults);
  const account = someAccount(scribe);
  const key = `${vault} ${account}`;
  const has = life.stakes.get(key) ?? 0n;
  const isOut = has > 0n && scribe.random.chance(0.5);
  const amount = isOut ? (scribe.random.chance(0.5) ? has : (has + 1n) / 2n) : scribe.random.amount(1n, 10n ** 9n);
  const token = scribe.random.pick(POOL_TOKENS);
  const [from, to] = isOut ? [vault, account] : [account, vault];
  pay(tokens, scribe, { token, from, to, amount });
  life.stakes.set(key, isOut ? has - amount : has + amount);
  const common = { vault, protocol: kind, account, amount: `${amount}` };
  scribe.tell("stake", { ...common, kind: isOut ? "withdraw" : "stake" });
  if (scribe.random.chance(0.2)) scribe.tell("stake", { ...common, kind: "delegate_stake", delegate: account });
};

const reward: Act = (life, scribe) => {
  if (life.vaults.length === 0) return;
  const { vault, kind } = scribe.random.pick(life.vaults);
  const token = scribe.random.pick(POOL_TOKENS);
  const [account, amount] = [someAccount(scribe), "9"];
  scribe.tell("vault_flow", { vault, kind: "deposit", assets: "3", shares: "3", owner: account });
  if (scribe.random.chance(0.5)) scribe.tell("incentive", { vault, kind: "whitelisted", token });
  const kindOfReward = scribe.random.pick(["token_added", "rate", "added", "paid"]);
  scribe.tell("reward", { vault, protocol: kind, kind: kindOfReward, token, account, amount });
  scribe.tell("other_event", { contract: vault, event: "FarmStarted", args: { amount, 'a "quoted" name': "\\ $$" } });
};

const launch: Act = (life, scribe) => {
  if (life.launches.length >= 6) return;
  const pool = accountOf(600 + life.launches.length);
  life.launches.push({ pool, hasGraduated: false });
  const [token, base_token] = scribe.random.sample(POOL_TOKENS, 2) as [string, string];
  scribe.tell("launch_pool", { pool, kind: "initialized", token, base_token });
  scribe.tell("launch_sync", { pool, token_reserve: "1000", base_reserve: "0", sqrt_price: "1" });
};

const trade: Act = (life, scribe) => {
  const open = life.launches.filter(({ hasGraduated }) => !hasGraduated);
  if (open.length === 0) return;
  const launched = scribe.random.pick(open);
  const { pool } = launched;
  const [token_reserve, base_reserve] = [scribe.random.between(0, 1_000), scribe.random.between(0, 1_000)];
  scribe.tell("launch_sync", { pool, token_reserve, base_reserve, sqrt_price: token_reserve });
  if (!scribe.random.chance(0.15)) return;
  launched.hasGraduated = true;
  scribe.tell("launch_pool", { pool, kind: "graduated", token_amount: "1", base_amount: "2" });
};

const ACTS: readonly Act[] = [
  ...[createPair, syncPair, syncPair, syncPair, createVault, stake, stake, stake, stake, reward],
  ...[launch, trade, trade],
];

export function actOnVaults(life: VaultLife, scribe: BlockScribe, tokens: TokenLife): void {
  for (let acts = scribe.random.between(0, 3); acts > 0; acts -= 1) {
    scribe.nextTransaction();
    scribe.random.pick(ACTS)(life, scribe, tokens);
  }
}
