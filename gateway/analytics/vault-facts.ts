// The facts of islands, vaults, stakes and what they earn.
import { address, amount, type FactKind, maybe, oneOf, text, whole } from "./fact-kind.ts";

const vault = address();

const islands: FactKind = {
  field: "islands",
  type: "IslandFact",
  doc: "An island as its factory announced it.",
  sources: [{ table: "island_created" }],
  columns: {
    factory: address(),
    island: address(),
    pool: address("The v3 pool below."),
    manager: address("The zero address: unmanaged."),
    implementation: address("The code that the island is a clone of."),
  },
  leadsTo: { market: { column: "pool", to: "market" } },
};

const islandFlows: FactKind = {
  field: "islandFlows",
  type: "IslandFlowFact",
  doc: "Shares of an island minted and burned, and fees that it took.",
  sources: [{ table: "island_flow" }],
  columns: {
    island: address(),
    kind: oneOf(["mint", "burn", "fees"]),
    receiver: maybe(address("Null for `fees`.")),
    shares: maybe(amount("Null for `fees`.")),
    amount0: amount("Paid in, paid out, or fees taken net of the manager's part."),
    amount1: amount(),
    liquidity: maybe(amount("Added to, or removed from, the position.")),
  },
};

const islandRebalances: FactKind = {
  field: "islandRebalances",
  type: "IslandRebalanceFact",
  doc: "A new range of an island, or the same one when it only compounds.",
  sources: [{ table: "island_rebalance" }],
  columns: {
    island: address(),
    compounder: address(),
    tickLower: whole(),
    tickUpper: whole(),
    liquidityBefore: amount(),
    liquidityAfter: amount(),
  },
};

const islandManagers: FactKind = {
  field: "islandManagers",
  type: "IslandManagerFact",
  doc: "An island's terms (`params`) or its manager (`owner`) from here on.",
  sources: [{ table: "island_manager" }],
  columns: {
    island: address(),
    kind: oneOf(["params", "owner"]),
    feeBps: maybe(whole("The manager's part of fees in 1/10,000.")),
    treasury: maybe(address()),
    slippageBps: maybe(whole()),
    slippageInterval: maybe(whole("Seconds.")),
    previousManager: maybe(address()),
    newManager: maybe(address()),
  },
};

const stakingVaults: FactKind = {
  field: "stakingVaults",
  type: "StakingVaultFact",
  doc: "A reward vault, farm, bault or Infrared vault as its factory announced it.",
  sources: [{ table: "vault_created", values: { kind: "replace(f.kind, '-', '_')" } }],
  columns: {
    factory: address(),
    vault,
    kind: oneOf(["reward_vault", "farm", "bault", "infrared"]),
    asset: maybe(address("What it takes; a farm's factory does not say.")),
    implementation: maybe(address()),
    creator: maybe(address()),
  },
};

const vaultFlows: FactKind = {
  field: "vaultFlows",
  type: "VaultFlowFact",
  doc: "Deposits and withdrawals of ERC-4626 vaults and baults; exit fees and compounding of baults; withdrawals that wait in a vault.",
  sources: [{ table: "vault_flow" }],
  columns: {
    vault,
    kind: oneOf([
      ...["deposit", "withdraw", "exit_fee", "compound"],
      ...["withdrawal_requested", "withdrawal_completed", "withdrawal_cancelled"],
    ]),
    sender: maybe(address()),
    owner: maybe(address("Whose shares.")),
    receiver: maybe(address("Who was paid, or took the reward.")),
    assets: amount(),
    shares: maybe(amount()),
    newShares: maybe(amount("Of `withdrawal_cancelled`: made for what waited.")),
    fee: maybe(amount("In units of the asset.")),
    reward: maybe(amount()),
    rewardToken: maybe(address()),
  },
  anyOf: { account: { columns: ["sender", "owner", "receiver"], doc: "Sender, owner or receiver." } },
};

const stakes: FactKind = {
  field: "stakes",
  type: "StakeFact",
  doc: "Stakes, one for one. `delegate_stake` and `delegate_withdraw` move nothing: they repeat who paid or was paid in the log before them.",
  sources: [{ table: "stake", values: { protocol: "replace(f.protocol, '-', '_')" } }],
  columns: {
    vault,
    protocol: oneOf(["reward_vault", "farm", "infrared", "vault"]),
    kind: oneOf(["stake", "withdraw", "delegate_stake", "delegate_withdraw"]),
    account: address("Whose stake."),
    delegate: maybe(address()),
    amount: amount(),
    lockSeconds: maybe(amount("Of farms: how long it is locked.")),
    lockId: maybe(text("Of farms: which lock.", { isHex: true })),
  },
};

const rewards: FactKind = {
  field: "rewards",
  type: "RewardFact",
  doc: "What stakes earn; what `amount` means by kind is in docs/schema.md.",
  sources: [{ table: "reward", values: { protocol: "replace(f.protocol, '-', '_')" } }],
  columns: {
    vault,
    protocol: oneOf(["reward_vault", "farm", "infrared"]),
    kind: oneOf(["distributed", "added", "paid", "redeemed", "rate", "token_added", "renewed"]),
    token: maybe(address("Null: the chain's reward token.")),
    account: maybe(address("Who earned.")),
    receiver: maybe(address("Who was paid.")),
    amount: maybe(amount()),
    validator: maybe(text("keccak-256 of the validator's public key.", { isHex: true })),
    nextTimestamp: maybe(amount("Of `distributed`: of the block the emission belongs to.")),
  },
};

const incentives: FactKind = {
  field: "incentives",
  type: "IncentiveFact",
  doc: "What reward vaults offer for emissions.",
  sources: [{ table: "incentive" }],
  columns: {
    vault,
    kind: oneOf([
      "whitelisted",
      "removed",
      "added",
      "processed",
      "process_failed",
      "booster_processed",
      "booster_process_failed",
      "fee_collected",
      "fee_collection_failed",
    ]),
    token: address(),
    account: maybe(address("The token's manager, or who paid.")),
    amount: maybe(amount()),
    rate: maybe(amount("Per unit of reward token emitted, times 1e18.")),
    emitted: maybe(amount()),
    validator: maybe(text("keccak-256 of the validator's public key.", { isHex: true })),
  },
  leadsTo: { tokenDetail: { column: "token", to: "token" } },
};

export const vaultFacts: readonly FactKind[] = [
  islands,
  islandFlows,
  islandRebalances,
  islandManagers,
  stakingVaults,
  vaultFlows,
  stakes,
  rewards,
  incentives,
];
