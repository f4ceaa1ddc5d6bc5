// Vault facts: one insert per event, no arithmetic.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import { reward, stake, vaultCreated, vaultFlow } from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

export async function onBaultDeployed({ event, context }: Args<"BaultFactory:BaultDeployed">) {
  const { bault, implementation, stakingToken } = event.args;
  await context.db.insert(vaultCreated).values({
    ...placeOf(event),
    factory: event.log.address,
    vault: bault,
    kind: "bault",
    asset: stakingToken,
    implementation,
  });
}

export async function onNewVault({ event, context }: Args<"Infrared:NewVault">) {
  const { _sender, _asset, _vault } = event.args;
  await context.db.insert(vaultCreated).values({
    ...placeOf(event),
    factory: event.log.address,
    vault: _vault,
    kind: "infrared",
    asset: _asset,
    creator: _sender,
  });
}

type Erc4626Event<Name extends "Deposit" | "Withdraw"> = `${"Bault" | "Erc4626Vault" | "QueuedVault"}:${Name}`;

export async function onDeposit({ event, context }: Args<Erc4626Event<"Deposit">>) {
  await context.db.insert(vaultFlow).values(depositOf(event));
}

export async function onWithdraw({ event, context }: Args<Erc4626Event<"Withdraw">>) {
  await context.db.insert(vaultFlow).values(withdrawalOf(event));
}

function depositOf(event: Args<Erc4626Event<"Deposit">>["event"]) {
  const { by, owner, assets, shares } = event.args;
  return { ...placeOf(event), vault: event.log.address, kind: "deposit", sender: by, owner, assets, shares };
}

function withdrawalOf(event: Args<Erc4626Event<"Withdraw">>["event"]) {
  const { by, to, owner, assets, shares } = event.args;
  const taken = { sender: by, receiver: to, owner, assets, shares };
  return { ...placeOf(event), vault: event.log.address, kind: "withdraw", ...taken };
}

export async function onWithdrawalRequested({ event, context }: Args<"QueuedVault:WithdrawalRequested">) {
  await context.db
    .insert(vaultFlow)
    .values({ ...placeOf(event), vault: event.log.address, kind: "withdrawal_requested", ...event.args });
}

export async function onWithdrawalCompleted({ event, context }: Args<"QueuedVault:WithdrawalCompleted">) {
  await context.db
    .insert(vaultFlow)
    .values({ ...placeOf(event), vault: event.log.address, kind: "withdrawal_completed", ...event.args });
}

export async function onWithdrawalCancelled({ event, context }: Args<"QueuedVault:WithdrawalCancelled">) {
  const { newSharesMinted: newShares, ...args } = event.args;
  await context.db
    .insert(vaultFlow)
    .values({ ...placeOf(event), vault: event.log.address, kind: "withdrawal_cancelled", ...args, newShares });
}

export async function onExitFeePaid({ event, context }: Args<"Bault:ExitFeePaid">) {
  await context.db
    .insert(vaultFlow)
    .values({ ...placeOf(event), vault: event.log.address, kind: "exit_fee", ...event.args });
}

export async function onCompounded({ event, context }: Args<"Bault:BgtClaimed" | "Bault:BgtWrapperClaimed">) {
  const { bountySender, bgtRecipient, compoundAmount, compoundFee, tokenToRecipient } = event.args;
  await context.db.insert(vaultFlow).values({
    ...placeOf(event),
    vault: event.log.address,
    kind: "compound",
    sender: bountySender,
    receiver: bgtRecipient,
    assets: compoundAmount,
    fee: compoundFee,
    reward: tokenToRecipient,
    rewardToken: "bgtWrapper" in event.args ? event.args.bgtWrapper : null,
  });
}

export async function onStaked({ event, context }: Args<"InfraredVault:Staked">) {
  await context.db.insert(stake).values(stakeOf(event, "infrared", "stake"));
}

export async function onWithdrawn({ event, context }: Args<"InfraredVault:Withdrawn">) {
  await context.db.insert(stake).values(stakeOf(event, "infrared", "withdraw"));
}

export async function onListedStaked({ event, context }: Args<"StakingVault:Staked">) {
  await context.db.insert(stake).values(stakeOf(event, "vault", "stake"));
}

export async function onListedWithdrawn({ event, context }: Args<"StakingVault:Withdrawn">) {
  await context.db.insert(stake).values(stakeOf(event, "vault", "withdraw"));
}

function stakeOf(
  event: Args<`${"InfraredVault" | "StakingVault"}:${"Staked" | "Withdrawn"}`>["event"],
  protocol: "infrared" | "vault",
  kind: "stake" | "withdraw",
) {
  const { user, amount } = event.args;
  return { ...placeOf(event), vault: event.log.address, protocol, kind, account: user, amount };
}

export async function onRewardAdded({ event, context }: Args<"InfraredVault:RewardAdded">) {
  const { rewardsToken, reward: amount } = event.args;
  await context.db.insert(reward).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol: "infrared",
    kind: "added",
    token: rewardsToken,
    amount,
  });
}

export async function onRewardPaid({ event, context }: Args<"InfraredVault:RewardPaid">) {
  const { user, rewardsToken, reward: amount } = event.args;
  await context.db.insert(reward).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol: "infrared",
    kind: "paid",
    token: rewardsToken,
    account: user,
    amount,
  });
}
