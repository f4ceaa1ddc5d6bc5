// Reward vault facts: one insert per event, no arithmetic.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import { incentive, reward, stake, vaultCreated } from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

const protocol = "reward-vault";

export async function onVaultCreated({ event, context }: Args<"RewardVaultFactory:VaultCreated">) {
  const { stakingToken, vault } = event.args;
  await context.db
    .insert(vaultCreated)
    .values({ ...placeOf(event), factory: event.log.address, vault, kind: protocol, asset: stakingToken });
}

export async function onStaked({ event, context }: Args<"RewardVault:Staked">) {
  await context.db
    .insert(stake)
    .values({ ...placeOf(event), vault: event.log.address, protocol, kind: "stake", ...event.args });
}

export async function onWithdrawn({ event, context }: Args<"RewardVault:Withdrawn">) {
  await context.db
    .insert(stake)
    .values({ ...placeOf(event), vault: event.log.address, protocol, kind: "withdraw", ...event.args });
}

export async function onDelegateStaked({ event, context }: Args<"RewardVault:DelegateStaked">) {
  await context.db
    .insert(stake)
    .values({ ...placeOf(event), vault: event.log.address, protocol, kind: "delegate_stake", ...event.args });
}

export async function onDelegateWithdrawn({ event, context }: Args<"RewardVault:DelegateWithdrawn">) {
  await context.db
    .insert(stake)
    .values({ ...placeOf(event), vault: event.log.address, protocol, kind: "delegate_withdraw", ...event.args });
}

export async function onDistributed({ event, context }: Args<"Distributor:Distributed">) {
  const { valPubkey, nextTimestamp, receiver, amount } = event.args;
  await context.db.insert(reward).values({
    ...placeOf(event),
    vault: receiver,
    protocol,
    kind: "distributed",
    amount,
    validator: valPubkey,
    nextTimestamp,
  });
}

/** `reward` is times 1e18 and holds what was left of the running period: never a sum of emissions. */
export async function onRewardAdded({ event, context }: Args<"RewardVault:RewardAdded">) {
  await context.db
    .insert(reward)
    .values({ ...placeOf(event), vault: event.log.address, protocol, kind: "added", amount: event.args.reward });
}

export async function onRewardPaid({ event, context }: Args<"RewardVault:RewardPaid">) {
  const { account, to, reward: paid } = event.args;
  await context.db.insert(reward).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol,
    kind: "paid",
    account,
    receiver: to,
    amount: paid,
  });
}

export async function onRedeem({ event, context }: Args<"RewardToken:Redeem">) {
  const { from, receiver, amount } = event.args;
  await context.db.insert(reward).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol,
    kind: "redeemed",
    token: event.log.address,
    account: from,
    receiver,
    amount,
  });
}

export async function onIncentiveWhitelisted({ event, context }: Args<"RewardVault:IncentiveTokenWhitelisted">) {
  const { token, minIncentiveRate, manager } = event.args;
  await context.db.insert(incentive).values({
    ...placeOf(event),
    vault: event.log.address,
    kind: "whitelisted",
    token,
    account: manager,
    rate: minIncentiveRate,
  });
}

export async function onIncentiveRemoved({ event, context }: Args<"RewardVault:IncentiveTokenRemoved">) {
  await context.db
    .insert(incentive)
    .values({ ...placeOf(event), vault: event.log.address, kind: "removed", token: event.args.token });
}

export async function onIncentiveAdded({ event, context }: Args<"RewardVault:IncentiveAdded">) {
  const { token, sender, amount, incentiveRate } = event.args;
  await context.db.insert(incentive).values({
    ...placeOf(event),
    vault: event.log.address,
    kind: "added",
    token,
    account: sender,
    amount,
    rate: incentiveRate,
  });
}

type Processed =
  | "IncentivesProcessed"
  | "IncentivesProcessFailed"
  | "BGTBoosterIncentivesProcessed"
  | "BGTBoosterIncentivesProcessFailed";

/** A handler of one of the four ways in which an emission takes incentives, or fails to. */
export function onProcessed(kind: "processed" | "process_failed" | "booster_processed" | "booster_process_failed") {
  return async ({ event, context }: Args<`RewardVault:${Processed}`>) => {
    const { pubkey, token, bgtEmitted, amount } = event.args;
    const taken = { kind, token, amount, emitted: bgtEmitted, validator: pubkey };
    await context.db.insert(incentive).values({ ...placeOf(event), vault: event.log.address, ...taken });
  };
}

export async function onFeeCollected({ event, context }: Args<"RewardVault:IncentiveFeeCollected">) {
  await context.db
    .insert(incentive)
    .values({ ...placeOf(event), vault: event.log.address, kind: "fee_collected", ...event.args });
}

export async function onFeeCollectionFailed({ event, context }: Args<"RewardVault:IncentiveFeeCollectionFailed">) {
  await context.db
    .insert(incentive)
    .values({ ...placeOf(event), vault: event.log.address, kind: "fee_collection_failed", ...event.args });
}
