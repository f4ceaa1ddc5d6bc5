// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { recordAs } from "../../other-event.ts";
import {
  onBaultDeployed,
  onCompounded,
  onDeposit,
  onExitFeePaid,
  onListedDeposit,
  onListedStaked,
  onListedWithdraw,
  onListedWithdrawn,
  onNewVault,
  onRewardAdded,
  onRewardPaid,
  onStaked,
  onWithdraw,
  onWithdrawn,
} from "./handlers.ts";

on("BaultFactory:BaultDeployed", onBaultDeployed);

on("Bault:Deposit", onDeposit);
on("Bault:Withdraw", onWithdraw);
on("Bault:ExitFeePaid", onExitFeePaid);
on("Bault:BgtClaimed", onCompounded);
on("Bault:BgtWrapperClaimed", onCompounded);

on("Infrared:NewVault", onNewVault);

on("InfraredVault:Staked", onStaked);
on("InfraredVault:Withdrawn", onWithdrawn);
on("InfraredVault:RewardAdded", onRewardAdded);
on("InfraredVault:RewardPaid", onRewardPaid);

on("Erc4626Vault:Deposit", onListedDeposit);
on("Erc4626Vault:Withdraw", onListedWithdraw);

on("StakingVault:Staked", onListedStaked);
on("StakingVault:Withdrawn", onListedWithdrawn);

on("Bault:ExitFeeBpsUpdated", recordAs("ExitFeeBpsUpdated"));
on("Bault:BountyUpdated", recordAs("BountyUpdated"));
on("Bault:CompoundFeeBpsUpdated", recordAs("CompoundFeeBpsUpdated"));
on("Bault:AllowedBgtWrapperUpdated", recordAs("AllowedBgtWrapperUpdated"));
on("Bault:Paused", recordAs("Paused"));
on("Bault:Unpaused", recordAs("Unpaused"));
on("InfraredVault:RewardStored", recordAs("RewardStored"));
on("InfraredVault:RewardsDurationUpdated", recordAs("RewardsDurationUpdated"));
