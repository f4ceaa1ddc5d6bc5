// Contents page: which event goes to which handler.
import { on, onShared } from "../../on.ts";
import { recordAs } from "../../other-event.ts";
import {
  onBaultDeployed,
  onCompounded,
  onDeposit,
  onExitFeePaid,
  onListedStaked,
  onListedWithdrawn,
  onNewVault,
  onRewardAdded,
  onRewardPaid,
  onStaked,
  onWithdraw,
  onWithdrawalCancelled,
  onWithdrawalCompleted,
  onWithdrawalRequested,
  onWithdrawn,
} from "./handlers.ts";

on("BaultFactory:BaultDeployed", onBaultDeployed);

onShared("Bault:Deposit", onDeposit);
onShared("Bault:Withdraw", onWithdraw);
on("Bault:ExitFeePaid", onExitFeePaid);
on("Bault:BgtClaimed", onCompounded);
on("Bault:BgtWrapperClaimed", onCompounded);

on("Infrared:NewVault", onNewVault);

onShared("InfraredVault:Staked", onStaked);
onShared("InfraredVault:Withdrawn", onWithdrawn);
on("InfraredVault:RewardAdded", onRewardAdded);
on("InfraredVault:RewardPaid", onRewardPaid);

onShared("Erc4626Vault:Deposit", onDeposit);
onShared("Erc4626Vault:Withdraw", onWithdraw);

onShared("QueuedVault:Deposit", onDeposit);
onShared("QueuedVault:Withdraw", onWithdraw);
on("QueuedVault:WithdrawalRequested", onWithdrawalRequested);
on("QueuedVault:WithdrawalCancelled", onWithdrawalCancelled);
on("QueuedVault:WithdrawalCompleted", onWithdrawalCompleted);

onShared("StakingVault:Staked", onListedStaked);
onShared("StakingVault:Withdrawn", onListedWithdrawn);

on("Bault:ExitFeeBpsUpdated", recordAs("ExitFeeBpsUpdated"));
on("Bault:BountyUpdated", recordAs("BountyUpdated"));
on("Bault:CompoundFeeBpsUpdated", recordAs("CompoundFeeBpsUpdated"));
on("Bault:AllowedBgtWrapperUpdated", recordAs("AllowedBgtWrapperUpdated"));
on("Bault:Paused", recordAs("Paused"));
on("Bault:Unpaused", recordAs("Unpaused"));
on("InfraredVault:RewardStored", recordAs("RewardStored"));
on("InfraredVault:RewardsDurationUpdated", recordAs("RewardsDurationUpdated"));
