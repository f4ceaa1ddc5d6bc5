// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
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

ponder.on("RewardVaultFactory:VaultCreated", onVaultCreated);

ponder.on("RewardVault:Staked", onStaked);
ponder.on("RewardVault:Withdrawn", onWithdrawn);
ponder.on("RewardVault:DelegateStaked", onDelegateStaked);
ponder.on("RewardVault:DelegateWithdrawn", onDelegateWithdrawn);
ponder.on("RewardVault:RewardAdded", onRewardAdded);
ponder.on("RewardVault:RewardPaid", onRewardPaid);
ponder.on("RewardVault:IncentiveTokenWhitelisted", onIncentiveWhitelisted);
ponder.on("RewardVault:IncentiveTokenRemoved", onIncentiveRemoved);
ponder.on("RewardVault:IncentiveAdded", onIncentiveAdded);
ponder.on("RewardVault:IncentivesProcessed", onProcessed("processed"));
ponder.on("RewardVault:IncentivesProcessFailed", onProcessed("process_failed"));
ponder.on("RewardVault:BGTBoosterIncentivesProcessed", onProcessed("booster_processed"));
ponder.on("RewardVault:BGTBoosterIncentivesProcessFailed", onProcessed("booster_process_failed"));
ponder.on("RewardVault:IncentiveFeeCollected", onFeeCollected);
ponder.on("RewardVault:IncentiveFeeCollectionFailed", onFeeCollectionFailed);

ponder.on("Distributor:Distributed", onDistributed);

ponder.on("RewardToken:Redeem", onRedeem);

ponder.on("RewardVault:IncentiveManagerChanged", recordAs("IncentiveManagerChanged"));
ponder.on("RewardVault:MaxIncentiveTokensCountUpdated", recordAs("MaxIncentiveTokensCountUpdated"));
ponder.on("RewardVault:RewardsDurationUpdated", recordAs("RewardsDurationUpdated"));
ponder.on("RewardVault:TargetRewardsPerSecondUpdated", recordAs("TargetRewardsPerSecondUpdated"));
ponder.on("RewardVault:MinRewardDurationForTargetRateUpdated", recordAs("MinRewardDurationForTargetRateUpdated"));
ponder.on("RewardVault:RewardVaultManagerSet", recordAs("RewardVaultManagerSet"));
ponder.on("RewardVault:DistributorSet", recordAs("DistributorSet"));
ponder.on("RewardVault:OperatorSet", recordAs("OperatorSet"));
ponder.on("RewardVault:Recovered", recordAs("Recovered"));
ponder.on("RewardVault:Paused", recordAs("Paused"));
ponder.on("RewardVault:Unpaused", recordAs("Unpaused"));
ponder.on("BeraChef:VaultWhitelistedStatusUpdated", recordAs("VaultWhitelistedStatusUpdated"));
