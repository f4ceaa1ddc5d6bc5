// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
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

ponder.on("FarmFactory:FarmDeployed", onFarmDeployed);

ponder.on("Farm:StakeLocked", onStakeLocked);
ponder.on("Farm:WithdrawLocked", onWithdrawLocked);
ponder.on("Farm:RewardPaid", onRewardPaid);
ponder.on("Farm:RewardRateUpdated", onRewardRate);
ponder.on("Farm:RewardTokenAdded", onRewardTokenAdded);
ponder.on("Farm:RewardsPeriodRenewed", onPeriodRenewed);

ponder.on("FarmFactory:AllowedImplementationSet", recordAs("AllowedImplementationSet"));
ponder.on("FarmFactory:XKdkSet", recordAs("XKdkSet"));
ponder.on("Farm:FarmStarted", recordAs("FarmStarted"));
ponder.on("Farm:RewardsDurationUpdated", recordAs("RewardsDurationUpdated"));
ponder.on("Farm:RewardManagerSet", recordAs("RewardManagerSet"));
ponder.on("Farm:Recovered", recordAs("Recovered"));
ponder.on("Farm:LockedStakeMaxMultiplierUpdated", recordAs("LockedStakeMaxMultiplierUpdated"));
ponder.on("Farm:LockedStakeTimeForMaxMultiplier", recordAs("LockedStakeTimeForMaxMultiplier"));
ponder.on("Farm:LockedStakeMinTime", recordAs("LockedStakeMinTime"));
ponder.on("Farm:StakingTokenCapUpdated", recordAs("StakingTokenCapUpdated"));
ponder.on("Farm:StakingPausedSet", recordAs("StakingPausedSet"));
ponder.on("Farm:RewardsCollectionPausedSet", recordAs("RewardsCollectionPausedSet"));
ponder.on("Farm:StakesUnlockedSet", recordAs("StakesUnlockedSet"));
ponder.on("Farm:GreylistSet", recordAs("GreylistSet"));
