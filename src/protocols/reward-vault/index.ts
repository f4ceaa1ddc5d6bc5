// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { recordAs } from "../../other-event.ts";
import {
  onDelegateStaked,
  onDelegateWithdrawn,
  onDistributed,
  onFeeCollected,
  onFeeCollectionFailed,
  onIncentiveAdded,
  onIncentiveRemoved,
  onIncentiveWhitelisted,
  onProcessed,
  onRedeem,
  onRewardAdded,
  onRewardPaid,
  onStaked,
  onVaultCreated,
  onWithdrawn,
} from "./handlers.ts";

on("RewardVaultFactory:VaultCreated", onVaultCreated);

on("RewardVault:Staked", onStaked);
on("RewardVault:Withdrawn", onWithdrawn);
on("RewardVault:DelegateStaked", onDelegateStaked);
on("RewardVault:DelegateWithdrawn", onDelegateWithdrawn);
on("RewardVault:RewardAdded", onRewardAdded);
on("RewardVault:RewardPaid", onRewardPaid);
on("RewardVault:IncentiveTokenWhitelisted", onIncentiveWhitelisted);
on("RewardVault:IncentiveTokenRemoved", onIncentiveRemoved);
on("RewardVault:IncentiveAdded", onIncentiveAdded);
on("RewardVault:IncentivesProcessed", onProcessed("processed"));
on("RewardVault:IncentivesProcessFailed", onProcessed("process_failed"));
on("RewardVault:BGTBoosterIncentivesProcessed", onProcessed("booster_processed"));
on("RewardVault:BGTBoosterIncentivesProcessFailed", onProcessed("booster_process_failed"));
on("RewardVault:IncentiveFeeCollected", onFeeCollected);
on("RewardVault:IncentiveFeeCollectionFailed", onFeeCollectionFailed);

on("Distributor:Distributed", onDistributed);

on("RewardToken:Redeem", onRedeem);

on("RewardVault:IncentiveManagerChanged", recordAs("IncentiveManagerChanged"));
on("RewardVault:MaxIncentiveTokensCountUpdated", recordAs("MaxIncentiveTokensCountUpdated"));
on("RewardVault:RewardsDurationUpdated", recordAs("RewardsDurationUpdated"));
on("RewardVault:TargetRewardsPerSecondUpdated", recordAs("TargetRewardsPerSecondUpdated"));
on("RewardVault:MinRewardDurationForTargetRateUpdated", recordAs("MinRewardDurationForTargetRateUpdated"));
on("RewardVault:RewardVaultManagerSet", recordAs("RewardVaultManagerSet"));
on("RewardVault:DistributorSet", recordAs("DistributorSet"));
on("RewardVault:OperatorSet", recordAs("OperatorSet"));
on("RewardVault:Recovered", recordAs("Recovered"));
on("RewardVault:Paused", recordAs("Paused"));
on("RewardVault:Unpaused", recordAs("Unpaused"));
on("BeraChef:VaultWhitelistedStatusUpdated", recordAs("VaultWhitelistedStatusUpdated"));
