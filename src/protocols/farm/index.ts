// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { recordAs } from "../../other-event.ts";
import {
  onFarmDeployed,
  onPeriodRenewed,
  onRewardPaid,
  onRewardRate,
  onRewardTokenAdded,
  onStakeLocked,
  onWithdrawLocked,
} from "./handlers.ts";

on("FarmFactory:FarmDeployed", onFarmDeployed);

on("Farm:StakeLocked", onStakeLocked);
on("Farm:WithdrawLocked", onWithdrawLocked);
on("Farm:RewardPaid", onRewardPaid);
on("Farm:RewardRateUpdated", onRewardRate);
on("Farm:RewardTokenAdded", onRewardTokenAdded);
on("Farm:RewardsPeriodRenewed", onPeriodRenewed);

on("FarmFactory:AllowedImplementationSet", recordAs("AllowedImplementationSet"));
on("FarmFactory:XKdkSet", recordAs("XKdkSet"));
on("Farm:FarmStarted", recordAs("FarmStarted"));
on("Farm:RewardsDurationUpdated", recordAs("RewardsDurationUpdated"));
on("Farm:RewardManagerSet", recordAs("RewardManagerSet"));
on("Farm:Recovered", recordAs("Recovered"));
on("Farm:LockedStakeMaxMultiplierUpdated", recordAs("LockedStakeMaxMultiplierUpdated"));
on("Farm:LockedStakeTimeForMaxMultiplier", recordAs("LockedStakeTimeForMaxMultiplier"));
on("Farm:LockedStakeMinTime", recordAs("LockedStakeMinTime"));
on("Farm:StakingTokenCapUpdated", recordAs("StakingTokenCapUpdated"));
on("Farm:StakingPausedSet", recordAs("StakingPausedSet"));
on("Farm:RewardsCollectionPausedSet", recordAs("RewardsCollectionPausedSet"));
on("Farm:StakesUnlockedSet", recordAs("StakesUnlockedSet"));
on("Farm:GreylistSet", recordAs("GreylistSet"));
