// Farm facts: one insert per event, no arithmetic.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import { reward, stake, vaultCreated } from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

const protocol = "farm";

/** The event names neither what is staked nor what is earned. */
export async function onFarmDeployed({ event, context }: Args<"FarmFactory:FarmDeployed">) {
  const { farm, implementation } = event.args;
  await context.db
    .insert(vaultCreated)
    .values({ ...placeOf(event), factory: event.log.address, vault: farm, kind: protocol, implementation });
}

export async function onStakeLocked({ event, context }: Args<"Farm:StakeLocked">) {
  const { user, amount, secs, kek_id } = event.args;
  await context.db.insert(stake).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol,
    kind: "stake",
    account: user,
    amount,
    lockSeconds: secs,
    lockId: kek_id,
  });
}

export async function onWithdrawLocked({ event, context }: Args<"Farm:WithdrawLocked">) {
  const { user, amount, kek_id } = event.args;
  await context.db.insert(stake).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol,
    kind: "withdraw",
    account: user,
    amount,
    lockId: kek_id,
  });
}

export async function onRewardPaid({ event, context }: Args<"Farm:RewardPaid">) {
  const { user, reward: paid, token_address } = event.args;
  await context.db.insert(reward).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol,
    kind: "paid",
    token: token_address,
    account: user,
    amount: paid,
  });
}

/** `amount` is tokens per second from here on. Rates given at creation are in no event. */
export async function onRewardRate({ event, context }: Args<"Farm:RewardRateUpdated">) {
  const { token, newRate } = event.args;
  await context.db
    .insert(reward)
    .values({ ...placeOf(event), vault: event.log.address, protocol, kind: "rate", token, amount: newRate });
}

export async function onRewardTokenAdded({ event, context }: Args<"Farm:RewardTokenAdded">) {
  await context.db.insert(reward).values({
    ...placeOf(event),
    vault: event.log.address,
    protocol,
    kind: "token_added",
    token: event.args.rewardToken,
  });
}

export async function onPeriodRenewed({ event, context }: Args<"Farm:RewardsPeriodRenewed">) {
  await context.db
    .insert(reward)
    .values({ ...placeOf(event), vault: event.log.address, protocol, kind: "renewed", token: event.args.token });
}
