// One of each kind of vault over one token, nested in each other, written fact by fact.
import { accountOf, tokenOf } from "./reference-ledger.ts";
import { Script } from "./scripted-index.ts";

/** What is staked; what is handed out as incentives, by a farm, by an Infrared vault, by reward vaults. */
export const [STAKED, INCENTIVES, FARMED, MULTI, EMITTED] = [1, 2, 3, 4, 5].map(tokenOf) as [
  string,
  string,
  string,
  string,
  string,
];
export const [ALICE, BOB, DISTRIBUTOR, STRATEGY, FACTORY] = [1, 2, 70, 71, 72].map(accountOf) as [
  string,
  string,
  string,
  string,
  string,
];
/** A reward vault; a farm over the token and one over bault shares; baults, listed vaults. */
export const [REWARD_VAULT, FARM, BAULT_FARM, INFRARED, BAULT, PLAIN, MOO, STAKING, LAUNCH] = [
  101, 102, 103, 104, 105, 106, 107, 108, 109,
].map(tokenOf) as [string, string, string, string, string, string, string, string, string];

const place = (address: string) => ({ address, startBlock: 0 });

export const stakingSections = {
  rewardVaults: {
    factory: place(FACTORY),
    distributor: place(DISTRIBUTOR),
    beraChef: null,
    rewardToken: EMITTED,
  },
  farms: { factory: place(FACTORY) },
  baults: { factory: place(FACTORY) },
  infrared: { core: place(FACTORY) },
  launch: { factory: place(FACTORY) },
  externalVaults: [
    { ...place(PLAIN), kind: "erc4626", asset: STAKED },
    { ...place(MOO), kind: "beefy", asset: STAKED, holder: STRATEGY },
    { ...place(STAKING), kind: "staking", asset: STAKED },
  ],
};

class StakingScript extends Script {
  create(vault: string, kind: string, asset: string | null): void {
    this.tell("vault_created", { factory: FACTORY, vault, kind, asset });
  }

  /** The log of a stake or of its end alone. */
  stakes(vault: string, protocol: string, more: { kind?: string; account: string; amount: bigint; delegate?: string }) {
    const { kind = "stake", account, amount, delegate = null } = more;
    this.tell("stake", { vault, protocol, kind, account, amount: `${amount}`, delegate });
  }

  /** Pulls the tokens from `account`, or from `payer`, and logs the stake. */
  stakeIn(vault: string, protocol: string, by: { account: string; amount: bigint; token?: string; payer?: string }) {
    const { account, amount, token = STAKED, payer = account } = by;
    this.nextTransaction();
    this.move(token, { from: payer, to: vault, amount });
    this.stakes(vault, protocol, { account, amount });
  }

  withdrawFrom(vault: string, by: { account: string; amount: bigint; to?: string }) {
    this.move(STAKED, { from: vault, to: by.to ?? by.account, amount: by.amount });
    this.stakes(vault, "reward-vault", { ...by, kind: "withdraw" });
  }

  hand(table: "reward" | "incentive", values: { vault: string; token: string; kind: string; protocol?: string }): void {
    this.tell(table, values);
  }
}

/** Eleven blocks; block 9 has everything in place, 10 takes some out again, 11 graduates the launch. */
export function tellStaking(): Script {
  const script = new StakingScript();
  for (const account of [ALICE, BOB]) script.mint(STAKED, account, 1_000_000n);
  script.nextBlock(); // 2
  script.create(REWARD_VAULT, "reward-vault", STAKED);
  script.create(INFRARED, "infrared", STAKED);
  script.create(BAULT, "bault", STAKED);
  script.create(FARM, "farm", null);
  script.create(BAULT_FARM, "farm", null);
  script.nextBlock(); // 3: a stake of one's own, and one that somebody else pays for
  script.stakeIn(REWARD_VAULT, "reward-vault", { account: ALICE, amount: 1_000n });
  script.stakeIn(REWARD_VAULT, "reward-vault", { account: ALICE, amount: 500n, payer: BOB });
  script.stakes(REWARD_VAULT, "reward-vault", { kind: "delegate_stake", account: ALICE, amount: 500n, delegate: BOB });
  script.nextBlock(); // 4: staked on
  for (const [vault, protocol, amount] of [
    [INFRARED, "infrared", 300n],
    [STAKING, "vault", 40n],
  ] as const) {
    script.nextTransaction();
    script.move(STAKED, { from: BOB, to: vault, amount });
    script.stakeIn(REWARD_VAULT, "reward-vault", { account: vault, amount });
    script.stakes(vault, protocol, { account: BOB, amount });
  }
  script.nextBlock(); // 5: shares of what is staked
  for (const [account, amount] of [
    [ALICE, 700n],
    [BOB, 300n],
  ] as const) {
    script.move(STAKED, { from: account, to: BAULT, amount });
    script.mint(BAULT, account, amount);
    script.stakeIn(REWARD_VAULT, "reward-vault", { account: BAULT, amount });
  }
  script.move(STAKED, { from: BOB, to: STRATEGY, amount: 25n });
  script.mint(MOO, BOB, 10n);
  script.stakeIn(REWARD_VAULT, "reward-vault", { account: STRATEGY, amount: 25n });
  script.nextBlock(); // 6: compounding, and a vault that keeps its assets
  script.stakeIn(REWARD_VAULT, "reward-vault", { account: BAULT, amount: 100n, payer: BOB });
  script.move(STAKED, { from: ALICE, to: PLAIN, amount: 50n });
  script.mint(PLAIN, ALICE, 50n);
  script.move(STAKED, { from: BOB, to: PLAIN, amount: 10n });
  script.nextBlock(); // 7: farms; another token comes in the same transaction, before the stake
  script.hand("reward", { vault: FARM, protocol: "farm", kind: "token_added", token: FARMED });
  script.mint(FARMED, FARM, 5_000n);
  script.move(FARMED, { from: FARM, to: ALICE, amount: 3n });
  script.stakeIn(FARM, "farm", { account: ALICE, amount: 400n });
  script.stakeIn(BAULT_FARM, "farm", { account: BOB, amount: 200n, token: BAULT });
  script.nextBlock(); // 8: what is handed out
  script.hand("incentive", { vault: REWARD_VAULT, kind: "whitelisted", token: INCENTIVES });
  script.mint(INCENTIVES, REWARD_VAULT, 900n);
  script.hand("incentive", { vault: REWARD_VAULT, kind: "whitelisted", token: STAKED });
  script.mint(STAKED, REWARD_VAULT, 50n);
  script.hand("reward", { vault: INFRARED, protocol: "infrared", kind: "added", token: MULTI });
  script.mint(MULTI, INFRARED, 80n);
  script.mint(EMITTED, DISTRIBUTOR, 1_000n);
  script.mint(EMITTED, ALICE, 10n);
  script.tell("launch_pool", { pool: LAUNCH, kind: "initialized", token: LAUNCH, base_token: STAKED });
  script.mint(LAUNCH, LAUNCH, 1_000n);
  script.move(LAUNCH, { from: LAUNCH, to: BOB, amount: 100n });
  script.move(STAKED, { from: BOB, to: LAUNCH, amount: 60n });
  script.nextBlock(); // 9: gifts
  for (const [to, amount] of [
    [INFRARED, 11n],
    [BAULT, 13n],
    [FARM, 17n],
  ] as const)
    script.move(STAKED, { from: ALICE, to, amount });
  script.move(FARMED, { from: ALICE, to: REWARD_VAULT, amount: 1n });
  script.nextBlock(); // 10
  script.withdrawFrom(REWARD_VAULT, { account: ALICE, amount: 200n });
  script.withdrawFrom(REWARD_VAULT, { account: ALICE, amount: 100n, to: BOB });
  script.stakes(REWARD_VAULT, "reward-vault", {
    kind: "delegate_withdraw",
    account: ALICE,
    amount: 100n,
    delegate: BOB,
  });
  script.nextBlock(); // 11
  script.tell("launch_pool", { pool: LAUNCH, kind: "graduated" });
  script.move(LAUNCH, { from: LAUNCH, to: ALICE, amount: 900n });
  script.move(STAKED, { from: LAUNCH, to: ALICE, amount: 55n });
  return script;
}
